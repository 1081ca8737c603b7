import type { Context } from '../../../../domain/context.js'
import { listOptOuts, listPauses } from '../../../../domain/messages/opt-out/peers.js'
import { Time } from '../../form.js'
import { conversationPath } from '../../messages/conversation/path.js'
import { PhoneNumber } from '../../messages/phone-number.js'
import { Section, type LineView } from './section.js'

/** More would bury the page's other sections; `/v1` has the whole list. */
const SHOWN = 50

export interface OptOutsNow {
  /** One more than is shown if there are more. */
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

/** Lists the numbers that the line may not write to, or not now. */
export function OptOuts({ view, now: { optOuts, pauses, apiPath } }: { view: LineView; now: OptOutsNow }) {
  return (
    <Section view={view} id="opt-outs" title="Opt-outs">
      <p>
        Anyone who texts STOP gets no more messages from this line. Only they can undo it, by texting START.
      </p>
      {optOuts.length === 0 ? (
        <p class="muted">No opt-outs.</p>
      ) : (
        <Numbers
          lineId={view.line.id}
          word="since"
          rows={optOuts.slice(0, SHOWN).map(({ number, optedOutAt: at }) => ({ number, at }))}
        />
      )}
      {optOuts.length > SHOWN && (
        <p>
          There are more. Get the full list from the API at <code>{apiPath}</code>.
        </p>
      )}
      {pauses.length > 0 && (
        <>
          <h3>Paused</h3>
          <p>
            This looks like two machines replying to each other, so sending to these numbers is paused.
            Messages wait until the pause ends. Incoming ones still go to your server.
          </p>
          <Numbers
            lineId={view.line.id}
            word="until"
            rows={pauses.map(({ number, pausedUntil: at }) => ({ number, at }))}
          />
        </>
      )}
    </Section>
  )
}

function Numbers(props: {
  lineId: string
  word: 'since' | 'until'
  rows: readonly { number: string; at: Date }[]
}) {
  const { lineId, word, rows } = props
  return (
    <ul>
      {rows.map(({ number, at }) => (
        <li key={number}>
          <a href={conversationPath(lineId, number)}>
            <PhoneNumber number={number} />
          </a>{' '}
          <span class="muted">
            {word} <Time at={at} />
          </span>
        </li>
      ))}
    </ul>
  )
}
