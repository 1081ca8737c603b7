import { expect } from 'chai'
import { COMMAND_LINE, pauseLine, resumeLine } from '../../src/domain/operating/pauses.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import { numbers, postAll, takenCounts, whenSettled, WIDE } from './support/steps.js'

/** More than the sweep looks at in one go. */
const COUNT = 1500
const RECIPIENTS = numbers(300)

const SETUP = {
  processes: ['web', 'send-message', 'maintenance'],
  environment: { MAX_QUEUED_PER_LINE: String(2 * COUNT) },
} as const

describeInstallation(
  'journey: more texts than the sweep takes at once wait for a paused line',
  SETUP,
  function (installation) {
    this.timeout(240_000)
    const { environment, context, running } = installation
    let paused: TestLine
    let other: TestLine
    let posted: string[]
    let usualMs: number

    before(async () => {
      paused = await createLine(context, WIDE)
      other = await createLine(context, WIDE)
      await send(other, 50)
      usualMs = await send(other, 300)
    })

    /** Posts texts to many numbers. @returns how long it took until all had arrived */
    async function send(line: TestLine, count: number): Promise<number> {
      const startedAt = performance.now()
      await postAll(running.url, line, texts(count))
      const rows = await whenSettled(context, line)
      expect(new Set(rows.map(({ status }) => status))).to.deep.equal(new Set(['delivered']))
      return performance.now() - startedAt
    }

    const texts = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        toNumber: RECIPIENTS[n % RECIPIENTS.length],
        text: `Text ${n}`,
      }))

    const ownOf = ({ lineId, userId }: TestLine) => ({ id: lineId, userId })

    /** The versions of all rows of the line that is paused, when no job is left: one ends after the row that it was for. */
    const versionsAtRest = () =>
      until('no job is left', async () => {
        const { versions, jobCount } = await resting()
        return jobCount === 0 && versions
      })

    async function resting(): Promise<{ versions: string; jobCount: number }> {
      const row = await context
        .db('messages')
        .where({ line_id: paused.lineId, status: 'queued' })
        .first<{ versions: string }>(
          context.db.raw(`md5(string_agg(xmin::text, ',' order by id)) as versions`),
        )
      const { waiting = 0, active = 0, delayed = 0 } = await context.queues.sendMessage.getJobCounts()
      return { versions: row.versions, jobCount: waiting + active + delayed }
    }

    it('messages are accepted, and wait without a job', async () => {
      await pauseLine(context, COMMAND_LINE, ownOf(paused))
      posted = await postAll(running.url, paused, texts(COUNT))
      await versionsAtRest()
      const { rows } = await context.db.raw<{ rows: object[] }>(
        `select status, count(*)::integer from messages where line_id = ? group by status`,
        [paused.lineId],
      )
      expect(rows).to.deep.equal([{ status: 'queued', count: COUNT }])
      expect(await takenCounts(context, paused)).to.have.property('size', 0)
    })

    it('another line keeps its usual pace, and no worker touches the waiting messages', async () => {
      const before = await versionsAtRest()
      // Far less than what a look at all of them would cost, each time. The machine may have other work for a while.
      const took: number[] = []
      while (took.length < 5 && !took.some((ms) => ms < 3 * usualMs + 2000)) took.push(await send(other, 300))
      expect(Math.min(...took)).to.be.below(3 * usualMs + 2000)
      expect(await versionsAtRest()).to.equal(before)
    })

    it('the pause survives a restart of the worker and of Redis', async () => {
      await running.processes[1]?.kill('SIGKILL')
      await context.redis.flushdb()
      await startProcess('send-message', environment)
      const before = await versionsAtRest()
      await send(other, 10)
      expect(await versionsAtRest()).to.equal(before)
    })

    it('resuming sends every message once, and in order for each number', async () => {
      await resumeLine(context, COMMAND_LINE, ownOf(paused))
      const rows = await whenSettled(context, paused)
      expect(rows.filter(({ status }) => status === 'delivered')).to.have.length(COUNT)
      const counts = await takenCounts(context, paused)
      expect([counts.size, new Set(counts.values())]).to.deep.equal([COUNT, new Set([1])])

      const taken: { message_id: string; to_number: string }[] = await context
        .db('simulator_outbox')
        .where({ from_number: paused.number })
        .orderBy('taken_at')
        .select('message_id', 'to_number')
      for (const [n, recipient] of RECIPIENTS.entries()) {
        const inOrder = posted.filter((_, index) => index % RECIPIENTS.length === n)
        const ofRecipient = taken.filter(({ to_number }) => to_number === recipient)
        expect(
          ofRecipient.map(({ message_id }) => message_id),
          recipient,
        ).to.deep.equal(inOrder)
      }
    })
  },
)
