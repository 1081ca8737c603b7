import { expect } from 'chai'
import type { Settlement } from '../../../../src/database/messages/sending.js'
import type { Context } from '../../../../src/domain/context.js'
import { receiveReceipt } from '../../../../src/domain/messages/receipts.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { sweep } from '../../../../src/domain/sweep.js'
import { newId } from '../../../../src/ids.js'
import { startProxy, type Proxy } from '../../../database/proxy.js'
import { createTestContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { failure } from '../../../helpers/failure.js'
import { createTestDatabase } from '../../../helpers/services/services.js'
import { until } from '../../../helpers/until.js'
import {
  sendNew,
  claimMessage,
  loseWorker,
  messageRow,
  queueMessage,
  UNLIMITED,
  withCarrier,
} from '../../fixtures.js'
import { openings } from '../../../helpers/openings.js'

describe('the end of an attempt to send', () => {
  let context: Context
  let line: TestLine
  let proxy: Proxy

  const open = openings()
  before(async () => {
    proxy = await open(startProxy(await createTestDatabase()))
    context = await open(createTestContext({ DATABASE_URL: proxy.url }))
  })
  beforeEach(async () => {
    line = await createLine(context, UNLIMITED)
  })

  function settle(settlement: Settlement): Promise<boolean> {
    return context.batched.settleMessage(settlement)
  }

  const claim = (id: string) => claimMessage(context, id)

  it('that comes after the lease is over turns unknown into what really happened', async () => {
    const id = await queueMessage(context, line)
    const { claim: claimId } = await claim(id)
    await loseWorker(context, 'messages', [id])
    await sweep(context)
    expect(await messageRow(context, id)).to.include({ status: 'unknown', error: 'worker_lost' })

    await settle({
      id,
      claim: claimId,
      status: 'sent',
      carrier: 'simulator',
      carrierMessageId: 'late-1',
    })
    const row = await messageRow(context, id)
    expect(row).to.include({ status: 'sent', error: null, carrier_message_id: 'late-1' })
    expect(row.sent_at).to.be.a('date')
  })

  for (const uncounted of [false, true]) {
    it(`never touches a later attempt, ${uncounted ? 'not even when it did not count itself' : 'when it counted'}`, async () => {
      const id = await queueMessage(context, line)
      const first = await claim(id)
      const back = { id, claim: first.claim, status: 'queued', error: 'throttled', uncounted } as const
      await settle(back)
      const second = await claim(id)
      expect(second.attempt).to.equal(uncounted ? 1 : 2)

      // The same settlement once more, as after an answer of Postgres that was lost.
      await settle(back)
      await settle({ id, claim: first.claim, status: 'failed', error: 'carrier_missing' })
      expect(await messageRow(context, id)).to.include({ status: 'sending', attempt_count: second.attempt })

      await settle({ id, claim: second.claim, status: 'sent' })
      expect(await messageRow(context, id)).to.include({ status: 'sent', attempt_count: second.attempt })
    })
  }

  for (const status of ['sent', 'delivered'] as const) {
    it(`keeps a receipt of ${status} that was faster, and the carrier’s id beside it`, async () => {
      const id = await queueMessage(context, line)
      const carrierMessageId = `fast-${status}`
      const fast = withCarrier(context, async ({ id: messageId }) => {
        const receipt = {
          carrierAccount: 'simulator',
          carrierMessageId: `${carrierMessageId}/0`,
          messageId,
          status,
        }
        expect(await receiveReceipt(context, receipt)).to.equal(true)
        return { carrierMessageId }
      })
      expect(await sendMessage(fast, id)).to.deep.equal({ kind: 'sent' })
      const row = await messageRow(context, id)
      expect(row).to.include({
        status,
        error: null,
        carrier_message_id: carrierMessageId,
        lease_until: null,
      })
      expect(row.sent_at).to.be.a('date')
      const later = { carrierAccount: 'simulator', carrierMessageId, status: 'delivered' } as const
      expect(await receiveReceipt(context, later)).to.equal(status === 'sent')
    })
  }

  for (const outcome of ['failed', 'unknown', 'queued'] as const) {
    it(`as ${outcome} does not undo a receipt that said sent`, async () => {
      const id = await queueMessage(context, line)
      const { claim: claimId } = await claim(id)
      const receipt = {
        carrierAccount: 'simulator',
        carrierMessageId: newId(),
        messageId: id,
        status: 'sent',
      } as const
      await receiveReceipt(context, receipt)
      for (const uncounted of [false, true]) {
        await settle({ id, claim: claimId, status: outcome, error: 'carrier_missing', uncounted })
        expect(await messageRow(context, id)).to.include({
          status: 'sent',
          error: null,
          attempt_count: 1,
          carrier_message_id: receipt.carrierMessageId,
        })
      }
    })
  }

  it('is written once Postgres is back, when it was away in the meantime', async () => {
    const id = await queueMessage(context, line)
    let callCount = 0
    const cutting = withCarrier(context, () => {
      callCount += 1
      proxy.goDown()
      return Promise.resolve({ carrierMessageId: 'cut-1' })
    })
    const before = proxy.refusedCount
    const sending = sendMessage(cutting, id)
    try {
      await until('a try to write it was refused', () => proxy.refusedCount > before)
    } finally {
      proxy.goUp()
    }
    expect(await sending).to.deep.equal({ kind: 'sent' })
    expect(callCount).to.equal(1)
    expect(await messageRow(context, id)).to.include({ status: 'sent', carrier_message_id: 'cut-1' })
  })

  describe('that cannot begin because Postgres is away', () => {
    /** Postgres goes away as soon as it has said what is to be done with the message. */
    const cutAfterAnswer = (): Context => ({
      ...withCarrier(context, () => Promise.reject(new Error('the carrier was asked'))),
      batched: {
        ...context.batched,
        claimMessage: async (request) => {
          const answer = await context.batched.claimMessage(request)
          proxy.goDown()
          return answer
        },
      },
    })

    it('is called by its name for a message whose turn it is, so that no crash is counted', async () => {
      const id = await queueMessage(context, line)
      const before = proxy.refusedCount
      proxy.goDown()
      const sending = failure(sendMessage(context, id))
      try {
        await until('a try to give it back was refused', () => proxy.refusedCount > before + 1)
      } finally {
        proxy.goUp()
      }
      expect(await sending).to.have.property('name', 'Unavailable')
      expect(await messageRow(context, id)).to.include({ status: 'queued', attempt_count: 0 })
    })

    for (const [what, prepare] of [
      ['is too old', () => queueMessage(context, line, { created_at: '2020-01-01T00:00:00Z' })],
      [
        'is over its limit',
        async () => {
          line = await createLine(context, { messagesPerNumberPerMinute: 1 })
          await sendNew(context, line)
          return queueMessage(context, line)
        },
      ],
    ] as const) {
      it(`is called by its name for a message that ${what}`, async () => {
        const id = await prepare()
        try {
          expect(await failure(sendMessage(cutAfterAnswer(), id))).to.have.property('name', 'Unavailable')
        } finally {
          proxy.goUp()
        }
        expect(await messageRow(context, id)).to.include({ status: 'queued', attempt_count: 0 })
      })
    }
  })
})
