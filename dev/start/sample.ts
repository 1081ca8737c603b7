import { transaction } from '../../src/database/connection.js'
import { findConnection } from '../../src/database/lines/developer-connections.js'
import { hasUsers, listUsers, updateRole } from '../../src/database/people/users.js'
import { enableConnection, setLineEndpointUrl } from '../../src/domain/lines/connections.js'
import type { Context } from '../../src/domain/context.js'
import { createIncomingWebhook, revealIncomingWebhook } from '../../src/domain/lines/incoming-webhooks.js'
import { addLine, getAnyLine } from '../../src/domain/lines/lines.js'
import { revealSigningSecret } from '../../src/domain/endpoints/signing-secrets.js'
import { addUser } from '../../src/domain/people/users.js'
import { UserError } from '../../src/errors.js'
import { SecretUnreadable } from '../../src/secrets.js'

const SAMPLE_NUMBER = '+15005550100'

export interface Sample {
  number: string
  webhookUrl: string | undefined
  signingSecret: string | undefined
}

/**
 * Makes a sample, so that a first start has something to show: an operator, a line at the simulator, its incoming
 * webhook, and an outgoing URL that leads to `dev/start/receiver.ts`. Later starts only change the receiver's port.
 *
 * @returns undefined if there is no sample line
 */
export async function prepareSample(
  context: Context,
  receiverUrl: string,
  formerReceiverUrl: string,
): Promise<Sample | undefined> {
  // It is made as a whole: the start may be killed in the middle, and the next one must not take a part for all of it.
  if (!(await hasUsers(context.db))) {
    await transaction(context.db, (trx) => createSample({ ...context, db: trx }, receiverUrl))
  }
  const line = await getAnyLine(context, SAMPLE_NUMBER).catch((error: unknown) => {
    if (error instanceof UserError) return undefined
    throw error
  })
  if (line === undefined) return undefined
  // A sample that was made before Linehook had operators has no operator.
  const users = await listUsers(context.db)
  if (users.every(({ role }) => role === 'user')) await updateRole(context.db, line.userId, 'operator')
  const connection = await findConnection(context.db, line.userId, line.id)
  if (
    connection?.enabled &&
    connection.outgoingWebhookUrl === formerReceiverUrl &&
    receiverUrl !== formerReceiverUrl
  ) {
    await setLineEndpointUrl(context, line.userId, line.id, receiverUrl)
  }
  const webhook = await readable(revealIncomingWebhook(context, line.userId, line.id))
  const endpointId = connection?.endpointId ?? undefined
  const signingSecret =
    endpointId && (await readable(revealSigningSecret(context, { userId: line.userId }, endpointId)))
  return { number: line.number, webhookUrl: webhook?.url, signingSecret }
}

/** Linehook starts even without the key of a secret, so that an operator who has lost the key can enter it again. */
function readable<Secret>(revealed: Promise<Secret>): Promise<Secret | undefined> {
  return revealed.catch((error: unknown) => {
    if (error instanceof SecretUnreadable) return undefined
    throw error
  })
}

async function createSample(context: Context, receiverUrl: string): Promise<void> {
  const user = await addUser(context, { email: 'ada@example.com', name: 'Ada', role: 'operator' })
  const line = await addLine(context, {
    userId: user.id,
    number: SAMPLE_NUMBER,
    name: 'Sample line',
    carrierAccount: 'simulator',
  })
  await enableConnection(context, user.id, line.id)
  await setLineEndpointUrl(context, user.id, line.id, receiverUrl)
  await createIncomingWebhook(context, user.id, line.id)
}
