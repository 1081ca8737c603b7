import type { Middleware } from 'koa'
import type { VNode } from 'preact'
import { findFirstSteps } from '../../../../database/lines/first-steps.js'
import { listLineHealth, type LineHealth } from '../../../../database/lines/line-health.js'
import type { OwnLine } from '../../../../database/lines/lines.js'
import type { Context } from '../../../../domain/context.js'
import { causesOfLine, groupCauses } from '../../../../domain/operating/causes.js'
import { getOwnLine } from '../../../../domain/lines/lines.js'
import { ActivityList } from '../../messages/activity/list.js'
import { lookAtActivity } from '../../messages/activity/look.js'
import { idOf } from '../../form-values.js'
import { Ago, Empty } from '../../form.js'
import { live } from '../../live.js'
import { Attention } from '../../attention.js'
import { pageOf, type Page } from '../../page.js'
import { PhoneNumber } from '../../messages/phone-number.js'
import { sessionOf } from '../../people/session.js'
import { Sparkline } from '../../sparkline.js'
import { FirstStepsLink } from '../start/steps.js'
import { linePath, tabPath } from './section.js'
import { lineTab } from './tab.js'

/** The number that fits beside the line's state. */
const RECENT = 8
/** All of it is of one line. */
const NO_NAMES = new Map<string, string>()

/** What happened lately, beside how the line does. */
export function showLine(context: Context): Middleware {
  return lineTab(context, 'overview', async (_ctx, view) => (
    <>
      <FirstStepsLink line={view.line} steps={await findFirstSteps(context.db, view.line.id)} />
      <div {...{ 'data-live': `${view.path}/live` }} hx-swap="innerMorph">
        {await now(context, view.page, view.line)}
      </div>
      <p>
        <a href={`${view.path}/export.zip`}>All of this line as a zip</a>
      </p>
    </>
  ))
}

/** @throws UserError 404, before anything is streamed */
export function liveLine(context: Context): Middleware {
  const stream = live(context, async (ctx) =>
    now(context, pageOf(ctx, context), await getOwnLine(context, sessionOf(ctx).userId, idOf(ctx, 'lineId'))),
  )
  return async (ctx, next) => {
    await getOwnLine(context, sessionOf(ctx).userId, idOf(ctx, 'lineId'))
    await stream(ctx, next)
  }
}

async function now(context: Context, page: Page, line: OwnLine): Promise<VNode> {
  const [recent, [health]] = await Promise.all([
    lookAtActivity(context, line.userId, { lineId: line.id }, { limit: RECENT }),
    listLineHealth(context.db, line.userId, line.id),
  ])
  return (
    <div class="halves">
      <section aria-labelledby="recent">
        <h2 id="recent">Recent activity</h2>
        {recent.activities.length === 0 ? (
          <Empty>Nothing yet: what the line sends and receives appears here by itself.</Empty>
        ) : (
          <ActivityList {...recent} zone={undefined} lineNames={NO_NAMES} />
        )}
        <p>
          <a href={`/console/activity?line=${line.id}`}>All activity of this line</a>
        </p>
      </section>
      <section aria-labelledby="state">
        <h2 id="state">State</h2>
        <State page={page} line={line} health={health} />
      </section>
    </div>
  )
}

/** @param props.health undefined: the line was added a moment ago */
function State({ page, line, health }: { page: Page; line: OwnLine; health: LineHealth | undefined }) {
  const needs = groupCauses(causesOfLine(line, health))
  return (
    <>
      {needs.length === 0 ? (
        <p class="muted">Everything is working.</p>
      ) : (
        <>
          <h3>Needs attention</h3>
          <Attention {...{ page, needs }} userId={line.userId} back={linePath(line.id)} />
        </>
      )}
      <dl class="pairs">
        <div>
          <dt>Number</dt>
          <dd>
            <PhoneNumber number={line.number} />
          </dd>
        </div>
        <div>
          <dt>Last activity</dt>
          <dd>{line.lastActivityAt === null ? 'none yet' : <Ago at={line.lastActivityAt} />}</dd>
        </div>
        {health?.endpoints[0] !== undefined && (
          <div>
            <dt>
              <a href={tabPath(line.id, 'receive')}>Events of 24 h</a>
            </dt>
            <dd>
              <Sparkline hours={health.hours} />
            </dd>
          </div>
        )}
      </dl>
    </>
  )
}
