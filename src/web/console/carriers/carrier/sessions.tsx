import type { Middleware } from 'koa'
import { getCarrierAccountOverview } from '../../../../domain/carriers/accounts/overview.js'
import { viewSessions, type CarrierSessions } from '../../../../domain/carriers/accounts/sessions.js'
import type { Context } from '../../../../domain/context.js'
import { idOf } from '../../form-values.js'
import { Time } from '../../form.js'
import { live } from '../../live.js'
import type { CarrierView } from './page-model.js'

/** The sessions of an account that has some. The section keeps itself up to date. */
export function Sessions({ view: { path, account } }: { view: CarrierView }) {
  if (account.sessions === null) return null
  return (
    <section id="sessions" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      <div {...{ 'data-live': `${path}/live` }} hx-swap="innerMorph">
        <SessionsNow sessions={account.sessions} />
      </div>
    </section>
  )
}

export function SessionsNow({ sessions }: { sessions: CarrierSessions | null }) {
  if (sessions === null) return <span class="muted">none needed</span>
  const { isWhole, words, since, lastError } = viewSessions(sessions)
  return (
    <>
      <span class={`badge ${isWhole ? 'good' : 'bad'}`}>{words}</span>{' '}
      {since !== undefined && (
        <span class="muted">
          since <Time at={since} />
        </span>
      )}
      {lastError !== undefined && (
        <p class={isWhole ? 'muted' : ''}>
          Last error: {lastError.text}{' '}
          <span class="muted">
            (<Time at={lastError.at} />)
          </span>
        </p>
      )}
    </>
  )
}

export function liveCarrier(context: Context): Middleware {
  const load = async (id: string) => (await getCarrierAccountOverview(context, id)).account
  const stream = live(context, async (ctx) => (
    <SessionsNow sessions={(await load(idOf(ctx, 'accountId'))).sessions} />
  ))
  return async (ctx, next) => {
    // An unknown account is refused here, because nobody can be told once the stream has begun.
    await load(idOf(ctx, 'accountId'))
    await stream(ctx, next)
  }
}
