import type { Command } from 'commander'
import { getCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import {
  importNumbers,
  listAccountNumbers,
  type AccountNumber,
  type ImportResult,
} from '../../src/domain/carriers/accounts/numbers.js'
import type { Context } from '../../src/domain/context.js'
import { getUserByEmail } from '../../src/domain/people/users.js'
import { UserError } from '../../src/errors.js'
import { run } from '../run.js'
import { wholeNumber } from '../whole-number.js'
import { COUNTRIES, limitsOf, type LimitOptions } from './line-limits.js'

interface ImportOptions extends LimitOptions {
  carrier: string
  user?: string
  all?: boolean
  json?: boolean
}

export function addLineImportCommand(line: Command): void {
  line
    .command('import')
    .description(
      "import numbers of a carrier account as lines; without numbers or --all, list the account's numbers",
    )
    .argument('[numbers...]', 'numbers in E.164 format')
    .requiredOption('--carrier <name>', 'the carrier account')
    .option('--user <email>', 'the email address of their owner')
    .option('--all', 'import every number that is not a line yet')
    .option('--countries <codes>', COUNTRIES)
    .option('--per-number <count>', 'messages per minute to one number (5)', wholeNumber)
    .option('--per-minute <count>', 'messages per minute in total (30)', wholeNumber)
    .option('--json', 'print JSON')
    .action((numbers: string[], options: ImportOptions) =>
      run(options, (context) =>
        numbers.length === 0 && options.all !== true
          ? list(context, options)
          : addLines(context, numbers, options),
      ),
    )
}

async function list(context: Context, options: ImportOptions) {
  const numbers = await listAccountNumbers(context, await getCarrierAccount(context, options.carrier))
  return {
    result: numbers,
    lines:
      numbers.length === 0
        ? [`${options.carrier} has no numbers. Buy one there.`]
        : numbers.map(lineOfNumber),
  }
}

/** The exit code is 1 if a number was refused. The other numbers become lines nevertheless. */
async function addLines(context: Context, numbers: string[], options: ImportOptions) {
  const { carrier, user, all } = options
  if (user === undefined) throw new UserError('--user must name the owner of the lines')
  if (all === true && numbers.length > 0) throw new UserError('Give either numbers or --all, not both')
  const { id: userId } = await getUserByEmail(context, user)
  const account = await getCarrierAccount(context, carrier)
  const results = await importNumbers(context, account, {
    userId,
    numbers: all === true ? 'all' : numbers,
    ...limitsOf(options),
  })
  if (results.some(({ outcome }) => outcome === 'refused')) process.exitCode = 1
  return {
    result: results,
    lines: results.length === 0 ? ['Every number is already a line.'] : results.map(lineOfResult),
  }
}

function lineOfNumber({ number, name, line }: AccountNumber): string {
  const state =
    line === undefined ? 'not a line yet' : `a line of ${line.ownerEmail} at ${line.carrierAccount}`
  return `${number.padEnd(16)} ${state}  ${name}`
}

function lineOfResult(result: ImportResult): string {
  switch (result.outcome) {
    case 'added':
      return `line ${result.number} added (${result.lineId})`
    case 'is_a_line':
      return `${result.number} is already a line`
    case 'refused':
      return `${result.number} refused: ${result.reason}`
  }
}
