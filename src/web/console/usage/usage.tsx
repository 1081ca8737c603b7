import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { listOwnLines } from '../../../domain/lines/lines.js'
import { flattenUsage, readMonths, readUsage } from '../../../domain/messages/spending/usage.js'
import { getUser } from '../../../domain/people/users.js'
import { refusalOf, UserError } from '../../../errors.js'
import { answerDownload, csvOf, requireRoomForDownload } from '../../downloads.js'
import { Empty, Refusal } from '../form.js'
import { idOf, queryOf } from '../form-values.js'
import { Layout } from '../layout.js'
import { answerPage, pageOf } from '../page.js'
import { reachedOf } from '../portal/gate.js'
import { sessionOf } from '../people/session.js'
import { filterPath } from '../time-filter.js'
import { UsageTable } from './table.js'

const PATH = '/console/usage'

/** Shows the reader's lines' sending, and its cost, by month. */
export function showUsage(context: Context): Middleware {
  return async (ctx) => {
    const { userId } = sessionOf(ctx)
    const written = writtenMonths(ctx)
    const months = await Promise.resolve()
      .then(() => readMonths(written))
      .catch(refusalOf)
    const lines = reachedOf(ctx, await listOwnLines(context, userId), ({ id }) => id)
    const fault = months instanceof UserError ? months : undefined
    const usage =
      months instanceof UserError
        ? []
        : await readUsage(context, userId, { ...months, lineIds: sessionOf(ctx).portalLineIds })
    if (fault !== undefined) ctx.status = fault.status
    answerPage(
      ctx,
      <Layout page={pageOf(ctx, context)} title="Usage">
        <h1>Usage</h1>
        <search aria-label="Months">
          <form method="get" action={PATH} class="filter">
            <Refusal fault={fault?.message} />
            <label>
              From
              <input {...MONTH} name="from" value={written.from ?? ''} />
            </label>
            <label>
              Until
              <input {...MONTH} name="until" value={written.until ?? ''} />
            </label>
            <button type="submit">Show</button>
          </form>
        </search>
        {fault !== undefined ? null : usage.length === 0 ? (
          <Empty>Nothing was sent in these months. Usage is counted by line and month.</Empty>
        ) : (
          <UsageTable usage={usage} lines={lines}>
            Months are in UTC. Prices come from the carrier, sometimes hours later.{' '}
            <a href={filterPath(`${PATH}.csv`, written)}>Download CSV</a>
          </UsageTable>
        )}
      </Layout>,
    )
  }
}

/** This is not the browser's own field for months, which not all browsers have. */
const MONTH = { type: 'text', placeholder: 'YYYY-MM', pattern: '20\\d\\d-\\d\\d', size: 8 } as const

export function exportUsage(context: Context): Middleware {
  return (ctx) => answerUsage(ctx, context, sessionOf(ctx).userId)
}

/** Exports one user's usage, for operators. */
export function exportUserUsage(context: Context): Middleware {
  return async (ctx) => answerUsage(ctx, context, (await getUser(context, idOf(ctx, 'userId'))).id)
}

async function answerUsage(ctx: KoaContext, context: Context, userId: string): Promise<void> {
  requireRoomForDownload(ctx)
  const months = readMonths(writtenMonths(ctx))
  const lines = await listOwnLines(context, userId)
  const numbers = new Map(lines.map(({ id, number }) => [id, number]))
  const usage = flattenUsage(
    await readUsage(context, userId, { ...months, lineIds: sessionOf(ctx).portalLineIds }),
  )
  const rows = usage.map(({ month, lineId, ...row }) => ({
    month,
    lineId,
    lineNumber: numbers.get(lineId),
    ...row,
  }))
  answerDownload(context, ctx, { name: 'usage', ending: 'csv', source: csvOf(rows) })
}

function writtenMonths(ctx: KoaContext): { from?: string; until?: string } {
  const [from, until] = [queryOf(ctx, 'from').trim(), queryOf(ctx, 'until').trim()]
  return { ...(from === '' ? {} : { from }), ...(until === '' ? {} : { until }) }
}
