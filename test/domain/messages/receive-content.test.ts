import { expect } from 'chai'
import { receiveMessage, type InboundMessage } from '../../../src/domain/messages/receive.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { mediaRow } from '../../helpers/media.js'
import { ANNA, inboundText, messageRow, UNLIMITED } from '../fixtures.js'

describeContext('the content of a received message', (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, UNLIMITED)
  })

  async function receive(overrides: Partial<InboundMessage>) {
    const outcome = await receiveMessage(context, inboundText(line, overrides))
    if (outcome.kind !== 'received') throw new Error(outcome.kind)
    const event = await context
      .db('events')
      .where({ message_id: outcome.messageId })
      .first<{ type: string; payload: string }>('type', 'payload')
    return { message: await messageRow(context, outcome.messageId), event }
  }

  async function isOptedOut(number = ANNA): Promise<boolean> {
    const row = await context
      .db('line_peers')
      .where({ line_id: line.lineId, number })
      .first<{ opted_out_at: Date | null } | undefined>()
    return row !== undefined && row.opted_out_at !== null
  }

  const text = (body: string) => ({ content: { type: 'inboundText', text: body } }) as const

  for (const type of ['inboundMedia', 'voiceMail'] as const) {
    it(`of type ${type} is an event of this type with the URL of our copy as its payload`, async () => {
      const url = 'https://media.example.com/a?b=c'
      const { message, event } = await receive({ content: { type, url } })
      const media = await mediaRow(context, message.id)
      const hosted = `${context.config.publicUrl}/media/${media.token}`
      expect(message).to.include({ text: null, media_url: hosted })
      expect(event).to.deep.equal({ type, payload: hosted })
      expect(media).to.include({ source_url: url, carrier: 'simulator', status: 'pending' })
    })
  }

  it('may be an empty text', async () => {
    const { message, event } = await receive(text(''))
    expect(message.text).to.equal('')
    expect(event).to.deep.equal({ type: 'inboundText', payload: '' })
  })

  it('is kept as it is, whatever the script', async () => {
    const body = 'Grüße 👩‍👩‍👧 مرحبا \n\t "quoted" \\u0000 '
    const { message, event } = await receive(text(body))
    expect(message.text).to.equal(body)
    expect(event.payload).to.equal(body)
  })

  it('loses only what Postgres cannot hold: NUL characters and lone surrogates', async () => {
    const { message, event } = await receive(text('a\0b\ud83d c\udc00'))
    expect(message.text).to.equal('ab\ufffd c\ufffd')
    expect(event.payload).to.equal('ab\ufffd c\ufffd')
  })

  it('STOP opts the sender out of this line, and is an event like any other', async () => {
    const { event } = await receive(text(' stop\n'))
    expect(event).to.deep.equal({ type: 'inboundText', payload: ' stop\n' })
    expect(await isOptedOut()).to.equal(true)
  })

  it('START opts the sender in again', async () => {
    await receive(text('STOP'))
    await receive(text('Start'))
    expect(await isOptedOut()).to.equal(false)
  })

  it('of other words leaves it as it was', async () => {
    await receive(text('please do not stop'))
    expect(await isOptedOut()).to.equal(false)
    await receive(text('STOP'))
    await receive(text('What is this?'))
    await receive({ content: { type: 'inboundMedia', url: 'https://media.example.com/STOP' } })
    expect(await isOptedOut()).to.equal(true)
  })

  it('STOP concerns its sender and its line only', async () => {
    await receive(text('STOP'))
    expect(await isOptedOut('+15005550102')).to.equal(false)
    line = await createLine(context)
    await receive({})
    expect(await isOptedOut()).to.equal(false)
  })
})
