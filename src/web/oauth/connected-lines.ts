import { listAuthorizedLines } from '../../database/applications/authorizations.js'
import { findClient } from '../../domain/applications/applications.js'
import type { Context } from '../../domain/context.js'

/**
 * The lines that a user has connected to an application, as the token's answer names them. Their events go to the
 * application's own webhook URL, which is the one that is shown: the user's own is private. The users of a public
 * application can read this answer, so it has only the origin.
 */
export async function presentConnectedLines(context: Context, clientId: string, userId: string) {
  const application = await findClient(context, clientId)
  if (application === undefined) return []
  const { kind, webhookUrl } = application
  const shownUrl = kind === 'public' && webhookUrl !== null ? new URL(webhookUrl).origin : webhookUrl
  const lines = await listAuthorizedLines(context.db, application.id, userId)
  return lines.map(({ id, name, number, status }) => ({
    id,
    name,
    phoneNumber: number,
    status,
    outgoing_webhook_url: shownUrl,
  }))
}
