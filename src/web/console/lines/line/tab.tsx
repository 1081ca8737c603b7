import type { Context as KoaContext, Middleware } from 'koa'
import type { VNode } from 'preact'
import { findConnection } from '../../../../database/lines/developer-connections.js'
import { listLineHealth } from '../../../../database/lines/line-health.js'
import { getConnection } from '../../../../domain/lines/connection-overview.js'
import type { Context } from '../../../../domain/context.js'
import { getEndpointWork } from '../../../../domain/endpoints/deliveries/endpoint-work.js'
import { readLimits } from '../../../../domain/messages/limits.js'
import { queryOf } from '../../form-values.js'
import { Layout } from '../../layout.js'
import { answerPage, pageOf } from '../../page.js'
import { askedLine } from './act.js'
import { Head } from './head.js'
import { isSaidInSection, linePath, TABS, tabPath, type LineView, type Tab } from './section.js'

const LABELS: Record<Tab, string> = {
  overview: 'Overview',
  conversations: 'Conversations',
  send: 'Send',
  receive: 'Receive',
  access: 'Access',
  danger: 'Danger',
}

/** The tabs that a portal session reaches. */
const PORTAL_TABS: readonly Tab[] = ['overview', 'conversations', 'send', 'receive']

/**
 * Makes one tab of a line's page, below the part that all tabs share.
 *
 * @param fill returns undefined if it has answered itself
 */
export function lineTab(
  context: Context,
  tab: Tab,
  fill: (ctx: KoaContext, view: LineView) => Promise<VNode | undefined>,
): Middleware {
  return async (ctx) => {
    const view = await loadView(context, ctx)
    const { line, done } = view
    const content = await fill(ctx, view)
    if (content === undefined) return
    const page = isSaidInSection(done) ? { ...view.page, notice: undefined } : view.page
    const title = tab === 'overview' ? line.name : `${LABELS[tab]} · ${line.name}`
    answerPage(
      ctx,
      <Layout page={page} title={title}>
        <div class="stack">
          <Head view={view} tab={tab} />
          <nav class="tabs" aria-label="This line">
            <ul>
              {(view.page.isPortal ? PORTAL_TABS : (Object.keys(TABS) as Tab[])).map((each) => (
                <li key={each}>
                  <a href={tabPath(line.id, each)} aria-current={each === tab ? 'page' : undefined}>
                    {LABELS[each]}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          {content}
        </div>
      </Layout>,
    )
  }
}

/** @throws UserError 404, also for another user's line */
async function loadView(context: Context, ctx: KoaContext): Promise<LineView> {
  const line = await askedLine(context, ctx)
  const { userId } = line
  const [connection, row, limits, [health]] = await Promise.all([
    getConnection(context, userId, line.id),
    findConnection(context.db, userId, line.id),
    readLimits(context, userId, line.id),
    listLineHealth(context.db, userId, line.id),
  ])
  const endpointId = row?.endpointId ?? null
  return {
    page: pageOf(ctx, context),
    line,
    connection,
    endpointId,
    work: endpointId === null ? undefined : await getEndpointWork(context, endpointId),
    limits,
    health,
    path: linePath(line.id),
    done: queryOf(ctx, 'done'),
  }
}
