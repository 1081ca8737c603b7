import { describeCause, type Cause, type CauseOf } from '../../domain/operating/causes.js'
import type { Need } from '../../domain/operating/overview/needs.js'
import { endpointPath } from './endpoints/path.js'
import { ActButton, Ago } from './form.js'
import { PhoneNumber } from './messages/phone-number.js'
import { CureLink } from './operating/overview/cure-link.js'
import { Words } from './parts/words.js'
import type { Page } from './page.js'
import { MoodBadge } from './status.js'
import { UserText } from './user-text.js'

/** This many equal ones are named before they are folded. */
const NAMED = 3

/**
 * Lists everything that does not end by itself, one row per cause: what it is, since when, how often, for whom, and
 * where it is fixed.
 *
 * @param props.back the page to return to after "Retry now"
 */
export function Attention(props: {
  page: Page
  needs: readonly (Cause | Need)[]
  userId: string
  back: string
}) {
  const { page, needs, userId, back } = props
  return (
    <ul class="needs">
      {needs.map((need) =>
        'noun' in need ? (
          <Row key={describeCause(need)} {...{ page, userId, back }} cause={need} />
        ) : need.cause !== undefined ? (
          <Row key={need.text} {...{ page, userId, back }} cause={need.cause} />
        ) : (
          <li key={need.text} class={need.mood}>
            <MoodBadge mood={need.mood} code={need.code} />
            <div>
              <Words>{need.text}</Words>
            </div>
            <div class="act">
              <CureLink page={page} cure={need.cure} userId={userId} />
            </div>
          </li>
        ),
      )}
    </ul>
  )
}

type Here = { page: Page; userId: string; back: string }

function Row({ cause, ...here }: Here & { cause: Cause }) {
  const { mood, code, since, failureCount, count, noun, isSaidByCode, whose } = cause
  const [first] = whose
  const hosts = [...new Set(whose.map(({ host }) => host))]
  const more = [
    ...(isSaidByCode ? [] : [describeCause(cause)]),
    ...(hosts.length === 1 && hosts[0] !== undefined && hosts[0] !== first?.name ? hosts : []),
    ...(count === 1 && first?.owner !== undefined ? [first.owner] : []),
  ]
  return (
    <li class={mood}>
      <MoodBadge mood={mood} code={code} />
      <div>
        <strong>
          {count > NAMED
            ? `${count} ${noun[1]}`
            : whose.map((each, n) => (
                <>
                  {n > 0 && ', '}
                  <Name {...here} each={each} isLinked={count > 1 || each.waitingAt !== undefined} />
                </>
              ))}
        </strong>
        {more.length > 0 && <small>{more.join(' · ')}</small>}
      </div>
      <small class="since">
        {since !== null && (
          <>
            Started <Ago at={since} />
          </>
        )}
        {failureCount > 0 && (
          <span>{failureCount === 1 ? '1 failure' : `${failureCount} failures in a row`}</span>
        )}
      </small>
      <div class="act">
        {count === 1 && first !== undefined ? (
          <ActOn {...here} each={first} />
        ) : (
          <All {...here} cause={cause} />
        )}
      </div>
    </li>
  )
}

/** Lists everything that has the same cause, each with its act. */
function All({ cause: { count, whose }, ...here }: Here & { cause: Cause }) {
  const more = count - whose.length
  return (
    <details>
      <summary>{count > NAMED ? 'Show all' : 'Show'}</summary>
      <ul>
        {whose.map((each) => (
          <li key={each.name}>
            <Name {...here} each={each} isLinked={each.waitingAt !== undefined} />{' '}
            {each.owner !== undefined && <span class="muted">of {each.owner}</span>}{' '}
            <ActOn {...here} each={each} />
          </li>
        ))}
        {more > 0 && <li class="muted">and {more} more</li>}
      </ul>
    </details>
  )
}

/** A name is linked where the act beside it does not lead to the same page. */
function Name({ page, userId, each, isLinked }: Here & { each: CauseOf; isLinked: boolean }) {
  const name = each.name.startsWith('+') ? (
    <PhoneNumber number={each.name} />
  ) : (
    <UserText>{each.name}</UserText>
  )
  if (!isLinked) return name
  return (
    <CureLink page={page} cure={each.cure} userId={userId}>
      {name}
    </CureLink>
  )
}

/** Retries from here if events are waiting; otherwise it links to where the cause is fixed. */
function ActOn({ page, userId, back, each: { cure, waitingAt } }: Here & { each: CauseOf }) {
  if (waitingAt === undefined) return <CureLink page={page} cure={cure} userId={userId} />
  return (
    <ActButton
      page={page}
      action={`${endpointPath(waitingAt)}/try-now`}
      label="Retry now"
      fields={{ back }}
    />
  )
}
