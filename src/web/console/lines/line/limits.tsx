import type { Context as KoaContext, Middleware } from 'koa'
import type { ComponentChildren } from 'preact'
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
      <WindowGauge {...line} to="in total" />
      {numbers.map(({ number, ...allowance }) => (
        <WindowGauge key={number} {...allowance} to={`to ${number}`} />
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

/** It turns red only if the window is full, for then the next message is refused. */
function WindowGauge({ to, limit, used, opensMs }: LimitsNow['line'] & { to: string }) {
  const words = `${used} of ${limit} in the last 60 s ${to}`
  const seconds = Math.max(1, Math.ceil(opensMs / 1000))
  return (
    <Gauge max={limit} high={limit - 0.5} value={used} words={words}>
      <UserText>{used < limit ? words : `${words}; limit reached, next slot in ${seconds} s`}</UserText>
    </Gauge>
  )
}

/** Shows an operator's daily segment cap; in red if it is nearly used up. */
function Cap({ cap: { of, segmentsPerDay, used, isNear, resetsAt } }: { cap: LimitsNow['caps'][number] }) {
  const words = `${used} of ${segmentsPerDay} segments today ${WHOSE[of]}`
  return (
    <Gauge max={segmentsPerDay} value={used} words={words}>
      {isNear && <span class="badge bad">{used >= segmentsPerDay ? 'used up' : 'nearly used up'}</span>}{' '}
      {words}; resets <Time at={resetsAt} />
    </Gauge>
  )
}

/** Shows the same in money, for a month. */
function MonthlyCapGauge({ cap }: { cap: MonthlyCap }) {
  const words = `${spentWords(cap)} ${WHOSE[cap.of]}`
  return (
    <Gauge max={Number(cap.amount)} value={Number(cap.spent)} words={words}>
      <MonthlyCapBadge cap={cap} /> {words}; resets <Time at={cap.resetsAt} />
    </Gauge>
  )
}

const WHOSE = { line: 'on this line', user: 'on all your lines' }

/** @param props.high the value from which it is red; the default is at four fifths */
function Gauge(props: {
  max: number
  high?: number
  value: number
  words: string
  children: ComponentChildren
}) {
  const { max, high = max * 0.8, value, words, children } = props
  return (
    <div class="gauge">
      <meter min={0} max={max} low={max * 0.6} high={high} optimum={0} value={value} aria-label={words} />
      <span>{children}</span>
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
