import { startReplay } from '../../../src/domain/endpoints/deliveries/replay.js'
import { saveContact } from '../../../src/domain/lines/contacts.js'
import { authorizeLines } from '../../../src/domain/applications/authorizations.js'
import { addEndpoint } from '../../../src/domain/endpoints/endpoints.js'
import { createApplication } from '../../domain/applications/applications.js'
import { queueMessage, receiveForDelivery } from '../../domain/fixtures.js'
import type { TestLine } from '../../helpers/factories.js'
import { newNumber } from '../support.js'
import { createOwner, type Api, type Client } from './support.js'

/** A user who has one of everything that /v1 is about. */
export interface World {
  api: Api
  client: Client
  line: TestLine
  /** What stands for a parameter of a path, such as `lineId`. */
  ids: Record<string, string>
}

async function createWorld(api: Api, overrides: Parameters<typeof createOwner>[1] = {}): Promise<World> {
  const { context } = api
  const url = 'http://127.0.0.1:1/'
  const { line, client } = await createOwner(api, { outgoingUrl: url, ...overrides })
  const { userId, lineId } = line
  const messageId = await queueMessage(context, line, { status: 'failed', source: 'console' })
  const laterId = await queueMessage(context, line, { status: 'scheduled', source: 'console' })
  const { id: deliveryId } = await receiveForDelivery(context, line)
  await context.db('deliveries').where({ id: deliveryId }).update({ status: 'held' })
  const { id: applicationId } = await createApplication(context, { userId, webhookUrl: url })
  await authorizeLines(context, { applicationId, userId, lineIds: [lineId], scopes: ['messages:connect'] })
  const { endpoint } = await addEndpoint(context, userId, { lineId }, { url })
  const contactId = newNumber().replace('+', '%2B')
  const ids = {
    userId,
    lineId,
    messageId,
    laterId,
    deliveryId,
    applicationId,
    endpointId: endpoint.id,
    contactId,
  }
  return { api, client, line, ids }
}

/** As `createWorld`, with a contact and a background task, so that each of the ids is of something that is there. */
export async function createWholeWorld(
  api: Api,
  overrides: Parameters<typeof createOwner>[1] = {},
): Promise<World> {
  const world = await createWorld(api, overrides)
  const { userId, lineId } = world.line
  const { id: contactId } = await saveContact(api.context, userId, newNumber(), { name: 'Anna' })
  const { id: taskId } = await startReplay(api.context, { of: 'line', userId, lineId }, { from: new Date(0) })
  return { ...world, ids: { ...world.ids, contactId, taskId } }
}

const lookedAt = new WeakMap<Api, Promise<World>>()

/** For a test of each operation: a world of its own where it may change something, and one for all that only read. */
export function worldFor(api: Api, { method }: { method: string }): Promise<World> {
  if (method !== 'GET') return createWorld(api)
  const known = lookedAt.get(api) ?? createWorld(api)
  lookedAt.set(api, known)
  return known
}
