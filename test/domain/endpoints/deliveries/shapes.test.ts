import { expect } from 'chai'
import { HTTP, type CloudEvent } from 'cloudevents'
import {
  eventBody,
  type EventContent,
  shapeEvent,
} from '../../../../src/domain/endpoints/deliveries/shapes.js'
import { createVocabulary } from '../../../../src/vocabulary.js'
import { DEFAULT_POLICY, SHAPES, type Shape } from '../../../../src/database/endpoints/policy.js'
import { changePolicy } from '../../../../src/domain/endpoints/policies.js'
import { newId, timeOfId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, own, type TestLine } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForSuite } from '../../../helpers/suite.js'
import { textEventOf, verifyEvent, ANNA, deliverWhenDue, receiveForDelivery } from '../../fixtures.js'

const event: EventContent & { eventId: string } = {
  eventId: '01a1f8a0-0000-7000-8000-000000000001',
  type: 'inboundText',
  payload: 'Hello',
  fromNumber: '+15005550199',
  toNumber: '+15550000001',
  userId: 'user-1',
  lineId: 'line-1',
}

describe('event body', () => {
  it('leaves out whatever else a delivery knows', () => {
    const delivery = {
      ...event,
      secretSealed: Buffer.from('secret'),
      url: 'https://example.com',
      attemptNumber: 2,
    }
    expect(eventBody(delivery, createVocabulary('line'))).to.equal(eventBody(event, createVocabulary('line')))
  })

  it('names the line by the product word, and by it only', () => {
    const body = JSON.parse(eventBody(event, createVocabulary('Burner'))) as object
    expect(body).to.have.property('burnerId', 'line-1')
    expect(body).not.to.have.property('lineId')
    expect(Object.keys(body)).to.have.length(6)
  })

  it('is the same bytes on every attempt, however the fields are ordered', () => {
    const { lineId, type, ...rest } = event
    const reordered = { lineId, ...rest, type }
    expect(eventBody(reordered, createVocabulary('line'))).to.equal(
      eventBody(event, createVocabulary('line')),
    )
  })

  it('keeps every character of the text', () => {
    const payload = 'Zoë said "hi" \\ 🙂\n\u2028 </script>'
    const body = JSON.parse(eventBody({ ...event, payload }, createVocabulary('line'))) as { payload: string }
    expect(body.payload).to.equal(payload)
  })

  for (const type of ['inboundMedia', 'voiceMail'] as const) {
    it(`of ${type} carries the full URL`, () => {
      const payload = 'https://media.example.com/a/b.mp3?x=1&y=2'
      expect(JSON.parse(eventBody({ ...event, type, payload }, createVocabulary('line')))).to.include({
        type,
        payload,
      })
    })
  }
})

