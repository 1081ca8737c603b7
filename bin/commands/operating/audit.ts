import type { Command } from 'commander'
import { listAudit, recordView, type ListedAuditRow } from '../../../src/domain/operating/audit.js'
import { readAuditFilter } from '../../../src/domain/operating/audit/filter.js'
import {
  describeAction,
  describeActor,
  changesOf,
  type Change,
} from '../../../src/domain/operating/audit/describe.js'
import { run } from '../../run.js'
import { wholeNumberBetween } from '../../whole-number.js'
import { moment, TIMES } from '../list-options.js'

const MAX_LIMIT = 10_000

interface AuditOptions {
  actor?: string
  action?: string
  subject?: string
  user?: string
  from?: Date
  until?: Date
  limit: number
  json?: boolean
  csv?: boolean
}

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('list who did what, newest first')
    .option('--actor <user>', 'who did it: an email address or an ID')
    .option('--action <action>', 'one action, such as line.renamed, or a group such as line')
    .option('--subject <thing>', "what it was done to: an ID, a line's number or an email address")
    .option('--user <user>', 'the owner: an email address or an ID')
    .option('--from <time>', `start: ${TIMES}`, moment)
    .option('--until <time>', 'end', moment)
    .option('--limit <count>', `the maximum number, up to ${MAX_LIMIT}`, wholeNumberBetween(1, MAX_LIMIT), 50)
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
    .action(({ limit, json = false, csv = false, ...asked }: AuditOptions) =>
      run({ json, csv }, async (context) => {
        const filter = await readAuditFilter(context, asked)
        await recordView(context, 'audit_log.viewed', filter.userId ?? null)
        const rows = await listAudit(context, filter, { limit })
        return { result: rows, lines: rows.length === 0 ? ['No entries match.'] : rows.map(lineOf) }
      }),
    )
}

function lineOf(row: ListedAuditRow): string {
  const subject = row.subjectName ?? row.subjectId
  const what = `${describeActor(row)} ${describeAction(row)}${subject === null ? '' : `: ${subject}`}`
  const changes = changesOf(row).map(inOneLine).join('; ')
  const from = row.address === null ? '' : `  from ${row.address}`
  return `${row.at.toISOString()}  ${row.action}  ${what}${changes === '' ? '' : ` (${changes})`}${from}`
}

function inOneLine({ name, before, after }: Change): string {
  if (before === undefined) return `${name}: ${after ?? ''}`
  return after === undefined ? `${name} was ${before}` : `${name}: ${before} → ${after}`
}
