import { ALL_EVENT_TYPES } from '../../../src/event-types.js'
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'chai'
import { changeConnection } from '../../../src/domain/lines/connections.js'
import { eventBody } from '../../../src/domain/endpoints/deliveries/shapes.js'
import type { Event } from '../../../src/database/endpoints/events.js'
import { createLineEventFeed } from '../../../src/domain/endpoints/line-events.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import { ANNA, inboundText, queueMessage } from '../../domain/fixtures.js'
import { createLine } from '../../helpers/factories.js'
import { startSession } from '../../helpers/web/sessions.js'
import { describeWeb } from '../../helpers/web/web.js'

describeWeb('/schemas/….json', ({ context, web }) => {
  const ajv = new Ajv2020({ strict: false, addUsedSchema: false })
  addFormats.default(ajv)
  const schemaOf = async (type: string) => {
    const { status, headers, text } = await web.request(`/schemas/${type}.json`)
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'application/schema+json'])
    return JSON.parse(text) as AnySchemaObject & { examples: unknown[]; $id: string }
  }

  it('has a schema of each type, which its example and no other type keeps to', async () => {
    const schemas = await Promise.all(ALL_EVENT_TYPES.map(schemaOf))
    for (const [n, schema] of schemas.entries()) {
      const keeping = schemas.map(({ examples: [example] }) => ajv.validate(schema, example))
      expect(keeping, ALL_EVENT_TYPES[n]).to.deep.equal(schemas.map((_, other) => other === n))
    }
  })

  it('is what real events keep to', async () => {
    const line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/' })
    await changeConnection(context, line.userId, line.lineId, { optInEvents: ['messageStatus', 'optOut'] })
    const feed = createLineEventFeed(context, line.lineId)
    await sendMessage(context, await queueMessage(context, line))
    for (const text of ['Hi', 'STOP']) {
      const content = { type: 'inboundText', text } as const
      await receiveMessage(context, inboundText(line, { fromNumber: ANNA, content }))
    }
    const { events } = await feed.next()
    expect(new Set(events.map(({ type }) => type))).to.deep.equal(
      new Set(['messageStatus', 'inboundText', 'optOut']),
    )
    for (const event of events) await expectKept(event)
  })

  async function expectKept(event: Event): Promise<void> {
    const schema = await schemaOf(event.type)
    const body = JSON.parse(eventBody({ ...event, eventId: event.id }, context.vocabulary)) as unknown
    expect(ajv.validate(schema, body), ajv.errorsText()).to.be.true
    const { contentSchema } = (schema.properties as { payload: { contentSchema?: object } }).payload
    if (contentSchema === undefined) return
    expect(ajv.validate(contentSchema, JSON.parse(event.payload)), ajv.errorsText()).to.be.true
  }

  it('stands beside each type and its example in the console', async () => {
    const { userId } = await createLine(context)
    const headers = { Cookie: `__Host-linehook=${await startSession(context, userId)}` }
    const { status, text } = await web.request('/console/events', { headers })
    expect(status).to.equal(200)
    for (const type of ALL_EVENT_TYPES) expect(text).to.include(`href="/schemas/${type}.json"`)
    expect(text).to.include('This is a test event')
  })

  it('is 404 for what is no type', async () => {
    const { status, text } = await web.request('/schemas/Other.json')
    expect(status).to.equal(404)
    expect(text).to.include('inboundText')
  })
})
