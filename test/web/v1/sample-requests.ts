import { newId } from '../../../src/ids.js'
import { createLine, messageBody } from '../../helpers/factories.js'
import { newNumber } from '../support.js'
import type { DescribedOperation } from '../openapi/described.js'
import type { World } from './world.js'

/** How an operation is asked in a test; an operation that is not in the table is asked without a body. */
export interface SampleRequest {
  /** A body that works; it must have one. */
  right?: object
  /** A body that is refused. */
  wrong?: object
  /** A query that is refused. */
  query?: string
  /** It works once only: then it is refused by the state. */
  isOnce?: boolean
  /** What must be so before it works. */
  prepare?: (world: World) => Promise<unknown>
  /** Where the path's parameters do not say enough. */
  path?: (world: World) => string
}

const lastHour = () => ({ from: new Date(Date.now() - 3_600_000).toISOString() })
const replay = (): SampleRequest => ({ right: lastHour(), wrong: { from: 'x' } })
const policy: SampleRequest = { right: { retrySchedule: [5, 60] }, wrong: { timeoutSeconds: 0 } }
const policyPreview: SampleRequest = { right: { shape: 'slack' }, wrong: { shape: 'fax' } }
const page: SampleRequest = { query: 'limit=0' }
const testEvent: SampleRequest = { right: { type: 'optOut' }, wrong: { type: 'x' } }
const sends = ({ line }: World) => ({ lineId: line.lineId, toNumber: newNumber(), text: 'Hi' })
const message = (): SampleRequest => ({ right: messageBody({ toNumber: newNumber() }), wrong: {} })
const later = ({ ids }: World) => `/v1/messages/${ids.laterId}`
const inAnHour = ({ api }: World) => api.context.db.raw(`now() + interval '1 hour'`)

const startReplay = async ({ client, ids }: World) => {
  const { body } = await client.post(`/v1/endpoints/${ids.endpointId}/replay`, {
    ...lastHour(),
    perSecond: 1,
  })
  ids.taskId = (body as { id: string }).id
}

const ASKS: Partial<Record<string, (world: World) => SampleRequest>> = {
  listLines: () => ({ query: 'id=x' }),
  renameLine: () => ({ right: { name: 'Shop' }, wrong: { name: '' } }),
  listOptOuts: () => page,
  streamEvents: () => ({ query: 'from=x' }),
  recordListenerAttempts: () => ({
    right: { attempts: [{ eventId: newId(), startedAt: '2026-01-31T12:00:00Z', durationMs: 1 }] },
    wrong: {},
  }),
  changeConnection: () => ({ right: { enabled: true }, wrong: {} }),
  sendTestEvent: () => testEvent,
  triggerEvent: () => testEvent,
  listEndpoints: () => ({ query: 'state=x' }),
  addEndpoint: ({ ids }) => ({
    right: { lineId: ids.lineId, url: 'http://127.0.0.1:1/', name: null },
    wrong: {},
  }),
  changeEndpoint: () => ({ right: { name: 'CRM' }, wrong: { url: 'x' } }),
  listDeliveriesOfEndpoint: () => page,
  changeEndpointPolicy: () => policy,
  previewEndpointPolicy: () => policyPreview,
  createIncomingWebhook: () => ({
    isOnce: true,
    prepare: ({ client, ids }) => client.delete(`/v1/lines/${ids.lineId}/incoming-webhook`),
  }),
  regenerateToken: () => ({ right: { overlapSeconds: 60 }, wrong: { overlapSeconds: -1 } }),
  listMessages: () => page,
  sendMessage: (world) => ({ right: sends(world), wrong: { lineId: world.line.lineId } }),
  sendMessages: (world) => ({ right: { messages: [sends(world), {}] }, wrong: {} }),
  countSegments: () => ({ right: { text: 'Hi' }, wrong: {} }),
  rescheduleMessage: () => ({ right: { sendAt: '1999-12-31T23:59:59Z' }, wrong: {}, path: later }),
  cancelMessage: (world) => ({ path: () => `${later(world)}/cancel` }),
  tryMessageNow: () => ({
    isOnce: true,
    prepare: async (world) =>
      world.api.context
        .db('messages')
        .where({ id: world.ids.messageId })
        .update({ status: 'queued', error: 'throttled', not_before: inAnHour(world) }),
  }),
  listContacts: () => ({ query: 'page=0' }),
  saveContact: () => ({ right: { phoneNumber: '70123', name: 'Bank' }, wrong: {} }),
  changeContact: () => ({
    right: { blocked: true },
    wrong: {},
    prepare: ({ client, ids }) =>
      client.post('/v1/contacts', { phoneNumber: decodeURIComponent(ids.contactId ?? '') }),
  }),
  listDeliveries: () => page,
  tryDeliveryNow: () => ({
    isOnce: true,
    prepare: async (world) =>
      world.api.context
        .db('deliveries')
        .where({ id: world.ids.deliveryId })
        .update({ status: 'pending', due_at: inAnHour(world) }),
  }),
  sendDeliveryAgain: () => ({
    isOnce: true,
    prepare: ({ api, ids }) =>
      api.context.db('deliveries').where({ id: ids.deliveryId }).update({ status: 'exhausted' }),
  }),
  replayEvents: replay,
  previewReplay: replay,
  listTasks: () => page,
  getTask: () => ({ prepare: startReplay }),
  stopTask: () => ({ prepare: startReplay }),
  registerApplication: () => ({
    right: { name: 'Notes', redirectUris: ['https://example.com/'] },
    wrong: { name: '' },
  }),
  changeApplication: () => ({ right: { name: 'Notes' }, wrong: {} }),
  createPortalLink: () => ({
    right: { expiresInSeconds: 60, sessionSeconds: 60 },
    wrong: { expiresInSeconds: 0 },
    prepare: async ({ api: { context }, line, ids }) => {
      await context.db('users').where({ id: line.userId }).update({ role: 'operator' })
      ids.userId = (await createLine(context)).userId
    },
  }),
  sendText: ({ line }) => ({ ...message(), path: () => line.webhookPath }),
  sendTextFromLine: ({ line }) => ({
    ...message(),
    path: () => line.webhookPath.replace('lineId', 'line'),
  }),
  simulateInbound: ({ line }) => ({
    right: { fromNumber: newNumber(), toNumber: line.number, text: 'Hi' },
    wrong: {},
  }),
  readOutbox: () => ({ query: 'toNumber=x' }),
}

export function askOf(
  world: World,
  { operation, path }: DescribedOperation,
): SampleRequest & { target: string } {
  const ask = ASKS[operation.operationId]?.(world) ?? {}
  return {
    ...ask,
    get target() {
      return ask.path?.(world) ?? path.replace(/\{(\w+)\}/g, (_, name: string) => world.ids[name] ?? newId())
    },
  }
}

/** Names that are in the table and of no operation. */
export function strangersAmong(operationIds: readonly string[]): string[] {
  return Object.keys(ASKS).filter((id) => !operationIds.includes(id))
}
