import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { compileProject } from '../dev/compile.js'
import { Ends } from './ends.js'
import { FAULTS } from './faults.js'
import { findMissed } from './goals.js'
import { runAll } from './run-all.js'
import { markdown, scoreboard } from './scoreboard.js'
import { SHORT_FORM } from './short-form.js'

interface Options {
  only?: string
  seed: string[]
  list?: boolean
  short?: boolean
  markdown?: boolean
  keep?: boolean
  parallel: string
}

const program = new Command('npm run chaos --')
  .description('Does harm to whole installations and reconciles what was acknowledged with what arrived.')
  .option('--only <names>', 'only these faults, with commas between them')
  .option('--seed <numbers...>', 'a run with each of these seeds', ['1', '2', '3'])
  .option('--list', 'say which faults there are')
  .option(
    '--short',
    'only those under which something has failed before, several to an installation, with one seed',
  )
  .option('--markdown', 'print the table of docs/reliability.md')
  .option('--keep', 'keep what the processes wrote, in .data/chaos-…')
  .addOption(new Option('--parallel <count>', 'installations at the same time').default('3'))
  .parse()
const options = program.opts<Options>()

if (options.list) {
  for (const { name, about } of [...FAULTS, ...SHORT_FORM]) console.log(`${name.padEnd(28)} ${about}`)
} else {
  process.exitCode = await main()
}

async function main(): Promise<number> {
  const only = options.only?.split(',')
  const known = [...FAULTS, ...SHORT_FORM]
  for (const name of only ?? []) {
    if (!known.some((fault) => fault.name === name)) throw new Error(`there is no fault ${name}: see --list`)
  }
  const all = options.short ? SHORT_FORM : FAULTS
  const chosen = only === undefined ? all : known.filter(({ name }) => only.includes(name))
  const seeds = options.short ? [1] : options.seed.map(Number)
  await compileProject(['chaos', 'test'])
  const folder = resolve(`.data/chaos-${process.pid}`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void Ends.everything().then(() => {
        rmSync(folder, { recursive: true, force: true })
        process.exit(1)
      })
    })
  }
  const startedAt = performance.now()
  const { results, notRun } = await runAll(chosen, seeds, {
    folder,
    parallel: Number(options.parallel),
    say: (line) => {
      process.stderr.write(`${line}\n`)
    },
  })
  if (!options.keep) rmSync(folder, { recursive: true, force: true })

  mkdirSync('chaos/results', { recursive: true })
  const date = new Date().toISOString().replaceAll(':', '-').slice(0, 19)
  const machine = { node: process.version, cores: cpus().length }
  writeFileSync(
    `chaos/results/${date}.json`,
    `${JSON.stringify({ date, machine, results, notRun }, null, 2)}\n`,
  )
  console.log(options.markdown ? markdown(results, chosen) : scoreboard(results, chosen))
  for (const line of notRun) console.log(line)
  const failed = results.filter((result) =>
    chosen.some((fault) => fault.name === result.fault && findMissed(fault, result).length > 0),
  )
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  const busy = Math.max(0, ...results.map(({ load }) => load))
  console.log(
    `${results.length} runs in ${minutes} minutes, ${failed.length} missed a goal; ` +
      `load of this machine up to ${busy.toFixed(0)} on ${cpus().length} cores`,
  )
  return failed.length > 0 || notRun.some((line) => line.includes('broke')) ? 1 : 0
}
