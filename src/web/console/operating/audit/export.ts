import type { Context as KoaContext, Middleware } from 'koa'
import {
  isAuditLongerThan,
  readAudit,
  record,
  type AuditFilter,
  type ListedAuditRow,
} from '../../../../domain/operating/audit.js'
import { readAuditFilter, type WrittenAuditFilter } from '../../../../domain/operating/audit/filter.js'
import { asSeenBy, subjectKindOf } from '../../../../domain/operating/audit/describe.js'
import type { Context } from '../../../../domain/context.js'
import { UserError } from '../../../../errors.js'
import { actingFor } from '../../../actor.js'
import { answerDownload, csvOf, jsonLinesOf, mapped, requireRoomForDownload } from '../../../downloads.js'
import { sessionOf } from '../../people/session.js'
import { readWritten } from './filter.js'

/** A spreadsheet can still open a file of this size, about 50 MB. */
const MAX_ROWS = 100_000

type Format = 'csv' | 'jsonl'

/** Exports everything that matches the filter, for operators. */
export function exportAudit(format: Format) {
  return (context: Context): Middleware =>
    async (ctx) => {
      const { asked } = await readWritten(ctx, context)
      const filter = await readAuditFilter(context, asked)
      await requireBounded(ctx, context, filter)
      await record(actingFor(ctx, context), context.db, {
        action: 'audit_log.exported',
        userId: filter.userId ?? null,
        after: { format, ...textsOf(asked) },
      })
      answer(context, ctx, format, readAudit(context, filter))
    }
}

/** Exports the history of a user's own data. */
export function exportHistory(format: Format) {
  return (context: Context): Middleware =>
    async (ctx) => {
      const { userId } = sessionOf(ctx)
      const { action, from, until } = (await readWritten(ctx, context)).asked
      const filter = await readAuditFilter(context, { action, from, until, user: userId })
      await requireBounded(ctx, context, filter)
      answer(context, ctx, format, seenBy(userId, readAudit(context, filter)))
    }
}

/** @throws UserError 413, so that the user learns immediately that the file would not be whole */
async function requireBounded(ctx: KoaContext, context: Context, filter: AuditFilter): Promise<void> {
  requireRoomForDownload(ctx)
  if (!(await isAuditLongerThan(context, filter, MAX_ROWS))) return
  throw new UserError(
    `This is more than ${MAX_ROWS} rows. Choose a shorter time range with from and until, or add filters`,
    413,
  )
}

function answer(
  context: Context,
  ctx: KoaContext,
  format: Format,
  rows: AsyncIterable<ListedAuditRow>,
): void {
  const source = format === 'csv' ? csvOf(mapped(rows, flatten)) : jsonLinesOf(mapped(rows, withSubjectKind))
  answerDownload(context, ctx, { name: 'audit', ending: format, source })
}

async function* seenBy(userId: string, rows: AsyncIterable<ListedAuditRow>): AsyncGenerator<ListedAuditRow> {
  for await (const row of rows) yield asSeenBy(userId, row)
}

function flatten(row: ListedAuditRow): Record<string, unknown> {
  const { id, at, before, after, ...rest } = withSubjectKind(row)
  return {
    id,
    at: at.toISOString(),
    ...rest,
    before: before === null ? '' : JSON.stringify(before),
    after: after === null ? '' : JSON.stringify(after),
  }
}

function withSubjectKind(row: ListedAuditRow) {
  const { id, at, ...rest } = row
  return { id, at, subjectKind: subjectKindOf(row), ...rest }
}

function textsOf(asked: WrittenAuditFilter): Record<string, string> {
  return Object.fromEntries(
    Object.entries(asked).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : String(value)]],
    ),
  )
}
