import type { Context } from '../../../../domain/context.js'
import { getCarrierAccountById, type CarrierAccount } from '../../../../domain/carriers/carrier-accounts.js'
import {
  pauseCarrierAccount,
  resumeCarrierAccount,
  type Pauser,
} from '../../../../domain/operating/pauses.js'
import { idOf } from '../../form-values.js'
import { ActButton, Time } from '../../form.js'
import { withNotice, type Notice } from '../../notices.js'
import type { Act } from '../../page.js'
import { PauseSending } from '../../parts/pause-sending.js'
import { pauserOf } from '../../operating/pauser.js'
import { carrierPath, type CarrierView } from './page-model.js'

/** Shows if the account's lines are sending, and the switch for it. */
export function Sending({ view: { page, path, account } }: { view: CarrierView }) {
  const { pausedAt } = account
  return (
    <section id="sending" aria-labelledby="sending-title">
      <h2 id="sending-title">Sending</h2>
      {pausedAt === null ? (
        <>
          <p>
            <span class="badge good">on</span> Messages on its lines go out as soon as rate limits allow.
          </p>
          <PauseSending page={page} action={`${path}/sending/pause`} which=" on its lines" />
        </>
      ) : (
        <>
          <p class="fault">
            Paused since <Time at={pausedAt} />. New messages on its lines are accepted but wait.
          </p>
          <ActButton page={page} action={`${path}/sending/resume`} label="Resume sending" />
        </>
      )}
    </section>
  )
}

export const postCarrierPause = (context: Context) => change(context, pauseCarrierAccount, 'sending-paused')
export const postCarrierResume = (context: Context) =>
  change(context, resumeCarrierAccount, 'sending-resumed')

function change(
  context: Context,
  doChange: (context: Context, by: Pauser, account: CarrierAccount) => Promise<void>,
  notice: Notice,
): Act {
  return async (ctx) => {
    const account = await getCarrierAccountById(context, idOf(ctx, 'accountId'))
    await doChange(context, pauserOf(ctx), account)
    return `${withNotice(carrierPath(account.id), notice)}#sending`
  }
}
