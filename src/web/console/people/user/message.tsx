import type { Middleware } from 'koa'
import type { Context } from '../../../../domain/context.js'
import { getMessage } from '../../../../domain/messages/get-message.js'
import {
  hasPrivateAccess,
  openPrivateAccess,
  recordMessageView,
} from '../../../../domain/people/private-access.js'
import { getUser } from '../../../../domain/people/users.js'
import { actingFor } from '../../../actor.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Field, Form } from '../../form.js'
import { Layout } from '../../layout.js'
import { viewMessage } from '../../messages/message/page-model.js'
import { askedAttempt } from '../../messages/message/path.js'
import { MessageBody } from '../../messages/message/body.js'
import { answerPage, pageOf, type Act } from '../../page.js'
import { PageHead } from '../../parts/page-head.js'
import { USERS, userPath } from './path.js'

export function userMessagePath(userId: string, messageId: string): string {
  return `${userPath(userId)}/messages/${messageId}`
}

/** Shows operators another user's message, once they have given a reason. It can only be read here. */
export function showUserMessage(context: Context): Middleware {
  return async (ctx) => {
    const acting = actingFor(ctx, context)
    const user = await getUser(context, idOf(ctx, 'userId'))
    const messageId = idOf(ctx, 'messageId')
    const path = userMessagePath(user.id, messageId)
    const page = pageOf(ctx, context)
    if (!(await hasPrivateAccess(acting, user.id))) {
      await getMessage(context, user.id, messageId)
      answerPage(
        ctx,
        <Layout page={page} title="Message">
          <PageHead
            crumbs={[
              ['Users', USERS],
              [user.name, userPath(user.id)],
            ]}
            title="Private message"
            beside={<span class="muted">{user.email}</span>}
          />
          <p>
            Give a reason to open it. The reason is recorded in the audit log, where the user can see it. You
            can then view this user's messages for 30 minutes.
          </p>
          <Form page={page} action={`${path}/look`}>
            <Field name="reason" label="Reason" required more={{ maxLength: 300 }} />
            <button type="submit" class="primary">
              Show message
            </button>
          </Form>
        </Layout>,
      )
      return
    }
    const reader = { page, path, userId: user.id, isOwner: false }
    const view = await viewMessage(context, reader, messageId, askedAttempt(ctx))
    await recordMessageView(acting, { id: messageId, userId: user.id })
    answerPage(
      ctx,
      <Layout page={page} title="Message">
        <p class="muted">
          This message belongs to {user.email}. Your access is recorded in the{' '}
          <a href="/console/audit">audit log</a>.
        </p>
        <div class="way-page">
          <MessageBody {...view} />
        </div>
      </Layout>,
    )
  }
}

export function postLook(context: Context): Act {
  return async (ctx) => {
    const { id } = await getUser(context, idOf(ctx, 'userId'))
    const { id: messageId } = await getMessage(context, id, idOf(ctx, 'messageId'))
    await openPrivateAccess(context, id, fieldOf(ctx, 'reason'))
    return userMessagePath(id, messageId)
  }
}
