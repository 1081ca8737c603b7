import { styleText } from 'node:util'
import type { Command } from 'commander'
import { examine, type Examined, type State } from '../../doctor/check.js'
import { CHECKS } from '../../doctor/checks.js'
import { openSubject } from '../../doctor/subject.js'
import { environment } from '../../run.js'

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'check everything the service depends on and say how to fix problems, without changing anything',
    )
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const found = await findFaults(options)
      if (found.some(({ state }) => state === 'fault')) process.exitCode = 1
    })
}

async function findFaults(options: { json?: boolean }): Promise<Examined[]> {
  const subject = openSubject(environment())
  try {
    const examining = examine(CHECKS, subject)
    if (options.json !== true) return await printAsTheyCome(examining)
    const found = await Promise.all(examining)
    process.stdout.write(`${JSON.stringify({ ...count(found), checks: found }, null, 2)}\n`)
    return found
  } finally {
    await subject.close()
  }
}

async function printAsTheyCome(examining: readonly Promise<Examined>[]): Promise<Examined[]> {
  const width = Math.max(...CHECKS.map(({ name }) => name.length))
  const found: Examined[] = []
  for (const each of examining) {
    const { name, state, why, cure } = await each
    process.stdout.write(`${paint(state, state.padEnd(7))}  ${name.padEnd(width)}  ${why}\n`)
    if (cure !== undefined) process.stdout.write(`${' '.repeat(width + 11)}→ ${cure}\n`)
    found.push({ name, state, why, ...(cure === undefined ? {} : { cure }) })
  }
  const { faultCount, warningCount } = count(found)
  process.stdout.write(`\n${times(faultCount, 'fault')}, ${times(warningCount, 'warning')}\n`)
  return found
}

function count(found: readonly Examined[]): { faultCount: number; warningCount: number } {
  const countOf = (state: State) => found.filter((each) => each.state === state).length
  return { faultCount: countOf('fault'), warningCount: countOf('warning') }
}

function times(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

const COLOURS = { ok: 'green', warning: 'yellow', fault: 'red' } as const

function paint(state: State, text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText(COLOURS[state], text) : text
}
