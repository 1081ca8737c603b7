import * as yup from 'yup'
import {
  disableConnection,
  disconnect,
  enableConnection,
  getConnection,
  setOutgoingUrl,
} from '../../domain/connections.js'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { readFields } from '../fields.js'
import { onOwn } from './own.js'

const change = yup.object({
  enabled: yup.boolean().strict().typeError('enabled must be true or false'),
  outgoingWebhookUrl: yup
    .string()
    .strict()
    .nullable()
    .typeError('outgoingWebhookUrl must be a URL, or null to take it away'),
})

/** Of a line that was never connected everything is empty, so that there is always something to show. */
export const getLineConnection = onOwn('line', (context, { userId, id }) =>
  presentConnection(context, userId, id),
)

/**
 * `{"enabled","outgoingWebhookUrl"}`, or one of them; what is left out stays. Enabling comes before a URL and
 * disabling after one, because a URL can be set only while the connection is enabled (spec §3).
 *
 * @throws UserError 400, 404, 409
 */
export const putLineConnection = onOwn('line', async (context, { userId, id, ctx }) => {
  const { enabled, outgoingWebhookUrl: url } = await readFields(change, ctx.request.body)
  if (enabled === undefined && url === undefined) {
    throw new UserError('give enabled, outgoingWebhookUrl or both')
  }
  const current = await getConnection(context, userId, id)
  if (url != null) await requireUsable(context, url, enabled ?? current.enabled)

  if (enabled === true) await enableConnection(context, userId, id)
  if (url !== undefined && url !== current.outgoingWebhookUrl) {
    await setOutgoingUrl(context, userId, id, url ?? undefined)
  }
  if (enabled === false && current.enabled) await disableConnection(context, userId, id)
  return presentConnection(context, userId, id)
})

/** Disconnects, which deletes the incoming webhook; answers what is left. */
export const deleteLineConnection = onOwn('line', async (context, { userId, id }) => {
  await disconnect(context, userId, id)
  return presentConnection(context, userId, id)
})

export async function presentConnection(context: Context, userId: string, lineId: string) {
  return { [context.vocabulary.idField]: lineId, ...(await getConnection(context, userId, lineId)) }
}

/** Before anything is changed: a request that is refused changes nothing. */
async function requireUsable({ safeFetch }: Context, url: string, willBeEnabled: boolean): Promise<void> {
  if (!willBeEnabled) {
    throw new UserError(
      'outgoingWebhookUrl can be set only while the connection is enabled: enable it too',
      409,
    )
  }
  const fault = await safeFetch.explainUrl(url)
  if (fault !== undefined) throw new UserError(`outgoingWebhookUrl: ${fault}`)
}
