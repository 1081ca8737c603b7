import type { Command } from 'commander'
import { findPerson, forgetPerson, readPerson, type PersonCounts } from '../../../src/domain/people/forget.js'
import { UserError } from '../../../src/errors.js'
import { run } from '../../run.js'
import { maskNumber, table } from '../../terminal.js'

/** A person may have a great many messages on one line. */
const STATEMENT_MS = 30_000
/** This is longer than workers usually hold a job. */
const PATIENCE_MS = 60_000

interface ForgetOptions {
  dryRun?: boolean
  yes?: boolean
  reason?: string
  json?: boolean
}

export function addPersonCommands(program: Command): void {
  program
    .command('person')
    .description('people that lines exchange messages with')
    .command('forget')
    .description(
      'erase all texts, media, excerpts and contacts of a number; IDs, counts and opt-outs are kept',
    )
    .argument('<number>', 'E.164, such as +15551234567')
    .option('--dry-run', 'only show what would be erased')
    .option('--yes', 'confirm the erasure, which cannot be undone')
    .option(
      '--reason <text>',
      'why; recorded in the audit log and shown to users whose lines have been in contact with the number',
    )
    .option('--json', 'print JSON')
    .action((written: string, options: ForgetOptions) =>
      run(options, (context) => forget(context, written, options), { statementTimeoutMs: STATEMENT_MS }),
    )
}

async function forget(context: Parameters<typeof findPerson>[0], written: string, options: ForgetOptions) {
  const number = readPerson(written)
  const isDryRun = options.dryRun === true
  if (!isDryRun && options.yes !== true) {
    throw new UserError('This cannot be undone. Check with --dry-run first, then give --yes and --reason')
  }
  const counts = isDryRun
    ? await findPerson(context, number)
    : await forgetPerson(context, number, options.reason ?? '', { patienceMs: PATIENCE_MS })
  const said = isDryRun ? 'stored data of' : 'erased data of'
  return {
    result: { isDryRun, ...counts },
    lines: [`${said} ${maskNumber(number)}:`, ...table(rowsOf(counts))],
  }
}

function rowsOf({
  messages,
  media,
  deliveries,
  listed,
  peers,
  optOuts,
  simulated,
  named,
}: PersonCounts): string[][] {
  const rows: [string, number][] = [
    ['messages', messages],
    ['media', media],
    ['event deliveries', deliveries],
    ['rows of text lists', listed],
    ['lines in contact with the number', peers],
    ['opt-outs (kept)', optOuts],
    ['texts on the phone simulator', simulated],
    ['users who have them as a contact', named],
  ]
  return rows.map(([what, count]) => [`  ${what}`, String(count)])
}
