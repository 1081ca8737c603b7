import { countryName } from '../../../../domain/messages/country-guard.js'
import { MAX_WAITING_COUNTED, tryLineMessagesNow } from '../../../../domain/messages/try-now.js'
import { pauseLine, pauseOf, resumeLine, type Pause } from '../../../../domain/operating/pauses.js'
import { ActButton, Time } from '../../form.js'
import { PauseSending } from '../../parts/pause-sending.js'
import { pauserOf, pauserWords } from '../../operating/pauser.js'
import { askedLine, lineAct } from './act.js'
import { Section, type LineView } from './section.js'

/**
 * Shows if the line is sending, and the switch for it.
 *
 * @param props.toTry the number of messages that wait until the carrier is tried again
 */
export function Sending({ view, toTry }: { view: LineView; toTry: number }) {
  const { page, line, path } = view
  const pause = pauseOf(line)
  const action = `${path}/sending/${pause === null ? 'pause' : 'resume'}`
  const mayResume = pause?.by === 'owner' || page.session?.role === 'operator'
  const tryAction = `${path}/sending/try-now`
  const offers = [...(pause === null || mayResume ? [action] : []), ...(toTry > 0 ? [tryAction] : [])]
  return (
    <Section view={view} id="sending" title="Sending" offers={offers}>
      {pause === null ? (
        <>
          <p>
            <span class="badge good">on</span> Messages go out as soon as rate limits allow.
          </p>
          <PauseSending page={page} action={action} />
        </>
      ) : (
        <Paused pause={pause} />
      )}
      {toTry > 0 && (
        <>
          <p>
            {toTry > MAX_WAITING_COUNTED ? `More than ${MAX_WAITING_COUNTED}` : toTry}{' '}
            {toTry === 1 ? 'message is' : 'messages are'} waiting to be retried.
          </p>
          <ActButton page={page} action={tryAction} label="Retry now" look="secondary" />
        </>
      )}
      {line.pausedCountries !== null && (
        <p class="fault">
          Messages to {line.pausedCountries.map(countryName).join(', ')} are refused because of a sudden rise
          in volume. Ask an operator to resume them.
        </p>
      )}
      {pause !== null && mayResume && <ActButton page={page} action={action} label="Resume sending" />}
    </Section>
  )
}

function Paused({ pause: { since, by } }: { pause: Pause }) {
  return (
    <p class="fault">
      Paused since <Time at={since} /> {pauserWords(by)}. New messages are accepted but wait.
      {by === 'operator' && ' Only an operator can resume it.'}
    </p>
  )
}

export const postPause = lineAct('sending-paused', async (context, _userId, _lineId, ctx) =>
  pauseLine(context, pauserOf(ctx), await askedLine(context, ctx)),
)

export const postResume = lineAct('sending-resumed', async (context, _userId, _lineId, ctx) =>
  resumeLine(context, pauserOf(ctx), await askedLine(context, ctx)),
)

export const postTryLineMessagesNow = lineAct('messages-tried-now', tryLineMessagesNow)