describeContext('the shape of an event', (context) => {
  const receiver = openForSuite(startReceiver)
  let line: TestLine

  before(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
  })

  /** What the receiver gets of a text to the line; whatever the shape, the signature is over what is sent. */
  async function receive(shape: Shape) {
    await changePolicy(context, ...own(line), { shape })
    const { id, event_id: eventId, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    expect(await deliverWhenDue(context, id, endpointId)).to.deep.equal({ kind: 'delivered' })
    const { headers, body } = receiver.requests.at(-1)!
    const json = verifyEvent({ headers, body }, line.signingSecret)
    expect(headers['webhook-id']).to.equal(eventId)
    return { eventId, headers, body, json }
  }
  const sixFields = () => textEventOf(line)

  for (const shape of ['cloudevents', 'cloudevents-binary'] as const) {
    it(`${shape} is an event for the CloudEvents SDK`, async () => {
      const { eventId, headers, body } = await receive(shape)
      const event = HTTP.toEvent<object>({ headers, body }) as CloudEvent<object>
      expect(event.validate()).to.equal(true)
      expect(event.toJSON()).to.include({
        specversion: '1.0',
        id: eventId,
        type: 'linehook.inboundText',
        source: `${context.config.publicUrl}/v1/lines/${line.lineId}`,
        time: timeOfId(eventId).toISOString(),
        datacontenttype: 'application/json',
      })
      expect(event.data).to.deep.equal(sixFields())
    })
  }

  it('linehook, slack, discord and ifttt are what these take', async () => {
    expect((await receive('linehook')).json).to.deep.equal(sixFields())
    expect((await receive('slack')).json).to.deep.equal({ text: `${ANNA} to ${line.number}: Hi there` })
    expect((await receive('discord')).json).to.deep.equal({
      content: `${ANNA} to ${line.number}: Hi there`,
      allowed_mentions: { parse: [] },
    })
    const { json, headers } = await receive('ifttt')
    expect(json).to.deep.equal({ value1: ANNA, value2: 'Hi there', value3: line.number })
    expect(headers['content-type']).to.equal('application/json')
  })

  const shaped = (shape: Shape, overrides: Partial<EventContent>) =>
    shapeEvent(
      context,
      { ...sixFields(), type: 'inboundText', eventId: newId(), ...overrides },
      { ...DEFAULT_POLICY, shape, template: '{{ type | json }}' },
      { userId: newId(), endpointId: newId() },
    )

  it('slack and discord take no orders from a stranger, and no text is too long for them', async () => {
    const { text } = JSON.parse((await shaped('slack', { payload: '<!channel> & <http://a|b>' })).body) as {
      text: string
    }
    expect(text).to.match(/: &lt;!channel&gt; &amp; &lt;http:\/\/a\|b&gt;$/)
    for (const [shape, field, length] of [
      ['slack', 'text', 4000],
      ['discord', 'content', 2000],
    ] as const) {
      const body = JSON.parse((await shaped(shape, { payload: '😀'.repeat(3000) })).body) as Record<
        string,
        string
      >
      expect(body[field])
        .to.have.length.within(length - 1, length)
        .and.match(/😀…$/u)
    }
  })

  it('slack and discord are cut between characters as people see them, and never in what stands for one', async () => {
    const textOf = async (shape: Shape, payload: string) => {
      const { text, content } = JSON.parse((await shaped(shape, { payload })).body) as Record<string, string>
      return text ?? content ?? ''
    }
    const family = '👨‍👩‍👧'
    for (let shift = 0; shift < 8; shift += 1) {
      const before = 'x'.repeat(shift)
      const escaped = await textOf('slack', before + '&'.repeat(2000))
      expect(escaped)
        .to.match(/^[^&]*(&amp;)+…$/)
        .and.to.have.length.within(3990, 4000)
      for (const [shape, length] of [
        ['slack', 4000],
        ['discord', 2000],
      ] as const) {
        const cut = await textOf(shape, before + family.repeat(1000))
        expect(cut.endsWith(`${family}…`), cut.slice(-10)).to.be.true
        expect(cut).to.have.length.within(length - 8, length)
      }
    }
    // What fits only before it is written as Slack wants it.
    expect(await textOf('slack', '&'.repeat(3000))).to.have.length.at.most(4000)
    expect(await textOf('slack', '<'.repeat(900))).to.match(/(&lt;){900}$/)
  })

  it('every shape has words for every type of event, the same at each attempt', async () => {
    const payloads = {
      inboundMedia: 'https://example.com/a.png',
      voiceMail: 'https://example.com/a.mp3',
      messageStatus: JSON.stringify({ messageId: newId(), status: 'failed', error: 'opted_out' }),
      optOut: 'optedOut',
      lineDisconnected: '',
    } as const
    const said: string[] = []
    for (const [type, payload] of Object.entries(payloads)) {
      for (const shape of SHAPES) {
        const overrides = { type: type as keyof typeof payloads, payload, eventId: newId() }
        const once = await shaped(shape, overrides)
        expect(await shaped(shape, overrides)).to.deep.equal(once)
        if (shape === 'slack') said.push((JSON.parse(once.body) as { text: string }).text)
      }
    }
    expect(said).to.deep.equal([
      `${ANNA} sent a file to ${line.number}: https://example.com/a.png`,
      `${ANNA} left a voicemail for ${line.number}: https://example.com/a.mp3`,
      `The message from ${line.number} to ${ANNA} is failed (opted_out).`,
      `${ANNA} opted out of messages from ${line.number}.`,
      `${line.number} is no longer connected.`,
    ])
  })
})
