import { expect } from 'chai'
import { inboundOf, receiptOf } from '../../../../dev/smsc/messages.js'
import { CARRIER_REASONS } from '../../../../src/carrier-reasons.js'
import { takeDelivery } from '../../../../src/carriers/smpp/listen.js'
import { smpp } from '../../../../src/carriers/smpp/package.js'
import { confirmArrivals, deleteOldArrivals } from '../../../../src/database/messages/arrivals.js'
import { findMessage } from '../../../../src/database/messages/reading.js'
import { insertPart } from '../../../../src/database/text-parts.js'
import { receiveStaleTexts } from '../../../../src/domain/carriers/held-accounts/long-texts.js'
import { receivingTools } from '../../../../src/domain/carriers/held-accounts/receive.js'
import { listUnclearCallbacks } from '../../../../src/domain/carriers/unclear-callbacks.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { newId } from '../../../../src/ids.js'
import { presentMessage } from '../../../../src/web/api/presenters.js'
import { describeContext, joinService } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { memoryLog } from '../../../helpers/process/log.js'
import {
  ANNA,
  countRows,
  inboundText,
  messageRow,
  queueMessage,
  toldReasons,
  nameAtCarrier,
  changeRows,
} from '../../fixtures.js'
import {
  addSmppAccount,
  arrive,
  partOf,
  receiveDelivery,
  receivedTexts,
  type SmppAccount,
} from './fixtures.js'

const readHex = (body: Buffer) => Buffer.from(String(body), 'hex').toString('latin1')

