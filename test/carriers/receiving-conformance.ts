import { expect } from 'chai'
import { addCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import type { Context } from '../../src/domain/context.js'
import { newId } from '../../src/ids.js'
import { countRows, nameAtCarrier, queueMessage } from '../domain/fixtures.js'
import { createTestContext } from '../helpers/context.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { serveApp, type TestWeb } from '../helpers/web/web.js'

/** A request that a carrier makes, as it would. `url`: as we told it to call us. */
type MakeRequest = (url: string) => RequestInit

export interface ReceivingCarrier {
  /** Of its kind; another account has other secrets. */
  settings: Record<string, unknown>
  otherSettings: Record<string, unknown>
  /** Which callback brings messages, and which reports. */
  messageCallback: string
  statusCallback: string
  /** What is for no line is kept for operators and answered with success, so that the carrier does not repeat it. */
  keepsStray?: boolean
  /** Signed with `settings`. */
  message(sent: { id: string; from: string; to: string; text: string }): MakeRequest
  delivered(carrierMessageId: string): MakeRequest
}

const SENDER = '+15005550199'

/** What every kind whose carrier calls us keeps to. */
export function conformsToReceiving(kind: string, carrier: ReceivingCarrier): void {
  describe(`${kind} as a carrier that calls us`, () => {
    const publicUrl = 'https://linehook.example.com/phone'
    let context: Context
    let web: TestWeb
    let line: TestLine
    let ids: Record<'own' | 'other', string>

    before(async () => {
      context = await createTestContext({ PUBLIC_URL: publicUrl })
      web = await serveApp(context)
      const own = await addCarrierAccount(context, { name: 'own', kind, settings: carrier.settings })
      const other = await addCarrierAccount(context, { name: 'other', kind, settings: carrier.otherSettings })
      ids = { own: own.id, other: other.id }
      line = await createLine(context, { carrierAccount: 'own', outgoingUrl: 'http://127.0.0.1:1/' })
    })
    after(async () => {
      await web.close()
      await context.close()
    })

    async function call(make: MakeRequest, { name = carrier.messageCallback, account = ids.own } = {}) {
      const path = `/carriers/${kind}/${account}/${name}`
      return web.request(path, { method: 'POST', ...make(publicUrl + path) })
    }
    const textOf = (id: string, text = 'Hi') => carrier.message({ id, from: SENDER, to: line.number, text })

    it('brings a text, once, however often it repeats it, also at the same moment', async () => {
      const id = newId()
      const answers = await Promise.all([1, 2, 3].map(() => call(textOf(id, 'Zoë & "me" 🙂'))))
      answers.push(await call(textOf(id, 'Zoë & "me" 🙂')))
      for (const { status } of answers) expect(status).to.equal(200)
      const rows = await context
        .db('messages')
        .where({ carrier_message_id: id })
        .select('text', 'line_id', 'from_number')
      expect(rows).to.deep.equal([{ text: 'Zoë & "me" 🙂', line_id: line.lineId, from_number: SENDER }])
      expect(await context.db('events').where({ line_id: line.lineId })).to.have.length(1)
    })

    it('reports that a message was delivered', async () => {
      const carrierMessageId = newId()
      const messageId = await queueMessage(context, line, { status: 'sent', claim_id: newId() })
      await nameAtCarrier(context, messageId, carrierMessageId, 'own')
      const report = { name: carrier.statusCallback }
      expect(await call(carrier.delivered(carrierMessageId), report)).to.include({ status: 200 })
      expect(await call(carrier.delivered(carrierMessageId), report)).to.include({ status: 200 })
      expect(await context.db('messages').where({ id: messageId }).pluck('status')).to.deep.equal([
        'delivered',
      ])
    })

    it('is refused where its secret does not fit, and brings nothing', async () => {
      const before = await countRows(context, 'messages')
      const unsigned = (url: string) => ({ ...textOf(newId())(url), headers: typeOf(textOf(newId())(url)) })
      const refused = await Promise.all([
        call(textOf(newId()), { account: ids.other }),
        call(unsigned),
        call((url) => ({ ...textOf(newId())(url), body: textOf(newId(), 'another')(url).body ?? null })),
      ])
      for (const { status, text } of refused) {
        expect(status).to.equal(403)
        expect(text).to.match(/does(n’t| not) (fit|match)/)
      }
      expect(await countRows(context, 'messages')).to.equal(before)
    })

    it('is told what is not there: the account, the callback, the line', async () => {
      expect(await call(textOf(newId()), { account: newId() })).to.include({ status: 404 })
      expect(await call(textOf(newId()), { account: 'x' })).to.include({ status: 404 })
      expect(await call(textOf(newId()), { name: 'nothing' })).to.include({ status: 404 })
      const elsewhere = carrier.message({ id: newId(), from: SENDER, to: '+15550009999', text: 'Hi' })
      expect(await call(elsewhere)).to.include({ status: carrier.keepsStray === true ? 200 : 404 })
      expect(await web.post(`/carriers/nothing/${ids.own}/${carrier.messageCallback}`, {})).to.include({
        status: 404,
      })
    })

    it('does not come in by the account of another kind', async () => {
      const path = `/carriers/${kind === 'http' ? 'twilio' : 'http'}/${ids.own}/message`
      const answer = await web.request(path, { method: 'POST', ...textOf(newId())(publicUrl + path) })
      expect(answer.status).to.equal(404)
    })
  })
}

/** The Content-Type alone. */
function typeOf({ headers }: RequestInit): Record<string, string> {
  return { 'Content-Type': new Headers(headers).get('Content-Type') ?? '' }
}
