import { expect } from 'chai'
import type { PduFields } from 'smpp'
import { inboundOf } from '../../../../dev/smsc/messages.js'
import { listUnclearCallbacks } from '../../../../src/domain/carriers/unclear-callbacks.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { ANNA, messageRow, queueMessage, changeRows } from '../../fixtures.js'
import { addSmppAccount, arrive, receiveDelivery, receivedTexts, type SmppAccount } from './fixtures.js'

const OTHER = '+15005550142'
const STANDARD = 'sub:001 dlvrd:001 submit date:2611211200 done date:2611211201 stat:DELIVRD err:000'

/** What an SMSC answers, and its receipt. How receipts are written is in `test/carriers/smpp/receipts.test.ts`. */
const FORMS: [what: string, given: string, text: string, fields?: PduFields][] = [
  ['SMPP 3.4, appendix B', '0911897980', `id:0911897980 ${STANDARD} text:-PROFILE`],
  ['an id in the other case', '33E95179A', `id:33e95179a ${STANDARD}`],
  ['an id filled with zeros', '12345', `id:0000012345 ${STANDARD}`],
  ['an id without the zeros that it was given with', '0000054321', `id:54321 ${STANDARD}`],
  ['jSMPP’s simulator: hex given, decimal of ten digits', '33E95178', `id:0870928760 ${STANDARD}`],
  ['decimal given, hex in the receipt', '870928762', `id:33E9517A ${STANDARD}`],
  [
    'a TLV beside another id in its text',
    '1d305b4c',
    `id:9999999999 ${STANDARD} text:`,
    { receipted_message_id: '1d305b4c', message_state: 2 },
  ],
]

