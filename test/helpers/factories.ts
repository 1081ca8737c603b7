import { getConnection } from '../../src/domain/lines/connection-overview.js'
import { changeConnection, enableConnection, setLineEndpointUrl } from '../../src/domain/lines/connections.js'
import type { Context } from '../../src/domain/context.js'
import { createIncomingWebhook } from '../../src/domain/lines/incoming-webhooks.js'
import { addLine, type NewLine } from '../../src/domain/lines/lines.js'
import { revealSigningSecret } from '../../src/domain/endpoints/signing-secrets.js'
import { addUser } from '../../src/domain/people/users.js'
import { forAllTests, forEachTest } from './suite.js'

let count = 0

export interface TestLine {
  userId: string
  lineId: string
  number: string
  /** Path and query of the incoming webhook. */
  webhookPath: string
  token: string
  /** Of the outgoing webhook; empty when the line has no URL. */
  endpointId: string
  signingSecret: string
}

/** Who may act on the line's outgoing webhook, and its id: what the functions about endpoints want to know. */
export function own({ userId, endpointId }: Pick<TestLine, 'userId' | 'endpointId'>) {
  return [{ userId }, endpointId] as const
}

/** A line of a new user, connected, with an incoming webhook and, if a URL is given, an outgoing one. */
export async function createLine(
  context: Context,
  overrides: Partial<NewLine> & { outgoingUrl?: string; optInEvents?: string[] } = {},
): Promise<TestLine> {
  const number = (count += 1)
  const { outgoingUrl, optInEvents, ...fields } = overrides
  const userId = fields.userId ?? (await addUser(context, { email: `user${number}@example.com` })).id
  const line = await addLine(context, {
    number: `+1555${String(number).padStart(7, '0')}`,
    carrierAccount: 'simulator',
    ...fields,
    userId,
  })
  await enableConnection(context, userId, line.id)
  if (outgoingUrl !== undefined) await setLineEndpointUrl(context, userId, line.id, outgoingUrl)
  if (optInEvents !== undefined) await changeConnection(context, userId, line.id, { optInEvents })
  const endpointId = (await getConnection(context, userId, line.id)).endpoint?.id ?? ''
  const { url, token } = await createIncomingWebhook(context, userId, line.id)
  const { pathname, search } = new URL(url)
  return {
    userId,
    lineId: line.id,
    number: line.number,
    webhookPath: pathname + search,
    token,
    endpointId,
    signingSecret: endpointId === '' ? '' : await revealSigningSecret(context, { userId }, endpointId),
  }
}

type LineFields = Parameters<typeof createLine>[1]

/** Called in the body of a `describe`: a new line for each of its tests, in one object from the beginning. */
export function lineForEachTest(context: Context, fields?: LineFields | (() => LineFields)): TestLine {
  return forEachTest(() => createLine(context, typeof fields === 'function' ? fields() : fields))
}

/** The same, for all of its tests together. */
export function lineForAllTests(context: Context, fields?: LineFields | (() => LineFields)): TestLine {
  return forAllTests(() => createLine(context, typeof fields === 'function' ? fields() : fields))
}

/** The body of an incoming webhook's request; overrides go into `data`. */
export function messageBody(data: Record<string, unknown> = {}): {
  intent: string
  data: Record<string, unknown>
} {
  return { intent: 'message', data: { toNumber: '+15005550199', text: 'Hello', ...data } }
}