describeContext('what an SMSC brings to a line', (context) => {
  let account: SmppAccount
  let line: TestLine

  before(async () => {
    account = await addSmppAccount(context, 'smsc')
  })
  beforeEach(async () => {
    line = await createLine(context, { carrierAccount: 'smsc' })
    account.openSessionIds = () => []
  })

  const receive = (delivery: ReturnType<typeof arrive>) => receiveDelivery(context, account, delivery)
  const hi = () => inboundOf(ANNA, line.number, 'Hi')
  const texts = () => receivedTexts(context, line.lineId)

  it('is a message and an event, and the arrival is remembered until it is confirmed', async () => {
    const delivery = arrive(hi())
    expect(await receive(delivery)).to.deep.equal({ status: 'ESME_ROK', confirmId: delivery.id })
    expect(await texts()).to.deep.equal(['Hi'])
    const events = await context.db('events').where({ line_id: line.lineId }).select()
    expect(events).to.have.length(1)
    expect(events[0]).to.include({ payload: 'Hi', from_number: ANNA, to_number: line.number })
    await confirmArrivals(context.db, [delivery.id])
    expect(await context.db('smpp_inbound').where({ id: delivery.id })).to.deep.equal([])
  })

  it('for a Mexican line, with the 1 of old in both numbers, is for the line', async () => {
    const mexican = await createLine(context, { carrierAccount: 'smsc', number: '+525587654321' })
    await receive(arrive(inboundOf('+5215512345678', '+5215587654321', 'Hola')))
    const messages = context.db('messages').where({ line_id: mexican.lineId })
    expect(await messages.select('from_number', 'to_number', 'text')).to.deep.equal([
      { from_number: '+525512345678', to_number: '+525587654321', text: 'Hola' },
    ])
  })

  describe('again:', () => {
    const age = (id: string, by: string) =>
      changeRows(context, 'smpp_inbound', id, {
        created_at: context.db.raw(`created_at - ?::interval`, [by]),
      })

    it('after its session is over, it is a repeat, however often', async () => {
      const first = arrive(hi())
      await receive(first)
      for (let n = 0; n < 3; n += 1)
        expect(await receive(arrive(hi()))).to.deep.equal({ status: 'ESME_ROK', confirmId: first.id })
      expect(await texts()).to.have.length(1)
    })

    it('after two of the same in one session, both are repeats', async () => {
      const sessionId = newId()
      const first = [arrive(hi(), sessionId), arrive(hi(), sessionId)]
      for (const each of first) await receive(each)
      const next = newId()
      const confirmIds: unknown[] = []
      for (let n = 0; n < 2; n += 1) confirmIds.push((await receive(arrive(hi(), next))).confirmId)
      expect(confirmIds).to.have.members(first.map(({ id }) => id))
      expect(await texts()).to.have.length(2)
    })

    it('in the same session it is said twice, as in another that is open here', async () => {
      const [one, other] = [newId(), newId()]
      account.openSessionIds = () => [one, other]
      for (const sessionId of [one, one, other]) await receive(arrive(hi(), sessionId))
      expect(await texts()).to.have.length(3)
    })

    it('in the same session it is said twice, however long after', async () => {
      const one = newId()
      account.openSessionIds = () => [one]
      const first = arrive(hi(), one)
      await receive(first)
      await age(first.id, '6 seconds')
      await receive(arrive(hi(), one))
      expect(await texts()).to.have.length(2)
    })

    it('while the other session has been silent for longer than an SMSC waits, it is a repeat', async () => {
      const [one, other] = [newId(), newId()]
      account.openSessionIds = () => [one, other]
      const first = arrive(hi(), one)
      await receive(first)
      await age(first.id, '6 seconds')
      expect((await receive(arrive(hi(), other))).confirmId).to.equal(first.id)
      expect(await texts()).to.have.length(1)
    })

    it('after it was confirmed it is another message', async () => {
      const first = arrive(hi())
      await receive(first)
      await confirmArrivals(context.db, [first.id])
      await receive(arrive(hi()))
      expect(await texts()).to.have.length(2)
    })

    it('an hour later it is another message, and after a week the old arrival is forgotten', async () => {
      const first = arrive(hi())
      await receive(first)
      await age(first.id, '61 minutes')
      await receive(arrive(hi()))
      expect(await texts()).to.have.length(2)
      expect(await deleteOldArrivals(context.db)).to.equal(0)
      await age(first.id, '7 days')
      expect(await deleteOldArrivals(context.db)).to.equal(1)
    })

    it('the same arrival, whose commit nobody heard of, is one message', async () => {
      const delivery = arrive(hi())
      account.openSessionIds = () => [delivery.sessionId]
      await receive(delivery)
      expect((await receive(delivery)).confirmId).to.equal(delivery.id)
      expect(await texts()).to.have.length(1)
    })

    it('of ten sessions at once, it is one message', async () => {
      await Promise.all(Array.from({ length: 10 }, () => receive(arrive(hi()))))
      expect(await texts()).to.have.length(1)
    })

    it('at another account it is another message', async () => {
      const other = await addSmppAccount(context, `other-${newId().slice(-6)}`)
      await receive(arrive(hi()))
      const refused = await receiveDelivery(context, other, arrive(hi()))
      expect(refused).to.deep.equal({ status: 'ESME_RX_P_APPN' })
    })
  })

  describe('finds the line and the sender:', () => {
    const deliver = (fields: Record<string, string | number>) =>
      receive(arrive({ ...hi(), ...fields, short_message: Buffer.from(newId()) }))
    const senders = async () =>
      (await context.db('messages').where({ line_id: line.lineId }).orderBy('id').select('from_number')).map(
        ({ from_number }: { from_number: string }) => from_number,
      )

    it('national numbers are of the line’s country; short codes and names stay as they are', async () => {
      const national = line.number.slice(2)
      expect(await deliver({ destination_addr: national, dest_addr_ton: 2 })).to.have.property(
        'status',
        'ESME_ROK',
      )
      expect(await deliver({ destination_addr: line.number.slice(1), dest_addr_ton: 0 })).to.have.property(
        'status',
        'ESME_ROK',
      )
      await deliver({ source_addr: '5005550101', source_addr_ton: 2 })
      await deliver({ source_addr: '72975', source_addr_ton: 3 })
      await deliver({ source_addr: 'Bank', source_addr_ton: 5 })
      expect(await senders()).to.deep.equal([ANNA, ANNA, ANNA, '72975', 'Bank'])
    })

    it('a number that is no line of the account is refused for good, and its text is kept for operators', async () => {
      const elsewhere = await createLine(context)
      const numbers = ['19998887777', elsewhere.number.slice(1), 'x', '']
      for (const number of numbers)
        expect(await deliver({ destination_addr: number })).to.deep.equal({ status: 'ESME_RX_P_APPN' })
      expect(await receivedTexts(context, elsewhere.lineId)).to.deep.equal([])
      const kept = await listUnclearCallbacks(context, account)
      const bodies = kept.map(({ body }) => readHex(body)).reverse()
      for (const [n, number] of numbers.entries()) expect(bodies.at(n - numbers.length)).to.include(number)
      expect(kept[0]).to.include({ count: 1, why: 'a text to a number that has no line on this account' })
    })

    it('a text for no line that the SMSC sends again is kept once; of many, only the newest are kept', async () => {
      const stray = (text: string) => ({ ...inboundOf(ANNA, '+19998887777', text) })
      const kept = async () =>
        (await listUnclearCallbacks(context, account)).map(({ body, count }) => ({
          text: readHex(body),
          count,
        }))
      for (const text of ['again and again', ...Array.from({ length: 99 }, (_, n) => `stray ${n}`)])
        await receive(arrive(stray(text)))
      await receive(arrive(stray('again and again')))
      expect((await kept())[0]).to.have.property('count', 2)
      await receive(arrive(stray('one more')))
      const all = await kept()
      expect(all).to.have.length(100)
      expect(all[0]?.text).to.include('one more')
      expect(all.some(({ text }) => text.includes('stray 0'))).to.equal(false)
    })
  })

  it('to numbers without a line are logged once for each number, and all are kept', async () => {
    const { log, lines } = memoryLog()
    const logging = { ...context, log }
    const tools = receivingTools(logging, account)
    const take = (number: string, text: string) =>
      takeDelivery(arrive(inboundOf(ANNA, number, text)), account.settings, tools)
    const countLogged = () => lines.filter(({ msg }) => msg === 'callback.unclear').length
    const kept = async () => (await listUnclearCallbacks(context, account)).map(({ body }) => readHex(body))
    await context.db('unclear_callbacks').delete()

    for (const text of ['first', 'second', 'third']) await take('+19998887777', text)
    await take('+19998887778', 'other number')
    expect(countLogged()).to.equal(2)
    expect(await kept()).to.have.length(4)
    // What is unreadable is no text to a number, and is logged each time.
    for (const body of ['1', '2']) await tools.keepUnclear({ why: 'unreadable', body: Buffer.from(body) })
    expect(countLogged()).to.equal(4)

    const others = Array.from({ length: 1000 }, (_, n) => `+1999777${String(n).padStart(4, '0')}`)
    // As many at a time as are quick: one by one takes a busy machine long.
    while (others.length > 0) await Promise.all(others.splice(0, 50).map((number) => take(number, 'x')))
    await take('+19998887777', 'forgotten meanwhile')
    expect(countLogged()).to.equal(4 + 1001)
  })

  it('that nobody can read is an event all the same, which shows its bytes', async () => {
    const delivery = arrive({ ...hi(), data_coding: 4, short_message: Buffer.from('0001fe', 'hex') })
    expect(await receive(delivery)).to.deep.equal({ status: 'ESME_ROK', confirmId: delivery.id })
    const shown = '[data coding 4, not readable as text: 0001fe]'
    expect(await texts()).to.deep.equal([shown])
    const events = await context.db('events').where({ line_id: line.lineId }).select('payload')
    expect(events).to.deep.equal([{ payload: shown }])
  })

  describe('in parts', () => {
    let whole: { from: string; to: string; reference: number; total: number }
    const otherProcess = joinService(context)
    const part = (number: number, text: string) => partOf(whole, number, smpp.encodings.ASCII.encode(text))

    beforeEach(() => {
      whole = { from: ANNA, to: line.number, reference: 7, total: 3 }
    })

    for (const order of [
      [1, 2, 3],
      [3, 1, 2],
      [2, 3, 1],
    ]) {
      it(`that come as ${order.join(', ')} is one message`, async () => {
        for (const number of order) {
          expect(await texts()).to.deep.equal([])
          await receive(arrive(part(number, `[${number}]`)))
        }
        expect(await texts()).to.deep.equal(['[1][2][3]'])
        expect(await countRows(context, 'smpp_parts')).to.equal(0)
      })
    }

    it('that come to two processes at once is one message', async () => {
      whole.total = 20
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          receiveDelivery(n % 2 ? context : otherProcess, account, arrive(part(n + 1, `${n + 1} `))),
        ),
      )
      expect(await texts()).to.deep.equal([Array.from({ length: 20 }, (_, n) => `${n + 1} `).join('')])
    })

    it('of which another message has taken one is no message: who takes all makes it', async () => {
      const [taken, left] = [newId(), newId()]
      const longText = {
        carrierAccount: 'smsc',
        fromNumber: ANNA,
        toNumber: line.number,
        reference: 7,
        total: 2,
      }
      await insertPart(context.db, longText, {
        id: left,
        number: 2,
        ...{ bytes: Buffer.from('b'), coding: 'gsm-7 0 0' },
      })
      const outcome = await receiveMessage(
        context,
        inboundText(line, { carrierAccount: 'smsc', carrierMessageId: taken }),
        { partIds: [taken, left] },
      )
      expect(outcome).to.deep.equal({ kind: 'repeat' })
      expect(await texts()).to.deep.equal([])
      await context.db('smpp_parts').where({ id: left }).delete()
    })

    it('that come again and again is one message', async () => {
      for (const number of [1, 1, 2, 1, 3, 2, 3, 1]) await receive(arrive(part(number, `[${number}]`)))
      expect(await texts()).to.deep.equal(['[1][2][3]'])
      expect(await countRows(context, 'smpp_parts')).to.equal(0)
    })

    it('with a character cut in two, in two encodings', async () => {
      whole.total = 3
      await receive(arrive(partOf(whole, 1, Buffer.from('0041d83d', 'hex'), 8)))
      await receive(arrive(partOf(whole, 2, Buffer.from('de420042', 'hex'), 8)))
      await receive(arrive(part(3, 'é{}')))
      expect(await texts()).to.deep.equal(['A🙂Bé{}'])
    })

    it('with an escape before a cut, and a unit of UTF-16 at one', async () => {
      whole.total = 4
      for (const [number, hex, dataCoding] of [
        [2, '6542', 0],
        [4, '42', 8],
        [1, '411b', 0],
        [3, '004100', 8],
      ] as const)
        await receive(arrive(partOf(whole, number, Buffer.from(hex, 'hex'), dataCoding)))
      expect(await texts()).to.deep.equal(['A€BAB'])
    })

    it('of two texts with one reference are two messages', async () => {
      whole.total = 2
      for (const [number, text] of [
        [1, 'a1'],
        [2, 'a2'],
        [1, 'b1'],
        [2, 'b2'],
      ] as const)
        await receive(arrive(part(number, text)))
      expect(await texts()).to.deep.equal(['a1a2', 'b1b2'])
    })

    it('whose others never come is a message with a mark for what is missing', async () => {
      whole.total = 5
      await receive(arrive(part(2, 'b')))
      await receive(arrive(part(5, 'e')))
      await receiveStaleTexts(context)
      expect(await texts()).to.deep.equal([])
      await context
        .db('smpp_parts')
        .update({ created_at: context.db.raw(`created_at - interval '11 minutes'`) })
      await Promise.all([receiveStaleTexts(context), receiveStaleTexts(otherProcess)])
      expect(await texts()).to.deep.equal(['[…]b[…]e'])
      expect(await countRows(context, 'smpp_parts')).to.equal(0)
    })
  })

  describe('a receipt', () => {
    async function sent(carrierMessageId: string): Promise<string> {
      const id = await queueMessage(context, line, { status: 'sent', carrier_message_id: carrierMessageId })
      await nameAtCarrier(context, id, carrierMessageId, 'smsc')
      return id
    }
    const receiptFor = (id: string, stat?: string, err?: string) => {
      const taken = { id, from: line.number, to: ANNA, esmClass: 0, dataCoding: 0, registeredDelivery: 1 }
      return arrive(receiptOf({ ...taken, body: Buffer.alloc(0), isPayload: false }, stat, err))
    }

    it('moves its message on', async () => {
      const [delivered, failed] = [await sent('d1'), await sent('f1')]
      expect(await receive(receiptFor('d1'))).to.deep.equal({ status: 'ESME_ROK' })
      await receive(receiptFor('f1', 'UNDELIV', '001'))
      expect(await messageRow(context, delivered)).to.include({ status: 'delivered' })
      expect(await messageRow(context, failed)).to.include({ status: 'failed', carrier_code: 'UNDELIV/001' })
      expect(await texts()).to.deep.equal([])
    })

    it('tells what its state means, and what the SMSC’s own error does where the account’s settings say it', async () => {
      const asking = { outgoingUrl: 'http://127.0.0.1:9/events', optInEvents: ['messageStatus'] }
      line = await createLine(context, { carrierAccount: 'smsc', ...asking })
      const [, unknown, known] = await Promise.all(['e1', 'u1', 'k1'].map(sent))
      const knowing = { ...account, settings: { ...account.settings, receiptErrors: '27 no_credit' } }
      await receive(receiptFor('e1', 'EXPIRED', '001'))
      await receive(receiptFor('u1', 'UNDELIV', '001'))
      await receiveDelivery(context, knowing, receiptFor('k1', 'UNDELIV', '027'))
      expect(await toldReasons(context, line.lineId)).to.deep.equal(['expired', null, 'no_credit'])

      const shown = async (id = '') => {
        const message = await findMessage(context.db, line.userId, id)
        return message && presentMessage(context, message)
      }
      expect(await shown(unknown)).to.deep.include({
        ...{
          error: "undeliverable (the SMSC's code 001)",
          carrierCode: 'UNDELIV/001',
          carrierCodeMeaning: null,
        },
      })
      expect(await shown(known)).to.deep.include({
        ...{ error: 'undeliverable', carrierCode: 'UNDELIV/027' },
        carrierCodeMeaning: { reason: 'no_credit', text: CARRIER_REASONS.no_credit.text },
      })
    })

    it('that is faster than what it is about waits for it', async () => {
      const receiving = receive(receiptFor('early'))
      const id = await sent('early')
      await receiving
      expect(await messageRow(context, id)).to.include({ status: 'delivered' })
    })
  })
})
