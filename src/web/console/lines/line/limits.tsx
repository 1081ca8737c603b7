import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../../domain/context.js'
import { readLimits } from '../../../../domain/messages/limits.js'
import { idOf } from '../../form-values.js'
import { Time } from '../../form.js'
import { live } from '../../live.js'
import { LivePiece } from '../../parts/live-piece.js'
import type { MonthlyCap } from '../../../../domain/messages/spending/monthly-caps.js'
import { MonthlyCapBadge, spentWords } from '../../usage/words.js'
import { sessionOf } from '../../people/session.js'
import { UserText } from '../../user-text.js'
import { Section, type LineView } from './section.js'

type LimitsNow = LineView['limits']

/** Shows the use of the incoming webhook's windows, as gauges that keep themselves up to date. */
export function Limits({ view }: { view: LineView }) {
  return (
    <Section view={view} id="limits" title="Limits">
      <p>
        Messages accepted by the incoming webhook in the last 60 seconds. Requests over the limit are refused,
        and the Retry-After header says when to try again.
      </p>
      <LivePiece at={`${view.path}/limits/live`}>
        <Gauges limits={view.limits} isPortal={view.page.isPortal} />
      </LivePiece>
    </Section>
  )
}

/** @param props.isPortal true to hide everything about the user's other lines */
function Gauges({ limits, isPortal }: { limits: LimitsNow; isPortal: boolean }) {
  const { line, numbers } = limits
  const isShown = ({ of }: { of: string }) => !isPortal || of === 'line'
  const [caps, monthlyCaps] = [limits.caps.filter(isShown), limits.monthlyCaps.filter(isShown)]
  return (
    <>
      <Gauge {...line} />
      {numbers.map(({ number, ...allowance }) => (
        <Gauge key={number} {...allowance} to={number} />
      ))}
      {numbers.length === 0 && <p class="muted">No messages to individual numbers in the last 60 s.</p>}
      {caps.map((cap) => (
        <Cap key={cap.of} cap={cap} />
      ))}
      {monthlyCaps.map((cap) => (
        <MonthlyCapGauge key={cap.of} cap={cap} />
      ))}
    </>
  )
}

function Gauge({ to, limit, used, opensMs }: LimitsNow['line'] & { to?: string }) {
  const seconds = Math.max(1, Math.ceil(opensMs / 1000))
  const words = `${used} of ${limit} in the last 60 s ${to === undefined ? 'in total' : `to ${to}`}`
  const next = used === 0 ? '' : `${used >= limit ? 'limit reached, next slot' : 'next slot'} in ${seconds} s`
  return (
    <div class="gauge">
      <meter
        min={0}
        max={limit}
        low={limit * 0.6}
        high={limit - 0.5}
        optimum={0}
        value={used}
        aria-label={words}
      />
      <span>
        <UserText>{next === '' ? words : `${words}; ${next}`}</UserText>
      </span>
    </div>
  )
}

/** Shows an operator's daily segment cap; in red if it is nearly used up. */
function Cap({ cap: { of, segmentsPerDay, used, isNear, resetsAt } }: { cap: LimitsNow['caps'][number] }) {
  const whose = of === 'line' ? 'on this line' : 'on all your lines'
  const words = `${used} of ${segmentsPerDay} segments today ${whose}`
  return (
    <div class="gauge">
      <meter
        min={0}
        max={segmentsPerDay}
        low={segmentsPerDay * 0.6}
        high={segmentsPerDay * 0.8}
        optimum={0}
        value={used}
        aria-label={words}
      />
      <span>
        {isNear && <span class="badge bad">{used >= segmentsPerDay ? 'used up' : 'nearly used up'}</span>}{' '}
        {words}; resets <Time at={resetsAt} />
      </span>
    </div>
  )
}

/** Shows the same in money, for a month. */
function MonthlyCapGauge({ cap }: { cap: MonthlyCap }) {
  const [limit, spent] = [Number(cap.amount), Number(cap.spent)]
  const words = `${spentWords(cap)} ${cap.of === 'line' ? 'on this line' : 'on all your lines'}`
  return (
    <div class="gauge">
      <meter
        min={0}
        max={limit}
        low={limit * 0.6}
        high={limit * 0.8}
        optimum={0}
        value={spent}
        aria-label={words}
      />
      <span>
        <MonthlyCapBadge cap={cap} /> {words}; resets <Time at={cap.resetsAt} />
      </span>
    </div>
  )
}

export function liveLimits(context: Context): Middleware {
  const read = (ctx: KoaContext) => readLimits(context, sessionOf(ctx).userId, idOf(ctx, 'lineId'))
  return live(
    context,
    async (ctx) => <Gauges limits={await read(ctx)} isPortal={sessionOf(ctx).portalLineIds !== undefined} />,
    read,
  )
}
