import { expect } from 'chai'
import { findPeer } from '../../../src/database/lines/line-peers.js'
import { applyReceipts, type Receipt } from '../../../src/database/messages/receipts.js'
import { getCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { receiveReceipt, receiveReceipts } from '../../../src/domain/messages/receipts.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { failure } from '../../helpers/failure.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import { sendNew, receiveNew, hasMessageJob, messageRow, queueMessage, UNLIMITED } from '../fixtures.js'

describeContext('a receipt', (context) => {
  let line: TestLine

  before(async () => {
    line = await createLine(context, UNLIMITED)
  })

  async function sentMessage(): Promise<{ id: string; carrierMessageId: string }> {
    const id = await sendNew(context, line)
    const { carrier_message_id: carrierMessageId } = await messageRow(context, id)
    return { id, carrierMessageId: carrierMessageId! }
  }

  function report(fields: Partial<Receipt>): Promise<boolean> {
    return receiveReceipt(context, {
      carrierAccount: 'simulator',
      carrierMessageId: newId(),
      status: 'delivered',
      ...fields,
    })
  }

  it('that tells of an opt-out is applied with the opt-out, or not at all', async () => {
    const { id, carrierMessageId } = await sentMessage()
    const { to_number: number } = await messageRow(context, id)
    const told = { carrierMessageId, status: 'failed', error: 'opted out', isOptedOut: true } as const
    const optedOutAt = async () =>
      (await findPeer(context.db, line.userId, line.lineId, number))?.optedOutAt ?? null
    await context.db.raw(`alter table line_peers add constraint away check (opted_out_at is null)`)
    try {
      await failure(report(told))
      expect(await messageRow(context, id)).to.include({ status: 'sent' })
    } finally {
      await context.db.raw('alter table line_peers drop constraint away')
    }
    expect(await report(told), 'when the carrier repeats it').to.equal(true)
    expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'opted out' })
    expect(await optedOutAt()).to.be.a('date')
    await context.db('line_peers').delete()
  })

  it('that tells of an opt-out makes one event, however many texts to the number come back together', async () => {
    const outgoingUrl = 'http://127.0.0.1:9/events'
    const asking = await createLine(context, { ...UNLIMITED, outgoingUrl, optInEvents: ['optOut'] })
    const ids = [await sendNew(context, asking), await sendNew(context, asking)]
    const receipts: Receipt[] = []
    for (const id of ids) {
      const { carrier_message_id: carrierMessageId } = await messageRow(context, id)
      const told = { status: 'failed', error: 'opted out', isOptedOut: true } as const
      receipts.push({ carrierAccount: 'simulator', carrierMessageId: carrierMessageId!, ...told })
    }
    const answers = await receiveReceipts(context, receipts)
    expect(answers).to.containSubset(ids.map((id) => ({ changed: { id, status: 'failed' } })))
    expect(await context.db('events').where({ line_id: asking.lineId, type: 'optOut' })).to.have.length(1)
  })

  const FAILED = { status: 'failed', error: 'no such number', carrierCode: '30003' } as const
  for (const [said, end] of [
    ['delivered', { status: 'delivered', error: null }],
    ['delivered, delivered', { status: 'delivered', error: null }],
    ['failed', { status: 'failed', error: 'no such number', carrier_code: '30003' }],
    ['delivered, failed', { status: 'delivered', error: null }],
    ['failed, delivered', { status: 'failed', error: 'no such number' }],
    ['sent', { status: 'sent', error: null }],
    ['delivered, sent', { status: 'delivered', error: null }],
    ['failed, sent', { status: 'failed', error: 'no such number' }],
  ] as const) {
    it(`that says ${said} of a sent message, found by the carrier’s id, leaves it ${end.status}`, async () => {
      const { id, carrierMessageId } = await sentMessage()
      for (const [n, status] of (said.split(', ') as Receipt['status'][]).entries()) {
        const before = await messageRow(context, id)
        const isChanged = n === 0 && status !== 'sent'
        const fields = status === 'failed' ? FAILED : { status }
        expect(await report({ carrierMessageId, ...fields })).to.equal(isChanged)
        if (!isChanged) expect(await messageRow(context, id)).to.deep.equal(before)
      }
      expect(await messageRow(context, id)).to.include(end)
    })
  }

  for (const [count, end] of [
    [1, 'delivered'],
    [2, 'failed'],
  ] as const) {
    it(`that says failed of a part leaves a delivered text of ${count} segments ${end}`, async () => {
      const { id, carrierMessageId } = await sentMessage()
      await context.db('messages').where({ id }).update({ segment_count: count })
      await report({ carrierMessageId, status: 'delivered' })
      expect(await report({ carrierMessageId, isOfPart: true, ...FAILED })).to.equal(end === 'failed')
      expect(await messageRow(context, id)).to.include({ status: end })
    })
  }

  it('that says sent makes an unknown message sent, and then another makes it delivered', async () => {
    const id = await queueMessage(context, line, {
      status: 'unknown',
      error: 'worker_lost',
      claim_id: newId(),
    })
    const carrierMessageId = newId()
    expect(await report({ messageId: id, carrierMessageId, status: 'sent' })).to.equal(true)
    const sent = await messageRow(context, id)
    expect(sent).to.include({ status: 'sent', error: null, carrier_message_id: carrierMessageId })
    expect(sent.sent_at).to.be.a('date')
    // Without our id now: the carrier's was written down.
    expect(await report({ carrierMessageId })).to.equal(true)
    const delivered = await messageRow(context, id)
    expect(delivered).to.include({ status: 'delivered' })
    expect(delivered.sent_at).to.deep.equal(sent.sent_at)
  })

  it('by our own id leaves the carrier’s id as it is, and adds another of the same message', async () => {
    const { id, carrierMessageId } = await sentMessage()
    const second = newId()
    await report({ messageId: id, carrierMessageId: second, status: 'sent' })
    expect(await messageRow(context, id)).to.include({ carrier_message_id: carrierMessageId })
    expect(await report({ carrierMessageId: second })).to.equal(true)
    expect(await messageRow(context, id)).to.include({ status: 'delivered' })
  })

  it('by our own id alone, without one of the carrier’s, concerns that message and no other', async () => {
    const ids = [
      await queueMessage(context, line, { status: 'unknown', claim_id: newId() }),
      await queueMessage(context, line, { status: 'unknown', claim_id: newId() }),
    ]
    for (const messageId of ids) {
      expect(await report({ messageId, carrierMessageId: '', status: 'sent' })).to.equal(true)
      expect(await messageRow(context, messageId)).to.include({ status: 'sent' })
    }
    expect(await report({ carrierMessageId: '' }), 'a report with no id at all').to.equal(false)
    expect(await report({ messageId: ids[0]!, carrierMessageId: '' })).to.equal(true)
    expect(await messageRow(context, ids[0]!)).to.include({ status: 'delivered' })
    expect(await messageRow(context, ids[1]!)).to.include({ status: 'sent', carrier_message_id: null })
  })

  it('that is the answer to a call of ours concerns its message, even if another has the same carrier’s id', async () => {
    const { id: other, carrierMessageId } = await sentMessage()
    const before = await messageRow(context, other)
    const late = await queueMessage(context, line, { status: 'unknown', error: 'carrier', claim_id: newId() })
    expect(await report({ messageId: late, carrierMessageId, isAnswer: true, status: 'sent' })).to.equal(true)
    expect(await messageRow(context, late)).to.include({
      status: 'sent',
      carrier_message_id: carrierMessageId,
    })
    expect(await messageRow(context, other)).to.deep.equal(before)
  })

  it('takes a message out of the queue that went back to it although the carrier has it', async () => {
    const id = await queueMessage(context, line, { claim_id: newId(), error: 'carrier_unavailable' })
    expect(await report({ messageId: id, status: 'sent' })).to.equal(true)
    expect(await messageRow(context, id)).to.include({ status: 'sent', error: null })
    expect(await context.batched.claimMessage({ id, claim: newId() })).to.deep.equal({ kind: 'missed' })
  })

  for (const status of ['sending', 'queued'] as const) {
    it(`of a message that is ${status} gives the next one to its number its turn`, async () => {
      const other = await createLine(context, UNLIMITED)
      const id = await queueMessage(context, other, { status, claim_id: newId() })
      const next = await queueMessage(context, other)
      await report({ messageId: id, status: 'sent' })
      await until('the next one has a new job', () => hasMessageJob(context, next, 1))
    })
  }

  it('together with another for the same message counts as the one that says most', async () => {
    const id = await queueMessage(context, line, { status: 'sending', claim_id: newId() })
    const report = { carrierAccount: 'simulator', carrierMessageId: newId(), messageId: id }
    const { changed } = await applyReceipts(context.db, [
      { ...report, status: 'delivered' },
      { ...report, status: 'sent' },
    ])
    expect(changed).to.have.length(1)
    expect(await messageRow(context, id)).to.include({ status: 'delivered' })
  })

  it('of many messages is one statement, and each is told whether it changed something', async () => {
    const messages = [await sentMessage(), await sentMessage(), await sentMessage()]
    const statements: string[] = []
    const note = ({ sql }: { sql: string }) => statements.push(sql)
    context.db.on('query', note)
    const changed = await Promise.all(
      [...messages, { carrierMessageId: newId() }].map(({ carrierMessageId }) =>
        report({ carrierMessageId }),
      ),
    )
    context.db.off('query', note)
    expect(changed).to.deep.equal([true, true, true, false])
    expect(statements).to.have.length(1)
  })

  it('at the same moment as another of its message is the next one, in the order in which they came', async () => {
    const id = await queueMessage(context, line, { status: 'unknown', claim_id: newId() })
    const { id: other, carrierMessageId } = await sentMessage()
    const changed = await Promise.all([
      report({ messageId: id, status: 'sent' }),
      report({ carrierMessageId, status: 'failed', error: 'first' }),
      report({ messageId: id }),
      report({ carrierMessageId }),
      report({ messageId: id, status: 'failed' }),
    ])
    expect(changed).to.deep.equal([true, true, true, false, false])
    expect(await messageRow(context, id)).to.include({ status: 'delivered' })
    expect(await messageRow(context, other)).to.include({ status: 'failed', error: 'first' })
  })

  for (const status of ['unknown', 'sending'] as const) {
    it(`finds a message that is ${status} by our own id when the carrier’s was never written down`, async () => {
      const id = await queueMessage(context, line, { status, error: 'worker_lost', attempt_count: 1 })
      expect(await report({ messageId: id })).to.equal(true)
      expect(await messageRow(context, id)).to.include({ status: 'delivered', error: null })
    })
  }

  it('does not concern a message that was never sent', async () => {
    const id = await queueMessage(context, line, { to_number: '+15005550177' })
    expect(await report({ messageId: id })).to.equal(false)
    expect(await messageRow(context, id)).to.include({ status: 'queued' })
  })

  it('does not concern a message that was received', async () => {
    const carrierMessageId = newId()
    const id = await receiveNew(context, line, { carrierMessageId })
    expect(await report({ carrierMessageId })).to.equal(false)
    expect(await messageRow(context, id)).to.include({ status: 'received' })
  })

  it('does not concern a message of a line that is at another carrier, though it has our own id of it', async () => {
    const id = await queueMessage(context, line, { status: 'unknown' })
    const carrierMessageId = newId()
    expect(await report({ carrierAccount: 'twilio', carrierMessageId, messageId: id })).to.equal(false)
    expect(await messageRow(context, id)).to.include({ status: 'unknown', carrier_message_id: null })
    const linked = context.db('carrier_message_ids').where({ carrier_message_id: carrierMessageId })
    expect(await linked).to.deep.equal([])
  })

  it('of an account that has been changed since does nothing, and others at the same moment what they do', async () => {
    const { id: accountId, version } = await getCarrierAccount(context, 'simulator')
    const [first, second] = [await sentMessage(), await sentMessage()]
    const [changed, other] = await Promise.allSettled([
      report({ carrierMessageId: first.carrierMessageId, account: { id: accountId, version: version + 1 } }),
      report({ carrierMessageId: second.carrierMessageId, account: { id: accountId, version } }),
    ])
    expect(changed).to.have.nested.property('reason.name', 'AccountChanged')
    expect(other).to.have.property('value', true)
    expect(await messageRow(context, first.id)).to.include({ status: 'sent' })
    expect(await messageRow(context, second.id)).to.include({ status: 'delivered' })
  })

  it('of another carrier with the same id does not concern the message', async () => {
    const { id, carrierMessageId } = await sentMessage()
    expect(await report({ carrierAccount: 'twilio', carrierMessageId })).to.equal(false)
    expect(await messageRow(context, id)).to.include({ status: 'sent' })
  })

  it('for nobody changes nothing', async () => {
    expect(await report({})).to.equal(false)
  })

  it('with a reason that Postgres cannot hold is kept without what it cannot hold', async () => {
    const { id, carrierMessageId } = await sentMessage()
    await report({ carrierMessageId, status: 'failed', error: 'a\0b\udfff' })
    expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'ab\ufffd' })
  })
})
