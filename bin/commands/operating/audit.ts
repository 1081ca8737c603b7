import { InvalidArgumentError, type Command } from 'commander'
import { listAudit, recordView, type ListedAuditRow } from '../../../src/domain/operating/audit.js'
import { readAuditFilter } from '../../../src/domain/operating/audit/filter.js'
import {
  describeAction,
  describeActor,
  changesOf,
  type Change,
} from '../../../src/domain/operating/audit/describe.js'
import { missingDayOf, parseDay, parseMoment } from '../../../src/kit/text/moments.js'
import { run } from '../../run.js'

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
    .option('--from <time>', 'start, such as 2026-11-21 or 2026-11-21T13:00:00Z', moment)
    .option('--until <time>', 'end', moment)
    .option('--limit <count>', `the maximum number, up to ${MAX_LIMIT}`, limit, 50)
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

function moment(written: string): Date {
  const day = parseDay(written)
  const at = Number.isNaN(day) ? parseMoment(written) : day
  if (Number.isNaN(at) || at < 0) {
    const wanted = 'It must be a time such as 2026-11-21 or 2026-11-21T13:00:00Z'
    throw new InvalidArgumentError(`${wanted}${missingDayOf(written)}.`)
  }
  return new Date(at)
}

function limit(written: string): number {
  const count = /^\d{1,6}$/.test(written) ? Number(written) : NaN
  if (count >= 1 && count <= MAX_LIMIT) return count
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`)
}
