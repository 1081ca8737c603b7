import type { Context } from '../../../../domain/context.js'
import { listOptOuts, listPauses } from '../../../../domain/messages/opt-out/peers.js'
import { Time } from '../../form.js'
import { conversationPath } from '../../messages/conversation/path.js'
import { PhoneNumber } from '../../messages/phone-number.js'
import { Section, type LineView } from './section.js'

/** The section is one of many on its page; `/v1` has the whole list. */
const SHOWN = 50

export interface OptOutsNow {
  /** One more than is shown when there are more. */
  optOuts: Awaited<ReturnType<typeof listOptOuts>>
  pauses: Awaited<ReturnType<typeof listPauses>>
  /** The path at which programs get all of them, in the product word. */
  apiPath: string
}

export async function loadOptOuts(context: Context, { userId, id }: LineView['line']): Promise<OptOutsNow> {
  const [optOuts, pauses] = await Promise.all([
    listOptOuts(context, userId, id, { limit: SHOWN + 1 }),
    listPauses(context, userId, id),
  ])
  const apiPath = `${context.vocabulary.path('/v1/lines/{lineId}').replace(/\{\w+\}/, id)}/opt-outs`
  return { optOuts, pauses, apiPath }
}

/** Which numbers the line may not write to, or not now. */
export function OptOuts({ view, now: { optOuts, pauses, apiPath } }: { view: LineView; now: OptOutsNow }) {
  return (
    <Section view={view} id="opt-outs" title="Opt-outs">
      <p>
        Who texts STOP to this line gets nothing more from it. Nobody here can undo that: only the person can,
        by texting START.
      </p>
      {optOuts.length === 0 ? (
        <p class="muted">No number has opted out.</p>
      ) : (
        <ul>
          {optOuts.slice(0, SHOWN).map(({ number, optedOutAt }) => (
            <li key={number}>
              <a href={conversationPath(view.line.id, number)}>
                <PhoneNumber number={number} />
              </a>{' '}
              <span class="muted">
                since <Time at={optedOutAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {optOuts.length > SHOWN && (
        <p>
          There are more: programs get all of them at <code>{apiPath}</code>.
        </p>
      )}
      {pauses.length > 0 && (
        <>
          <h3>Paused</h3>
          <p>
            The line and these numbers answered each other so fast that no person can have been at it. What is
            to be sent waits for the end of the pause; what comes in goes to your server as always.
          </p>
          <ul>
            {pauses.map(({ number, pausedUntil }) => (
              <li key={number}>
                <a href={conversationPath(view.line.id, number)}>
                  <PhoneNumber number={number} />
                </a>{' '}
                <span class="muted">
                  until <Time at={pausedUntil} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}
