import { expect } from 'chai'
import { wakeMessages } from '../../../../src/database/messages/resumptions.js'
import { findAllSending, listPaused, listPausesOfLine } from '../../../../src/database/operating/pauses.js'
import { getOwnLine, setLineStatus } from '../../../../src/domain/lines/lines.js'
import {
  COMMAND_LINE,
  pauseAllSending,
  pauseCarrierAccount,
  pauseLine,
  pauseOf,
  resumeAllSending,
  resumeCarrierAccount,
  resumeLine,
  type Pauser,
} from '../../../../src/domain/operating/pauses.js'
import { getCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import type { Context } from '../../../../src/domain/context.js'
import { enqueueResumed } from '../../../../src/domain/messages/resume.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { sweep } from '../../../../src/domain/sweep.js'
import { newId } from '../../../../src/ids.js'
import { openHolder } from '../../../database/hold.js'
import { describeContext } from '../../../helpers/context.js'
import { failure } from '../../../helpers/failure.js'
import { createLine, lineForEachTest, type TestLine } from '../../../helpers/factories.js'
import { until } from '../../../helpers/until.js'
import {
  sendNew,
  changeRows,
  ahead,
  ANNA,
  BEN,
  CLEO,
  countWaitingForLocks,
  dueInMs,
  hasMessageJob,
  makeOverdue,
  messageRow,
  moveToAnotherCarrier,
  queueMessage,
  queueMessages,
  takenMessages,
  UNLIMITED,
  addCopies,
} from '../../fixtures.js'
import { createPerson } from '../../people/people.js'

const TTL_MS = 4 * 3_600_000

interface Scope {
  what: string
  pause: (context: Context, line: TestLine) => Promise<void>
  resume: (context: Context, line: TestLine) => Promise<void>
}

const simulator = (context: Context) => getCarrierAccount(context, 'simulator')

const SCOPES: Scope[] = [
  {
    what: 'a line',
    pause: (context, line) => pauseLine(context, COMMAND_LINE, { id: line.lineId, userId: line.userId }),
    resume: (context, line) => resumeLine(context, COMMAND_LINE, { id: line.lineId, userId: line.userId }),
  },
  {
    what: 'a carrier account',
    pause: async (context) => pauseCarrierAccount(context, COMMAND_LINE, await simulator(context)),
    resume: async (context) => resumeCarrierAccount(context, COMMAND_LINE, await simulator(context)),
  },
  {
    what: 'all sending',
    pause: (context) => pauseAllSending(context, COMMAND_LINE),
    resume: (context) => resumeAllSending(context, COMMAND_LINE),
  },
]

describeContext('pauses', (context) => {
  for (const { what, pause, resume } of SCOPES) {
    describe(`while ${what} is paused`, () => {
      const line = lineForEachTest(context, UNLIMITED)
      beforeEach(async () => {
        await context.db('messages').delete()
        await context.db('simulator_outbox').delete()
        await context.redis.flushdb()
        await pause(context, line)
      })
      afterEach(async () => {
        await resume(context, line)
        await enqueueResumed(context)
      })

      const over = async () => {
        await resume(context, line)
        return enqueueResumed(context)
      }

      it('a message waits queued, uses up no attempt, and its job is over', async () => {
        const id = await queueMessage(context, line)
        expect(await sendMessage(context, id)).to.deep.equal({ kind: 'stopped' })
        expect(await messageRow(context, id)).to.include({
          ...{ status: 'queued', error: null, attempt_count: 0, claim_id: null, job_generation: 0 },
        })
        expect(await takenMessages(context)).not.to.include(id)
      })

      it('the sweep leaves what waits alone until it expires, also what is behind another', async () => {
        const ids = await queueMessages(context, line, 3)
        for (const id of ids) await sendMessage(context, id)
        for (const id of ids) {
          expect(await dueInMs(context, 'messages', id)).to.be.within(TTL_MS - 30_000, TTL_MS)
        }
        expect(await sweep(context)).to.equal(0)
        expect(await context.queues.sendMessage.count()).to.equal(0)
      })

      it('a message expires when it would have', async () => {
        const id = await sendNew(context, line)
        await changeRows(context, 'messages', id, {
          created_at: context.db.raw(`now() - make_interval(secs => ?)`, [TTL_MS / 1000 + 1]),
        })
        await makeOverdue(context, 'messages', [id], 4)
        expect(await sweep(context)).to.equal(1)
        expect(await sendMessage(context, id)).to.deep.equal({ kind: 'failed', error: 'expired' })
      })

      it('what may not be sent at all fails, as always', async () => {
        const id = await queueMessage(context, line)
        await setLineStatus(context, line.userId, line.lineId, 'disabled')
        expect(await sendMessage(context, id)).to.deep.equal({ kind: 'failed', error: 'line_disabled' })
      })

      it('what the service says by itself goes out, before messages that wait', async () => {
        const waiting = await sendNew(context, line)
        const answer = await queueMessage(context, line, { source: 'service' })
        expect(await sendMessage(context, answer)).to.deep.equal({ kind: 'sent' })
        const second = await queueMessage(context, line, { source: 'service' })
        await makeOverdue(context, 'messages', [second], 4)
        await sweep(context)
        expect(await hasMessageJob(context, second, 1), 'its job was lost').to.equal(true)
        expect(await messageRow(context, waiting)).to.include({ status: 'queued' })
      })

      it('its end gives the first of each number a job, oldest first, and the others wait for their turn', async () => {
        const [first, second] = (await queueMessages(context, line, 2)) as [string, string]
        const ben = await queueMessage(context, line, { to_number: BEN })
        for (const id of [first, second, ben]) await sendMessage(context, id)
        expect(await over()).to.equal(2)
        const jobs = await context.queues.sendMessage.getJobs(['waiting'], 0, -1, true)
        expect(jobs.map(({ id }) => id)).to.deep.equal([`${first}-g1`, `${ben}-g1`])
        expect(await dueInMs(context, 'messages', first)).to.be.within(-5000, 0)
        expect(await dueInMs(context, 'messages', second)).to.be.within(20_000, 30_000)
        for (const id of [first, second, ben]) await sendMessage(context, id)
        expect(await takenMessages(context, ANNA)).to.deep.equal([first, second])
        expect(await messageRow(context, ben)).to.include({ status: 'sent', attempt_count: 1 })
      })

      it('its end is brought once, however often somebody looks, and by several processes', async () => {
        const id = await sendNew(context, line)
        await resume(context, line)
        await Promise.all([enqueueResumed(context), enqueueResumed(context)])
        await enqueueResumed(context)
        expect(await context.queues.sendMessage.count()).to.equal(1)
        expect(await messageRow(context, id)).to.include({ job_generation: 1 })
      })

      it('a job that nobody has looked at meanwhile is enough: it gets no second one', async () => {
        const id = await queueMessage(context, line)
        await context.queues.enqueueMessages([{ id, generation: 0 }])
        expect(await over()).to.equal(0)
        expect(await context.queues.sendMessage.count()).to.equal(1)
      })

      it('what waits for a moment of its own goes on waiting for it', async () => {
        const inAnHour = ahead(context, '1 hour')
        const id = await sendNew(context, line, { not_before: inAnHour })
        expect(await over()).to.equal(0)
        expect(await dueInMs(context, 'messages', id)).to.be.within(3_500_000, 3_600_000)
      })

      it('what is brought and paused again waits again', async () => {
        const id = await sendNew(context, line)
        await resume(context, line)
        await pause(context, line)
        expect(await enqueueResumed(context)).to.equal(0)
        expect(await sendMessage(context, id)).to.deep.equal({ kind: 'stopped' })
        expect(await over()).to.equal(1)
      })

      it('without Redis its end waits for Redis', async () => {
        await sendNew(context, line)
        await resume(context, line)
        const away = Object.create(context.redis, { status: { value: 'end' } }) as Context['redis']
        expect(await enqueueResumed({ ...context, redis: away })).to.equal(0)
        expect(await enqueueResumed(context)).to.equal(1)
      })

      it('a claim that still saw it has put its message down before the end is brought', async () => {
        const id = await queueMessage(context, line)
        const claiming = await openHolder(context.db)
        const lock = 'select pg_advisory_xact_lock(hashtextextended(?::text, 2))'
        try {
          await claiming.raw(lock, [line.lineId])
          // As a claim does that began before the pause was over.
          await resume(context, line)
          const bringing = enqueueResumed(context)
          await until('it waits for the claim', async () => (await countWaitingForLocks(context)) === 1)
          await claiming('messages')
            .where({ id })
            .update({ due_at: claiming.raw(`now() + interval '4 hours'`) })
          await claiming.commit()
          expect(await bringing).to.equal(1)
        } finally {
          if (!claiming.isCompleted()) await claiming.rollback()
        }
      })
    })
  }

  describe('a pause', () => {
    const line = lineForEachTest(context, UNLIMITED)

    const send = async (from: TestLine, toNumber = ANNA) =>
      sendMessage(context, await queueMessage(context, from, { to_number: toNumber }))

    it('of a line is no matter for others', async () => {
      await pauseLine(context, COMMAND_LINE, { id: line.lineId, userId: line.userId })
      const other = await createLine(context, UNLIMITED)
      expect(await send(other)).to.deep.equal({ kind: 'sent' })
      expect(await send(line)).to.deep.equal({ kind: 'stopped' })
    })

    it('of an account is no matter for others', async () => {
      const other = await createLine(context, UNLIMITED)
      await moveToAnotherCarrier(context, other)
      const another = await getCarrierAccount(context, 'another')
      await pauseCarrierAccount(context, COMMAND_LINE, another)
      expect(await send(line)).to.deep.equal({ kind: 'sent' })
      expect(await send(other)).to.deep.equal({ kind: 'stopped' })
      await resumeCarrierAccount(context, COMMAND_LINE, another)
    })

    it('in two places is over when both are', async () => {
      const own = { id: line.lineId, userId: line.userId }
      await pauseLine(context, COMMAND_LINE, own)
      await pauseAllSending(context, COMMAND_LINE)
      const id = await sendNew(context, line)
      await resumeLine(context, COMMAND_LINE, own)
      await enqueueResumed(context)
      expect(await hasMessageJob(context, id, 1)).to.equal(true)
      expect(await sendMessage(context, id)).to.deep.equal({ kind: 'stopped' })
      await resumeAllSending(context, COMMAND_LINE)
      await enqueueResumed(context)
      expect(await hasMessageJob(context, id, 2)).to.equal(true)
      expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
    })

    it('of a line brings what a batch has no room for with the next one', async () => {
      const own = { id: line.lineId, userId: line.userId }
      await pauseLine(context, COMMAND_LINE, own)
      const waiting = await queueMessage(context, line, { due_at: ahead(context, '4 hours') })
      await addCopies(context, 'messages', waiting, 2499, { to_number: `'+1' || n` })
      await resumeLine(context, COMMAND_LINE, own)
      expect(await enqueueResumed(context)).to.equal(2500)
      expect(await enqueueResumed(context)).to.equal(0)
    })

    it('of a line brings those after a full batch of which one ends at that moment', async () => {
      const waiting = { due_at: ahead(context, '4 hours') }
      const ids = [
        await queueMessage(context, line, { ...waiting, to_number: ANNA }),
        await queueMessage(context, line, { ...waiting, to_number: BEN }),
        await queueMessage(context, line, { ...waiting, to_number: CLEO }),
      ]
      const batch = { limit: 2, lookAgainMs: 30_000 }
      const ending = await openHolder(context.db)
      await ending('messages').where({ id: ids[0] }).update({ status: 'failed', error: 'expired' })
      const waking = wakeMessages(context.db, line.lineId, { ...batch, after: '0' })
      await until('it waits for the end', async () => (await countWaitingForLocks(context)) === 1)
      await ending.commit()
      const woken = await waking
      expect(woken).to.containSubset([
        { id: ids[0], generation: null },
        { id: ids[1], generation: 1 },
      ])
      const after = woken.at(-1)!.position
      expect(await wakeMessages(context.db, line.lineId, { ...batch, after })).to.containSubset([
        { id: ids[2], generation: 1 },
      ])
    })

    it('lets a message end that is with the carrier, and gives back one that the carrier did not take', async () => {
      const id = await queueMessage(context, line, { to_number: CLEO })
      const claim = newId()
      expect(await context.batched.claimMessage({ id, claim })).to.include({ kind: 'claimed' })
      await pauseLine(context, COMMAND_LINE, { id: line.lineId, userId: line.userId })
      await context.batched.settleMessage({
        id,
        claim,
        status: 'queued',
        error: 'carrier_unavailable',
        dueInMs: 0,
      })
      expect(await sendMessage(context, id)).to.deep.equal({ kind: 'stopped' })
    })
  })

  describe('who pauses a line', () => {
    let owner: Pauser
    let operator: Pauser & { email: string }

    const line = lineForEachTest(context)
    beforeEach(async () => {
      owner = { userId: line.userId, isOperator: false }
      const person = await createPerson(context, { role: 'operator' })
      operator = { userId: person.id, isOperator: true, email: person.email }
    })

    const own = () => ({ id: line.lineId, userId: line.userId })
    const now = async () => pauseOf(await getOwnLine(context, line.userId, line.lineId))

    it('is its owner, who resumes it too', async () => {
      expect(await now()).to.equal(null)
      await pauseLine(context, owner, own())
      const pause = await now()
      expect(pause).to.include({ by: 'owner' })
      expect(Date.now() - pause!.since.getTime()).to.be.within(-1000, 20_000)
      await resumeLine(context, owner, own())
      expect(await now()).to.equal(null)
    })

    it('is an operator: then only operators resume it', async () => {
      await pauseLine(context, operator, own())
      expect(await now()).to.include({ by: 'operator' })
      const refusal = await failure(resumeLine(context, owner, own()))
      expect(refusal).to.include({ status: 403 })
      expect(refusal.message).to.match(/An operator paused this/)
      expect(await now()).to.include({ by: 'operator' })
      await resumeLine(context, operator, own())
      expect(await now()).to.equal(null)
    })

    it('is the first: since when stays, and an operator takes the owner’s pause over, not the other way', async () => {
      await pauseLine(context, owner, own())
      const { since } = (await now())!
      await pauseLine(context, operator, own())
      expect(await now()).to.deep.equal({ since, by: 'operator' })
      await pauseLine(context, owner, own())
      await pauseLine(context, { ...COMMAND_LINE }, own())
      expect(await now()).to.deep.equal({ since, by: 'operator' })
      expect((await listPaused(context.db, 10)).find(({ id }) => id === line.lineId)).to.include({
        ...{ kind: 'line', name: line.number, userId: line.userId, pausedBy: operator.email },
      })
    })

    it('resumes nothing that is not paused', async () => {
      await resumeLine(context, owner, own())
      const { resumed_at: resumedAt } = await context
        .db('lines')
        .where({ id: line.lineId })
        .first<{ resumed_at: Date | null }>('resumed_at')
      expect(resumedAt).to.equal(null)
    })

    it('sees all that keeps the line from sending, nearest first', async () => {
      const seen = async () =>
        (await listPausesOfLine(context.db, line.lineId)).map(({ what, isByOwner }) => [what, isByOwner])
      expect(await seen()).to.deep.equal([])
      const account = await getCarrierAccount(context, 'simulator')
      const [byOwner, ofAccount, ofAll] = [
        ['line', true],
        ['account', false],
        ['all', false],
      ]
      await pauseAllSending(context, operator)
      try {
        expect(await seen()).to.deep.equal([ofAll])
        await pauseLine(context, owner, own())
        expect(await seen()).to.deep.equal([byOwner, ofAll])
        await pauseCarrierAccount(context, operator, account)
        expect(await seen()).to.deep.equal([byOwner, ofAccount, ofAll])
        expect(await findAllSending(context.db)).to.include({ pausedBy: operator.email })
        expect((await listPaused(context.db, 10))[0]).to.include({ kind: 'account', name: 'simulator' })
      } finally {
        await resumeAllSending(context, operator)
        await resumeCarrierAccount(context, operator, account)
      }
      expect(await findAllSending(context.db)).to.deep.equal({ pausedAt: null, pausedBy: null })
    })
  })
})
