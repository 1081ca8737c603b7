import type { Context as KoaContext, Middleware } from 'koa'
import { getCarrierAccountOverview } from '../../../../domain/carriers/accounts/overview.js'
import type { ListedCarrierAccount } from '../../../../domain/carriers/carrier-accounts.js'
import { viewPhones } from '../../../../domain/carriers/accounts/phones.js'
import { viewSessions, type ListedSessions } from '../../../../domain/carriers/accounts/sessions.js'
import type { Context } from '../../../../domain/context.js'
import { idOf } from '../../form-values.js'
import { Ago, Time } from '../../form.js'
import { live } from '../../live.js'
import { LivePiece } from '../../parts/live-piece.js'
import type { CarrierView } from './page-model.js'

/** Shows the sessions or phones of an account that has some. The section keeps itself up to date. */
export function Sessions({ view: { path, account } }: { view: CarrierView }) {
  if (account.sessions === null && !account.hasPhones) return null
  return (
    <section id="sessions" aria-labelledby="sessions-title">
      <h2 id="sessions-title">{account.hasPhones ? 'Phone' : 'Sessions'}</h2>
      <LivePiece at={`${path}/live`}>
        <Connection account={account} />
      </LivePiece>
    </section>
  )
}

function SessionsNow({ sessions }: { sessions: ListedSessions | null }) {
  if (sessions === null) return <span class="muted">None needed</span>
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

/** Shows the state of its sessions, or of its phones. */
export function Connection({ account }: { account: ListedCarrierAccount }) {
  return account.hasPhones ? <PhonesNow account={account} /> : <SessionsNow sessions={account.sessions} />
}

function PhonesNow({ account }: { account: ListedCarrierAccount }) {
  const phones = viewPhones(account)
  if (phones.length === 0) return <span class="muted">No contact with the phone yet</span>
  return phones.map(({ id, battery, isAway, contactAt }) => (
    <p key={id}>
      {isAway && (
        <>
          <span class="badge bad">offline</span>{' '}
        </>
      )}
      {phones.length > 1 && `${id}: `}
      {battery !== '' && `${battery}; `}last contact <Ago at={contactAt} />
    </p>
  ))
}

export function liveCarrier(context: Context): Middleware {
  const load = async (ctx: KoaContext) =>
    (await getCarrierAccountOverview(context, idOf(ctx, 'accountId'))).account
  return live(context, async (ctx) => <Connection account={await load(ctx)} />, load)
}
