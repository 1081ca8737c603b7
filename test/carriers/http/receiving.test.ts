import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { addCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { newId } from '../../../src/ids.js'
import { messageRow, queueMessage, nameAtCarrier } from '../../domain/fixtures.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { describeWeb } from '../../helpers/web/web.js'
import { conformsToReceiving } from '../receiving-conformance.js'
import { SIGNING_SECRET, settingsFor, signed } from './stand-in.js'

const post = (fields: object) => () => {
  const body = JSON.stringify(fields)
  return { body, headers: { 'Content-Type': 'application/json', ...signed(body) } }
}

conformsToReceiving('http', {
  settings: settingsFor('https://sms.example.com/', { signingSecret: SIGNING_SECRET }),
  otherSettings: settingsFor('https://sms.example.com/', { signingSecret: 'another secret' }),
  keepsStray: true,
  messageCallback: 'message',
  statusCallback: 'status',
  message: (sent) => post(sent),
  delivered: (id) => post({ id, status: 'DELIVERED' }),
})

/** As a number rounds them, these are all the same. */
const LONG_IDS = ['9007199254740993', '9007199254740992', '9007199254740994']

describeWeb('ids of an HTTP carrier that no number holds', ({ context, web }) => {
  let accountId: string
  let line: TestLine

  before(async () => {
    const settings = settingsFor('https://sms.example.com/')
    const account = await addCarrierAccount(context, { name: 'long', kind: 'http', settings })
    accountId = account.id
    line = await createLine(context, { carrierAccount: 'long' })
  })

  const call = (name: string, body: string) =>
    web.request(`/carriers/http/${accountId}/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...signed(body) },
      body,
    })

  it('are kept as they are written: three texts are three messages, and a repeat is none', async () => {
    for (const id of [...LONG_IDS, ...LONG_IDS]) {
      const body = `{"id":${id},"from":"+15005550199","to":"${line.number}","text":"text ${id}"}`
      expect(await call('message', body)).to.include({ status: 200 })
    }
    const received = await context
      .db('messages')
      .where({ line_id: line.lineId, direction: 'inbound' })
      .orderBy('id')
      .select('carrier_message_id', 'text')
    expect(received).to.deep.equal(LONG_IDS.map((id) => ({ carrier_message_id: id, text: `text ${id}` })))
  })

  it('find the message that a report is about, and no neighbour', async () => {
    const sent: string[] = []
    for (const id of LONG_IDS) {
      const messageId = await queueMessage(context, line, { status: 'sent' })
      sent.push(messageId)
      // Texts and reports have ids of their own.
      await nameAtCarrier(context, messageId, `1${id}`, 'long')
    }
    expect(await call('status', `{"id":1${LONG_IDS[0]!},"status":"delivered"}`)).to.include({ status: 200 })
    const rows = await context.db('messages').whereIn('id', sent).select<{ id: string; status: string }[]>()
    expect(sent.map((id) => rows.find((row) => row.id === id)?.status)).to.deep.equal([
      'delivered',
      'sent',
      'sent',
    ])
  })
})

describeWeb('reports of an HTTP carrier', ({ context, web }) => {
  let accountId: string
  let line: TestLine

  before(async () => {
    const settings = settingsFor('https://sms.example.com/')
    const account = await addCarrierAccount(context, { name: 'reporting', kind: 'http', settings })
    accountId = account.id
    line = await createLine(context, { carrierAccount: 'reporting' })
  })

  const report = (fields: object) =>
    web.request(`/carriers/http/${accountId}/status`, { method: 'POST', ...post(fields)() })

  it('find a message whose outcome is unknown by our own ID', async () => {
    const id = await queueMessage(context, line, { status: 'unknown', claim_id: newId() })
    expect(await report({ id, status: 'delivered' })).to.include({ status: 200 })
    expect(await messageRow(context, id)).to.include({ status: 'delivered' })
  })

  it('find a message whose ID at the carrier is recorded a moment later', async () => {
    const id = await queueMessage(context, line, { status: 'sending', claim_id: newId() })
    const reported = report({ id: 'G-77', status: 'failed', error: 'no such subscriber' })
    expect(await Promise.race([reported, sleep(150, 'no answer yet')])).to.equal('no answer yet')
    await nameAtCarrier(context, id, 'G-77', 'reporting')
    expect(await reported).to.include({ status: 200 })
    expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'no such subscriber' })
  })

  it('of nothing we know are answered like the others', async () => {
    expect(await report({ id: newId(), status: 'delivered' })).to.include({ status: 200 })
    expect(await context.db('unclear_callbacks').where({ account_id: accountId })).to.deep.equal([])
  })
})
