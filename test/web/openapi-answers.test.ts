import { expect } from 'chai'
import { authorizeLines } from '../../src/domain/authorizations.js'
import { addLineEndpoint } from '../../src/domain/line-endpoints.js'
import { newId } from '../../src/ids.js'
import { createApplication } from '../domain/applications.js'
import { queueMessage, receiveForDelivery } from '../domain/fixtures.js'
import { createLine, messageBody } from '../helpers/factories.js'
import { describeWith } from '../helpers/suite.js'
import { newNumber } from './support.js'
import { createOwner, serveApi, type Client } from './v1/support.js'

/** Each answer is compared with the document by `serveDescribed`; this is about none being left out. */
describeWith('the document and the answers', serveApi, (api) => {
  it('agree for a success and an error of every operation', async () => {
    const { line, client, path } = await createOwner(api, { outgoingUrl: 'http://127.0.0.1:1/' })
    const messageId = await queueMessage(api.context, line, { status: 'failed' })
    const { id: deliveryId } = await receiveForDelivery(api.context, line)
    await api.context.db('deliveries').where({ id: deliveryId }).update({ status: 'held' })

    const applicationId = (
      await createApplication(api.context, { userId: line.userId, webhookUrl: 'http://127.0.0.1:1/' })
    ).id
    const application = `/v1/applications/${applicationId}`
    const authorized = `/v1/authorized-applications/${applicationId}`
    const { userId } = line
    const second = await createLine(api.context, { userId })
    await authorizeLines(api.context, {
      applicationId,
      userId,
      lineIds: [line.lineId, second.lineId],
      scopes: ['messages:connect'],
    })

    const url = 'http://127.0.0.1:1/'
    const { endpoint } = await addLineEndpoint(api.context, userId, line.lineId, { url })
    const further = `${path}/endpoints/${endpoint.id}`

    const laterId = await queueMessage(api.context, line, { status: 'scheduled' })
    const message = messageBody({ toNumber: newNumber() })
    const lastHour = { from: new Date(Date.now() - 3_600_000).toISOString() }
    const inbound = { fromNumber: newNumber(), toNumber: line.number, text: 'Hi' }
    const listened = { eventId: newId(), startedAt: '2026-01-31T12:00:00Z', durationMs: 1 }
    const program: [
      method: string,
      path: string,
      ask: { right?: unknown; wrong?: unknown; query?: string },
    ][] = [
      ['GET', '/v1/lines', { query: '?id=x' }],
      ['GET', path, {}],
      ['PUT', path, { right: { name: 'Shop' }, wrong: { name: '' } }],
      ['POST', `${path}/pause-sending`, {}],
      ['POST', `${path}/resume-sending`, {}],
      ['POST', `${path}/try-messages-now`, {}],
      ['GET', `${path}/limits`, {}],
      ['GET', `${path}/opt-outs`, { query: '?limit=0' }],
      ['GET', `${path}/events/stream`, { query: '?from=x' }],
      ['POST', `${path}/events/attempts`, { right: { attempts: [listened] }, wrong: {} }],
      ['GET', `${path}/connection`, {}],
      ['PUT', `${path}/connection`, { right: { enabled: true }, wrong: {} }],
      ['POST', `${path}/connection/test-event`, { right: { type: 'optOut' }, wrong: { type: 'x' } }],
      ['GET', `${path}/connection/signing-secret`, {}],
      ['POST', `${path}/connection/rotate-secret`, {}],
      ['POST', `${path}/connection/pause-events`, {}],
      ['POST', `${path}/connection/resume-events`, {}],
      ['POST', `${path}/connection/send-held-events`, {}],
      ['POST', `${path}/connection/try-events-now`, {}],
      ['POST', `${path}/connection/replay/preview`, { right: lastHour, wrong: {} }],
      ['POST', `${path}/connection/replay`, { right: { ...lastHour, perSecond: 1 }, wrong: { from: 'x' } }],
      ['GET', '/v1/works', { query: '?limit=0' }],
      ['GET', `${path}/connection/policy`, {}],
      [
        'PATCH',
        `${path}/connection/policy`,
        { right: { retrySchedule: [5, 60] }, wrong: { timeoutSeconds: 0 } },
      ],
      ['POST', `${path}/connection/policy/preview`, { right: { shape: 'slack' }, wrong: { shape: 'fax' } }],
      ['GET', `${path}/endpoints`, {}],
      ['POST', `${path}/endpoints`, { right: { url, name: null }, wrong: {} }],
      ['GET', further, {}],
      ['PATCH', further, { right: { name: 'CRM' }, wrong: {} }],
      ['POST', `${further}/enable`, {}],
      ['POST', `${further}/test-event`, {}],
      ['GET', `${further}/signing-secret`, {}],
      ['POST', `${further}/rotate-secret`, {}],
      ['POST', `${further}/pause-events`, {}],
      ['POST', `${further}/resume-events`, {}],
      ['POST', `${further}/send-held-events`, {}],
      ['POST', `${further}/try-events-now`, {}],
      ['GET', `${further}/policy`, {}],
      ['PATCH', `${further}/policy`, { right: { ordered: true }, wrong: {} }],
      ['POST', `${further}/policy/preview`, {}],
      ['GET', `${further}/deliveries`, { query: '?limit=0' }],
      ['DELETE', further, {}],
      ['GET', `${path}/incoming-webhook`, {}],
      [
        'POST',
        `${path}/incoming-webhook/regenerate`,
        { right: { overlapSeconds: 60 }, wrong: { overlapSeconds: -1 } },
      ],
      ['GET', '/v1/messages', { query: '?limit=0' }],
      [
        'POST',
        '/v1/messages',
        { right: { lineId: line.lineId, toNumber: newNumber(), text: 'Hi' }, wrong: { lineId: line.lineId } },
      ],
      [
        'POST',
        '/v1/messages/batch',
        { right: { messages: [{ lineId: line.lineId, toNumber: newNumber(), text: 'Hi' }, {}] }, wrong: {} },
      ],
      ['GET', `/v1/messages/${messageId}`, {}],
      ['PATCH', `/v1/messages/${laterId}`, { right: { sendAt: '1999-12-31T23:59:59Z' }, wrong: {} }],
      ['POST', `/v1/messages/${laterId}/cancel`, {}],
      ['POST', `/v1/messages/${messageId}/send-again`, {}],
      ['POST', '/v1/contacts', { right: { phoneNumber: '70123', name: 'Bank' }, wrong: {} }],
      ['PUT', '/v1/contacts/70123', { right: { blocked: true }, wrong: {} }],
      ['GET', '/v1/contacts', { query: '?page=0' }],
      ['POST', '/v1/segments', { right: { text: 'Hi' }, wrong: {} }],
      ['GET', '/v1/deliveries', { query: '?limit=0' }],
      ['GET', `/v1/deliveries/${deliveryId}`, {}],
      ['GET', '/v1/applications', {}],
      [
        'POST',
        '/v1/applications',
        { right: { name: 'Notes', redirectUris: ['https://example.com/'] }, wrong: { name: '' } },
      ],
      ['GET', application, {}],
      ['PUT', application, { right: { name: 'Notes' }, wrong: {} }],
      ['POST', `${application}/rotate-secret`, {}],
      ['GET', `${application}/signing-secret`, {}],
      ['POST', `${application}/rotate-signing-secret`, {}],
      ['POST', `${application}/test-event`, {}],
      ['POST', `${application}/pause-events`, {}],
      ['POST', `${application}/resume-events`, {}],
      ['POST', `${application}/send-held-events`, {}],
      ['POST', `${application}/try-events-now`, {}],
      ['POST', `${application}/replay/preview`, { right: lastHour, wrong: {} }],
      ['POST', `${application}/replay`, { right: lastHour, wrong: {} }],
      ['GET', `${application}/policy`, {}],
      [
        'PATCH',
        `${application}/policy`,
        { right: { requestsAtOnce: null }, wrong: { requestsAtOnce: 'all' } },
      ],
      [
        'POST',
        `${application}/policy/preview`,
        { right: { shape: 'template', template: '{{ payload | json }}' }, wrong: { shape: 'template' } },
      ],
      ['GET', `${application}/deliveries`, { query: '?limit=0' }],
      ['GET', '/v1/authorized-applications', {}],
      ['DELETE', `${authorized}/lines/${line.lineId}`, {}],
      ['DELETE', authorized, {}],
      ['DELETE', application, {}],
      ['POST', line.webhookPath, { right: message, wrong: {} }],
      ['POST', line.webhookPath.replace('lineId', 'line'), { right: message, wrong: {} }],
      ['DELETE', `${path}/incoming-webhook`, {}],
      ['POST', `${path}/incoming-webhook`, {}],
      ['POST', '/simulator/inbound', { right: inbound, wrong: {} }],
      ['GET', '/simulator/outbox', { query: '?toNumber=x' }],
      ['GET', '/healthz', {}],
      ['GET', '/readyz', {}],
      ['GET', '/openapi.json', {}],
      ['DELETE', `${path}/connection`, {}],
    ]
    for (const [method, path, { right, wrong, query }] of program) {
      const { status, text } = await client.ask(method, path, right)
      expect(status, `${method} ${path}: ${text}`).to.equal(200)
      if (wrong !== undefined) await client.ask(method, path, wrong)
      if (query !== undefined) await client.ask(method, path + query)
      if (path.includes(line.lineId)) await client.ask(method, path.replace(line.lineId, newId()), right)
      if (path.startsWith('/v1/')) await api.web.request(path, { method })
    }
    const [endpointId = ''] = await api.context.db('endpoints').pluck<string[]>('id')
    for (const id of [endpointId, newId()]) await api.web.request(`/.well-known/webhook-keys/${id}`)
    await api.context.db('deliveries').where({ id: deliveryId }).update({ status: 'exhausted' })
    await client.post(`/v1/deliveries/${deliveryId}/send-again`)
    await client.post(`/v1/deliveries/${deliveryId}/send-again`)

    const inAnHour = api.context.db.raw(`now() + interval '1 hour'`)
    await api.context.db('deliveries').where({ id: deliveryId }).update({ due_at: inAnHour })
    await api.context
      .db('messages')
      .where({ id: messageId })
      .update({ status: 'queued', not_before: inAnHour })
    for (const one of [`deliveries/${deliveryId}`, `messages/${messageId}`]) {
      await client.post(`/v1/${one}/try-now`)
      await client.post(`/v1/${one}/try-now`)
    }

    const [workId = ''] = await api.context.db('works').pluck<string[]>('id')
    for (const id of [workId, newId()]) {
      await client.ask('GET', `/v1/works/${id}`)
      await client.post(`/v1/works/${id}/stop`)
    }
    const never = api.web.operations
      // What people's browsers ask is no answer in JSON, and the rest needs one of them: see oauth/described.test.ts.
      .filter(({ operation }) => !operation.tags.includes('OAuth'))
      .map(({ operation }) => operation.operationId)
      .flatMap((id) => [`${id} 200`, ...(WITHOUT_ERRORS.includes(id) ? [] : [`${id} 4`])])
      .filter((wanted) => ![...api.web.seen].some((seen) => seen.startsWith(wanted)))
    expect(never).to.deep.equal([])
  })

  it('agree for what is refused by its size, its state and its limits', async () => {
    const { line, client, path } = await createOwner(api)
    await client.put(path, { name: 'x'.repeat(70_000) })
    const manyHeaders = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`X-${n}`, '']))
    for (const headers of [{ 'Content-Encoding': 'zstd' }, manyHeaders]) {
      await client.ask('PUT', path, {}, headers)
      await client.post(line.webhookPath, {}, headers)
    }
    await client.post(`${path}/connection/test-event`)
    await client.post(`${path}/incoming-webhook`)
    await client.post(line.webhookPath, 'x'.repeat(70_000))
    await client.post(line.webhookPath.replace(/token=.*/, 'token=x'), messageBody())
    const keyed = (text: string) =>
      client.post(line.webhookPath, messageBody({ text }), { 'Idempotency-Key': 'a' })
    await keyed('one')
    await keyed('two')
    await exhaust(client, line.webhookPath)
    expect([...api.web.seen]).to.include.members([
      'renameLine 413',
      'renameLine 415',
      'renameLine 431',
      'sendTestEvent 409',
      'createIncomingWebhook 409',
      'sendText 413',
      'sendText 415',
      'sendText 431',
      'sendText 403',
      'sendText 422',
    ])
  })
})

const WITHOUT_ERRORS = ['isAlive', 'isReady', 'getDescription']

async function exhaust(client: Client, webhookPath: string): Promise<void> {
  const toNumber = newNumber()
  for (let n = 0; n < 6; n += 1) await client.post(webhookPath, messageBody({ toNumber }))
}
