import { expect } from 'chai'
import { CarrierRejected } from '../../../../src/carriers/carrier.js'
import { addCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { setLineStatus } from '../../../../src/domain/lines/lines.js'
import { cancelMessage, releaseDue, rescheduleMessage } from '../../../../src/domain/messages/scheduling.js'
import { countMessageCrash, sendMessage } from '../../../../src/domain/messages/send.js'
import { makeWaitingUnknown } from '../../../../src/domain/messages/send/after-restore.js'
import {
  COMMAND_LINE,
  pauseAllSending,
  pauseLine,
  resumeAllSending,
} from '../../../../src/domain/operating/pauses.js'
import { forgetPerson } from '../../../../src/domain/people/forget.js'
import { MAX_CRASHES } from '../../../../src/domain/crashes.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { BIRDS } from '../../../helpers/services/parrot.js'
import { until } from '../../../helpers/until.js'
import {
  ago,
  BEN,
  CLEO,
  changeRows,
  hasMessageJob,
  messageRow,
  queueMessage,
  sendWhenDue,
  UNLIMITED,
  withCarrierOf,
} from '../../fixtures.js'

const SECOND = 1000
/** Each message of the account waits so much longer than the one before. */
const PACE_MS = 1000 * SECOND
const LEAVER = '+15005550177'

describeContext(
  'a message that leaves the queue gives its places back',
  { carrierKinds: BIRDS },
  (context) => {
    let count = 0

    /** Two lines at an account with a pace. */
    async function addLines(limits = {}): Promise<{ line: TestLine; another: TestLine }> {
      count += 1
      const carrierAccount = `finch-${count}`
      const pace = { messagesPerSecond: SECOND / PACE_MS, messagesPerSecondPerLine: null }
      await addCarrierAccount(context, {
        name: carrierAccount,
        kind: 'finch',
        settings: { pin: 'x' },
        ...pace,
      })
      const line = await createLine(context, { carrierAccount, ...UNLIMITED, ...limits })
      return { line, another: await createLine(context, { carrierAccount, ...UNLIMITED }) }
    }

    /** Three messages at such an account: one was sent, the next waits, and one of the other line waits behind it. */
    async function wait(limits = {}): Promise<{ line: TestLine; waits: string; behind: string }> {
      const { line, another } = await addLines(limits)
      const sent = await queueMessage(context, line)
      expect(await sendMessage(context, sent)).to.deep.equal({ kind: 'sent' })
      const waits = await queueMessage(context, line, { to_number: LEAVER })
      const behind = await queueMessage(context, another)
      for (const [id, places] of [
        [waits, 1],
        [behind, 2],
      ] as const) {
        const outcome = await sendMessage(context, id)
        if (outcome.kind !== 'wait') throw new Error(`it does not wait: ${outcome.kind}`)
        expect(outcome.ms).to.be.within((places - 0.5) * PACE_MS, places * PACE_MS)
      }
      return { line, waits, behind }
    }

    async function expectEarlier(behind: string): Promise<void> {
      await until('it asks earlier', async () => (await messageRow(context, behind)).job_generation === 1)
      const { not_before: notBefore } = await messageRow(context, behind)
      expect(Number(notBefore) - Date.now()).to.be.within(0, PACE_MS)
      await until('it has a job', () => hasMessageJob(context, behind, 1))
      const outcome = await sendWhenDue(context, behind)
      if (outcome.kind !== 'wait') throw new Error(`it is sent above the pace: ${outcome.kind}`)
      expect(outcome.ms).to.be.within(0, PACE_MS)
    }

    const WAYS: Record<string, (line: TestLine, id: string) => Promise<unknown>> = {
      'when it is cancelled': ({ userId }, id) => cancelMessage(context, userId, id),
      'when it gets another time': ({ userId }, id) =>
        rescheduleMessage(context, userId, id, new Date(Date.now() + 86_400_000)),
      'when it expires': async (_, id) => {
        await changeRows(context, 'messages', id, { expires_at: ago(context, '1 second') })
        await releaseDue(context)
      },
      'when its line turns out to be disabled': async ({ userId, lineId }, id) => {
        await setLineStatus(context, userId, lineId, 'disabled')
        await sendWhenDue(context, id)
      },
      'when its line is paused': async ({ userId, lineId }, id) => {
        await pauseLine(context, COMMAND_LINE, { id: lineId, userId })
        expect(await hasMessageJob(context, id, 1)).to.equal(true)
        expect(await sendMessage(context, id)).to.deep.equal({ kind: 'stopped' })
      },
      'when it is given up': async (_, id) => {
        for (let n = 0; n < MAX_CRASHES; n += 1) await countMessageCrash(context, id)
      },
      'when its person is forgotten': () => forgetPerson(context, LEAVER, 'They asked for it'),
    }

    for (const [when, leave] of Object.entries(WAYS)) {
      it(when, async () => {
        const { line, waits, behind } = await wait()
        await leave(line, waits)
        await expectEarlier(behind)
      })
    }

    it('when the carrier rejects its first part, which leaves the places of the others', async () => {
      const { line, another } = await addLines()
      const behind = await queueMessage(context, another)
      const rejecting = withCarrierOf(context, {
        send: async () => {
          expect(await sendMessage(context, behind))
            .to.have.property('ms')
            .above(3.5 * PACE_MS)
          throw new CarrierRejected('not this one')
        },
        countParts: () => 4,
      })
      const rejected = await queueMessage(context, line, { text: 'x'.repeat(500) })
      expect(await sendMessage(rejecting, rejected)).to.deep.equal({ kind: 'failed', error: 'not this one' })
      await expectEarlier(behind)
    })

    it('when the database was restored', async () => {
      const { waits, behind } = await wait()
      await changeRows(context, 'messages', waits, { created_at: ago(context, '1 hour') })
      await pauseAllSending(context, COMMAND_LINE)
      await makeWaitingUnknown(context, new Date(Date.now() - 60_000))
      await resumeAllSending(context, COMMAND_LINE)
      expect(await messageRow(context, waits)).to.include({ status: 'unknown' })
      await expectEarlier(behind)
    })

    it('also in its line, whether it has a place there or waits for one', async () => {
      const { line, waits } = await wait({ messagesPerMinute: 2 })
      const third = await queueMessage(context, line, { to_number: BEN })
      const fourth = await queueMessage(context, line, { to_number: CLEO })
      for (const id of [third, fourth]) expect(await sendMessage(context, id)).to.include({ kind: 'wait' })
      await cancelMessage(context, line.userId, third)
      await expectEarlierThan(fourth, 61 * SECOND)
      await cancelMessage(context, line.userId, waits)
      await expectEarlierThan(fourth, SECOND)
    })

    async function expectEarlierThan(id: string, ms: number): Promise<void> {
      await until('it asks earlier', async () => {
        const { not_before: notBefore } = await messageRow(context, id)
        return Number(notBefore) - Date.now() < ms
      })
    }
  },
)
