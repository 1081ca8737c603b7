import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { sendDeliveryAgain } from '../../../domain/endpoints/deliveries/send-again.js'
import { tryDeliveryNow } from '../../../domain/endpoints/deliveries/try-now.js'
import { getMessage } from '../../../domain/messages/get-message.js'
import { cancelMessage, rescheduleMessage } from '../../../domain/messages/scheduling.js'
import { sendMessageAgain } from '../../../domain/messages/send-again.js'
import { tryMessageNow } from '../../../domain/messages/try-now.js'
import { UserError } from '../../../errors.js'
import { backOf, fieldOf, idOf, queryOf } from '../form-values.js'
import { Layout } from '../layout.js'
import { live } from '../live.js'
import { LivePiece } from '../parts/live-piece.js'
import { viewMessage, type MessageView } from './message/page-model.js'
import { attemptQuery } from './message/opened-attempt.js'
import { askedAttempt, messagePath } from './message/path.js'
import { MessageBody } from './message/body.js'
import { withNotice } from '../notices.js'
import { answerPage, pageOf, type Act } from '../page.js'
import { readSendTime } from './send-time.js'
import { sessionOf } from '../people/session.js'

/** Shows the whole history of a message, from the first request to the last attempt. It keeps itself up to date. */
export function showMessage(context: Context): Middleware {
  return async (ctx) => {
    const view = await viewOf(context, ctx, fieldOf(ctx, 'key'))
    const { page, opened, key } = view
    const query = opened === undefined ? '' : `&${attemptQuery(opened)}`
    const path = `${view.path}/live?key=${key}${query}`
    answerPage(
      ctx,
      <Layout page={page} title="Message">
        {/* With a form's fault on it the page is not live, so that the fault stays until the reader continues. */}
        <LivePiece class="way-page" at={page.fault === undefined ? path : undefined}>
          <MessageBody {...view} />
        </LivePiece>
      </Layout>,
    )
  }
}

export function liveMessage(context: Context): Middleware {
  return live(
    context,
    async (ctx) => <MessageBody {...await viewOf(context, ctx, queryOf(ctx, 'key'))} />,
    (ctx) => getMessage(context, sessionOf(ctx).userId, idOf(ctx, 'messageId')),
  )
}

/** The form's key serves once: a second press of its button finds the message that the first one made. */
export function postSendMessageAgain(context: Context): Act {
  return async (ctx) => {
    const { userId } = sessionOf(ctx)
    const again = await sendMessageAgain(
      context,
      userId,
      idOf(ctx, 'messageId'),
      fieldOf(ctx, 'key'),
      'console',
    )
    return withNotice(backOf(ctx) ?? messagePath(again.id), 'sent-again')
  }
}

export function postCancel(context: Context): Act {
  return async (ctx) => {
    const { id } = await cancelMessage(context, sessionOf(ctx).userId, idOf(ctx, 'messageId'))
    return withNotice(messagePath(id), 'cancelled')
  }
}

export function postReschedule(context: Context): Act {
  return async (ctx) => {
    const sendAt = readSendTime(ctx)
    if (sendAt === undefined) throw new UserError('Enter the date and time to send it')
    const { id } = await rescheduleMessage(context, sessionOf(ctx).userId, idOf(ctx, 'messageId'), sendAt)
    return withNotice(messagePath(id), 'rescheduled')
  }
}

export function postSendDeliveryAgain(context: Context): Act {
  return async (ctx) => {
    const { messageId } = await sendDeliveryAgain(context, sessionOf(ctx).userId, idOf(ctx, 'deliveryId'))
    return withNotice(backOf(ctx) ?? messagePath(messageId ?? idOf(ctx, 'messageId')), 'tried-now')
  }
}

export function postTryMessageNow(context: Context): Act {
  return async (ctx) => {
    const { id } = await tryMessageNow(context, sessionOf(ctx).userId, idOf(ctx, 'messageId'))
    return withNotice(messagePath(id), 'tried-now')
  }
}

export function postTryDeliveryNow(context: Context): Act {
  return async (ctx) => {
    await tryDeliveryNow(context, sessionOf(ctx).userId, idOf(ctx, 'deliveryId'))
    return withNotice(backOf(ctx) ?? messagePath(idOf(ctx, 'messageId')), 'tried-now')
  }
}

function viewOf(context: Context, ctx: KoaContext, key: string): Promise<MessageView> {
  const messageId = idOf(ctx, 'messageId')
  const path = messagePath(messageId)
  const reader = { page: pageOf(ctx, context), path, userId: sessionOf(ctx).userId, isOwner: true }
  return viewMessage(context, reader, messageId, { key, ...askedAttempt(ctx) })
}
