import { describeCause, type Cause, type CauseOf } from '../../domain/operating/causes.js'
import type { Need } from '../../domain/operating/overview/needs.js'
import { endpointPath } from './endpoints/path.js'
import { Ago, Form } from './form.js'
import { CureLink } from './operating/overview/cure-link.js'
import { Words } from './operating/overview/words.js'
import type { Page } from './page.js'
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
            <span class={`badge ${need.mood}`}>{need.code}</span>
            <span>
              <Words>{need.text}</Words>
            </span>
            <CureLink page={page} cure={need.cure} userId={userId} />
          </li>
        ),
      )}
    </ul>
  )
}

function Row({ cause, ...rest }: { page: Page; cause: Cause; userId: string; back: string }) {
  const { mood, code, since, failureCount, count, whose } = cause
  const more = count - whose.length
  const list = (
    <ul>
      {whose.map((each) => (
        <Whose key={each.name} each={each} {...rest} />
      ))}
      {more > 0 && <li class="muted">and {more} more</li>}
    </ul>
  )
  return (
    <li class={mood}>
      <span class={`badge ${mood}`}>{code}</span>
      <div>
        <strong>{describeCause(cause)}</strong>{' '}
        <small class="muted">
          {since !== null && (
            <>
              Started <Ago at={since} />
            </>
          )}
          {failureCount > 0 && ` · ${failureCount === 1 ? '1 failure' : `${failureCount} failures in a row`}`}
        </small>
      </div>
      <div class="whose">
        {count <= NAMED ? (
          list
        ) : (
          <details>
            <summary>Show all</summary>
            {list}
          </details>
        )}
      </div>
    </li>
  )
}

function Whose({ page, each, userId, back }: { page: Page; each: CauseOf; userId: string; back: string }) {
  const { name, owner, cure, waitingAt } = each
  return (
    <li>
      <UserText>{name}</UserText> {owner !== undefined && <span class="muted">of {owner}</span>}{' '}
      <CureLink page={page} cure={cure} userId={userId} />{' '}
      {waitingAt !== undefined && (
        <Form page={page} action={`${endpointPath(waitingAt)}/try-now`} class="inline">
          <input type="hidden" name="back" value={back} />
          <button type="submit">Retry now</button>
        </Form>
      )}
    </li>
  )
}
