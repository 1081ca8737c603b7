import type { Context as KoaContext, Middleware } from 'koa'
import {
  listAudit,
  recordView,
  type AuditFilter,
  type ListedAuditRow,
} from '../../../domain/operating/audit.js'
import { readAuditFilter, type WrittenAuditFilter } from '../../../domain/operating/audit/filter.js'
import { asSeenBy } from '../../../domain/operating/audit/describe.js'
import type { Context } from '../../../domain/context.js'
import { UserError } from '../../../errors.js'
import { actingFor } from '../../actor.js'
import { AuditFilterForm } from './audit/filter-form.js'
import { readWritten, writtenAuditFilter, type WrittenFilter } from './audit/filter.js'
import { AuditList } from './audit/list.js'
import { HISTORY, LOG } from './audit/paths.js'
import { Empty } from '../form.js'
import { Layout } from '../layout.js'
import { answerPage, pageOf } from '../page.js'
import { sessionOf } from '../people/session.js'
import { filterPath, zoneOf } from '../time-filter.js'
import { OlderPages } from '../parts/older-pages.js'

const PAGE_SIZE = 15

/** Shows operators the acts of all users. */
export function showAudit(context: Context): Middleware {
  return async (ctx) => {
    const found = await look(context, ctx, async (asked) => {
      const filter = await readAuditFilter(context, asked)
      await recordView(actingFor(ctx, context), 'audit_log.viewed', filter.userId ?? null)
      return filter
    })
    answerPage(
      ctx,
      <Layout page={pageOf(ctx, context)} title="Audit log" zone={zoneOf(found.written)}>
        <h1>Audit log</h1>
        <p>Every change, who made it, and from where. The log cannot be changed and contains no secrets.</p>
        <Found found={found} path={LOG} isOwn={false} />
      </Layout>,
    )
  }
}

/** Shows users the acts on their own data. */
export function showHistory(context: Context): Middleware {
  return async (ctx) => {
    const { userId } = sessionOf(ctx)
    const found = await look(context, ctx, async ({ action, from, until }) =>
      readAuditFilter(context, { action, from, until, user: userId }),
    )
    answerPage(
      ctx,
      <Layout page={pageOf(ctx, context)} title="Account history" zone={zoneOf(found.written)}>
        <h1>Account history</h1>
        <p>
          Changes to your lines, applications, tokens and sessions, by you and by others. If you do not
          recognize something, <a href="/console/settings#password">change your password</a>.
        </p>
        <Found
          found={{ ...found, rows: found.rows.map((row) => asSeenBy(userId, row)) }}
          path={HISTORY}
          isOwn
        />
      </Layout>,
    )
  }
}

interface FoundRows {
  rows: ListedAuditRow[]
  written: WrittenFilter
  /** The fault of the filter. */
  fault: string | undefined
  isFirst: boolean
  hasOlder: boolean
}

/** A fault that the sender can fix is shown at the form. */
async function look(
  context: Context,
  ctx: KoaContext,
  toFilter: (asked: WrittenAuditFilter) => Promise<AuditFilter>,
): Promise<FoundRows> {
  const written = writtenAuditFilter(ctx)
  const found = { rows: [], written, fault: undefined, isFirst: true, hasOlder: false }
  try {
    const { asked, before } = await readWritten(ctx, context)
    const filter = await toFilter(asked)
    const page = { limit: PAGE_SIZE + 1, before }
    const rows = await listAudit(context, filter, page)
    return {
      ...found,
      rows: rows.slice(0, PAGE_SIZE),
      isFirst: before === undefined,
      hasOlder: rows.length > PAGE_SIZE,
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    ctx.status = error.status
    return { ...found, fault: error.message }
  }
}

function Found({ found, path, isOwn }: { found: FoundRows; path: string; isOwn: boolean }) {
  const { rows, written, fault, isFirst, hasOlder } = found
  const last = rows.at(-1)
  return (
    <>
      <AuditFilterForm path={path} written={written} fault={fault} isOwn={isOwn} />
      {fault !== undefined ? null : last === undefined ? (
        <Empty>
          {isFirst ? 'No entries match this filter.' : 'No older entries.'} <a href={path}>Clear filters</a>.
        </Empty>
      ) : (
        <>
          <AuditList rows={rows} zone={zoneOf(written)} isOwn={isOwn} />
          <OlderPages
            newest={isFirst ? undefined : filterPath(path, written)}
            older={hasOlder ? filterPath(path, written, last.id) : undefined}
          />
          <p>
            Export these results: <a href={filterPath(`${path}.csv`, written)}>CSV</a>,{' '}
            <a href={filterPath(`${path}.jsonl`, written)}>JSON lines</a>.
          </p>
        </>
      )}
    </>
  )
}