describeContext('receipts of SMSCs', (context) => {
  let account: SmppAccount
  let line: TestLine

  before(async () => {
    account = await addSmppAccount(context, 'forms')
  })
  beforeEach(async () => {
    line = await createLine(context, { carrierAccount: 'forms' })
  })

  const texts = () => receivedTexts(context, line.lineId)

  /** As the SMSC's answer leaves it. */
  async function sent(given: string, to_number = ANNA): Promise<string> {
    const { id, claim } = await claimed(to_number)
    await settle(id, claim, given)
    return id
  }
  /** As a worker does before it asks the SMSC. */
  async function claimed(to_number = ANNA, claimed_at = new Date()): Promise<{ id: string; claim: string }> {
    const [id, claim] = [await queueMessage(context, line, { to_number }), newId()]
    const lease = { claim_id: claim, claimed_at, lease_until: new Date(claimed_at.getTime() + 15_000) }
    await changeRows(context, 'messages', id, { status: 'sending', carrier: account.name, ...lease })
    return { id, claim }
  }
  async function settle(
    id: string,
    claim: string,
    carrierMessageId: string | null,
    more: { status?: string; carrierPartIds?: string[] } = {},
  ): Promise<void> {
    const settlement = { id, claim, status: 'sent', carrier: account.name, carrierMessageId, ...more }
    await context.db.raw('select * from settle_messages(?::jsonb)', [JSON.stringify([settlement])])
  }
  const bring = (text: string, fields: PduFields = {}, from = ANNA) =>
    receiveDelivery(context, account, arrive({ ...inboundOf(from, line.number, text), ...fields }))
  const stateOf = async (id: string) => (await messageRow(context, id)).status

  for (const [what, given, text, fields] of FORMS) {
    for (const [marked, esm_class] of [
      ['', 4],
      [' although nothing marks them', 0],
    ] as const) {
      it(`find their message${marked}: ${what}`, async () => {
        const id = await sent(given)
        expect(await bring(text, { esm_class, ...fields })).to.deep.equal({ status: 'ESME_ROK' })
        expect(await stateOf(id)).to.equal('delivered')
        expect(await texts()).to.deep.equal([])
      })
    }
  }

  it('that nothing marks and that are not final are no texts either', async () => {
    const id = await sent('enroute')
    await bring('id:enroute sub:001 dlvrd:000 stat:ENROUTE err:000')
    expect(await stateOf(id)).to.equal('sent')
    expect(await texts()).to.deep.equal([])
  })

  it('that cannot be read are kept for operators, with their bytes, once', async () => {
    const id = await sent('odd')
    const text = 'id:odd stat:LOVELY err:007'
    for (let n = 0; n < 2; n += 1) {
      expect(await bring(text, { esm_class: 4 })).to.deep.equal({ status: 'ESME_ROK' })
    }
    expect(await stateOf(id)).to.equal('sent')
    expect(await texts()).to.deep.equal([])
    const kept = await listUnclearCallbacks(context, account)
    expect(kept.map(({ why, name }) => ({ why, name }))).to.deep.equal([
      { why: 'a receipt with the state "LOVELY"', name: 'received' },
    ])
    expect(Buffer.from(String(kept[0]?.body), 'hex').toString('latin1')).to.include(text)
  })

  for (const [what, text] of [
    ['has an id of ours that was sent to somebody else', 'id:mine stat:DELIVRD'],
    ['has an id of nobody', 'id:foreign stat:DELIVRD'],
  ] as const) {
    it(`are not what a person writes, if it ${what}: the owner gets it`, async () => {
      const id = await sent('mine', OTHER)
      await bring(text)
      expect(await texts()).to.deep.equal([text])
      expect(await stateOf(id)).to.equal('sent')
    })
  }

  for (const text of [
    'Your id: 12, please. What is the stat?',
    'id:mine',
    'stat:DELIVRD',
    'id:mine stat:LOVELY',
  ]) {
    it(`are not what only looks a bit like one, and nobody waits for it: ${text}`, async () => {
      await sent('mine')
      const began = performance.now()
      await bring(text)
      expect(await texts()).to.deep.equal([text])
      expect(performance.now() - began).to.be.below(4000)
    })
  }

  describe('of parts', () => {
    let part = 0
    for (const [said, end] of [
      [['DELIVRD 1', 'DELIVRD 2'], 'sent'],
      [['DELIVRD 3'], 'delivered'],
      [['UNDELIV 1', 'DELIVRD 3'], 'failed'],
      [['DELIVRD 3', 'UNDELIV 2'], 'failed'],
      [['DELIVRD 1', 'UNDELIV 3'], 'failed'],
      [['DELIVRD 3', 'UNDELIV 3'], 'delivered'],
    ] as const) {
      it(`that say ${said.join(', then ')} of three leave a text ${end}`, async () => {
        const { id, claim } = await claimed()
        await context.db('messages').where({ id }).update({ segment_count: 3 })
        const [first, second, third] = [(part += 1), (part += 1), (part += 1)].map((n) => `part${n}`)
        await settle(id, claim, third!, { carrierPartIds: [first!, second!] })
        for (const each of said) {
          const [stat, n] = each.split(' ')
          const partId = [first, second, third][Number(n) - 1]
          await bring(`id:${partId} stat:${stat} err:001`, { esm_class: 4 })
        }
        expect(await stateOf(id)).to.equal(end)
      })
    }

    it('are answered at once while their text goes on, unless one failed', async () => {
      const underWay = new Set(['going1'])
      await claimed()
      const about = (stat: string) => {
        const short_message = Buffer.from(`id:going1 stat:${stat} err:001`)
        const receipt = arrive({ ...inboundOf(ANNA, line.number, ''), short_message, esm_class: 4 })
        return receiveDelivery(context, account, receipt, underWay)
      }
      expect(await about('DELIVRD')).to.deep.equal({ status: 'ESME_ROK' })
      expect(await about('UNDELIV')).to.deep.equal({ status: 'ESME_RX_T_APPN' })
    })

    it('settle a text that is unknown because a later part was not taken, only if they failed', async () => {
      const { id, claim } = await claimed()
      await settle(id, claim, null, { status: 'unknown', carrierPartIds: ['taken1', 'taken2'] })
      expect(await bring('id:taken1 stat:DELIVRD err:000', { esm_class: 4 })).to.deep.equal({
        status: 'ESME_ROK',
      })
      expect(await stateOf(id)).to.equal('unknown')
      await bring('id:taken2 stat:UNDELIV err:001', { esm_class: 4 })
      expect(await stateOf(id)).to.equal('failed')
    })

    it('count together if they come together: a failed part decides', async () => {
      const { id, claim } = await claimed()
      await context.db('messages').where({ id }).update({ segment_count: 2 })
      await settle(id, claim, 'last', { carrierPartIds: ['first'] })
      await Promise.all(
        ['last DELIVRD', 'first UNDELIV'].map((each) => {
          const [partId, stat] = each.split(' ')
          return bring(`id:${partId} stat:${stat} err:001`, { esm_class: 4 })
        }),
      )
      expect(await stateOf(id)).to.equal('failed')
    })
  })

  describe('of an id that the SMSC has given twice', () => {
    const receipt = (id: string, stat: string) => `id:${id} sub:001 dlvrd:000 stat:${stat} err:001`

    it('count for the newest message', async () => {
      const [old, young] = [await sent('twice'), await sent('twice')]
      await bring(receipt('twice', 'UNDELIV'), { esm_class: 4 })
      expect([await stateOf(old), await stateOf(young)]).to.deep.equal(['sent', 'failed'])
    })

    it('count for the message to their number, also if it is the old one', async () => {
      const [old, young] = [await sent('both', ANNA), await sent('both', OTHER)]
      await bring(receipt('both', 'UNDELIV'), { esm_class: 4 }, ANNA)
      expect([await stateOf(old), await stateOf(young)]).to.deep.equal(['failed', 'sent'])
      await bring(receipt('both', 'DELIVRD'), { esm_class: 4 }, OTHER)
      expect([await stateOf(old), await stateOf(young)]).to.deep.equal(['failed', 'delivered'])
    })

    it('may write their number as people of the country do, or not at all', async () => {
      const [old, young] = [await sent('national', OTHER), await sent('national', ANNA)]
      await bring(receipt('national', 'DELIVRD'), {
        esm_class: 4,
        source_addr: ANNA.slice(2),
        source_addr_ton: 2,
      })
      expect([await stateOf(old), await stateOf(young)]).to.deep.equal(['sent', 'delivered'])
      const newest = await sent('national', OTHER)
      await bring(receipt('national', 'DELIVRD'), { esm_class: 4, source_addr: '' })
      expect([await stateOf(old), await stateOf(newest)]).to.deep.equal(['sent', 'delivered'])
    })

    it('and that come before the answer to the second message wait for it', async () => {
      const old = await sent('race')
      const { id: young, claim } = await claimed()
      const receiving = bring(receipt('race', 'UNDELIV'), { esm_class: 4 })
      await settle(young, claim, 'race')
      await receiving
      expect([await stateOf(old), await stateOf(young)]).to.deep.equal(['sent', 'failed'])
    })

    it('are told apart after both messages are settled again and again', async () => {
      const [old, young] = [await sent('often'), await sent('often')]
      for (const id of [old, young, old, young]) {
        const { claim_id: claim } = await messageRow(context, id)
        await settle(id, String(claim), 'often')
      }
      const again = await context.db('carrier_message_ids_again').where({ carrier_message_id: 'often' })
      expect(again.map(({ message_id }: { message_id: string }) => message_id)).to.deep.equal([young])
    })
  })

  // Waiting for each of them would take longer than a test may.
  const MANY = Array.from({ length: 15 }, (_, n) => `id:foreign${n} stat:DELIVRD`)

  it('are answered at once if nothing is being handed over that they may be about', async () => {
    await claimed(OTHER)
    await claimed(ANNA, new Date(Date.now() + 3_600_000))
    for (const text of MANY) {
      expect(await bring(text, { esm_class: 4 })).to.deep.equal({ status: 'ESME_ROK' })
      expect(await bring(text)).to.have.property('confirmId')
    }
    expect(await texts()).to.deep.equal(MANY)
  })

  it('have to come again if the answer to their text takes long', async () => {
    const { id, claim } = await claimed()
    const bringEarly = () => bring('id:early stat:DELIVRD', { esm_class: 4 })
    expect(await bringEarly()).to.deep.equal({ status: 'ESME_RX_T_APPN' })
    await settle(id, claim, 'early')
    expect(await bringEarly()).to.deep.equal({ status: 'ESME_ROK' })
    expect(await stateOf(id)).to.equal('delivered')
  })

  it('without a number have to come again if any text is being handed over', async () => {
    await claimed(OTHER)
    const early = await bring('id:soon stat:DELIVRD', { esm_class: 4, source_addr: '' })
    expect(early).to.deep.equal({ status: 'ESME_RX_T_APPN' })
  })

  it('in another form of the id count only for the number that they name', async () => {
    const id = await sent('291', OTHER)
    await bring('id:123 stat:UNDELIV', { esm_class: 4 })
    expect(await stateOf(id)).to.equal('sent')
    await bring('id:123 stat:UNDELIV', { esm_class: 4 }, OTHER)
    expect(await stateOf(id)).to.equal('failed')
  })
})
