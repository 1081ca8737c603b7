import { expect } from 'chai'
import { startReplay } from '../../src/domain/endpoints/deliveries/replay.js'
import { getTask, stopTask, type Task } from '../../src/domain/operating/tasks.js'
import { receiveForDelivery } from '../domain/fixtures.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'

const COUNT = 1000

/** Processes are started when nobody got the events. */
const SETUP = { processes: [] }

describeInstallation('journey: a repaired server gets the events it missed', SETUP, (installation) => {
  const { environment, context, receiver: mended } = installation
  const other = openForSuite(startReceiver)

  /** A line with events that nobody got. */
  const missed = async (receiver: Receiver, count: number): Promise<TestLine> => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    for (let n = 0; n < count; n += 100) {
      await Promise.all(Array.from({ length: Math.min(count, 100) }, () => receiveForDelivery(context, line)))
    }
    await context.db('deliveries').where({ line_id: line.lineId }).update({ status: 'exhausted' })
    return line
  }
  const replay = ({ userId, lineId }: TestLine, perSecond: number) =>
    startReplay(
      context,
      { of: 'line', userId, lineId },
      { from: new Date(0), outcome: 'undelivered', perSecond },
    )
  const whenAt = (work: Task, isThere: (now: Task) => boolean) =>
    until(
      'it is so far',
      async () => {
        const now = await getTask(context, undefined, work.id)
        return isThere(now) && now
      },
      60_000,
    )

  it('replays each event once at the given pace although the worker is killed, and stops another replay partway', async () => {
    const [line, otherLine] = [await missed(mended, COUNT), await missed(other, 100)]
    await startProcess('deliver-event', environment)
    const maintenance = await startProcess('maintenance', environment)
    const work = await replay(line, 100)
    expect(work).to.include({ totalCount: COUNT })
    await whenAt(work, ({ doneCount }) => doneCount >= 300)
    // As the dashboard shows it, in percent.
    expect((await context.queues.maintenance.getJob(work.id))?.progress).to.be.within(20, 99)
    await maintenance.kill('SIGKILL')
    const { doneCount } = await getTask(context, undefined, work.id)
    expect(doneCount, 'killed in the middle').to.be.below(COUNT)

    await startProcess('maintenance', environment)
    const stopped = await replay(otherLine, 10)
    await whenAt(stopped, (now) => now.doneCount > 0)
    await stopTask(context, otherLine.userId, stopped.id)
    const { doneCount: count } = await whenAt(stopped, ({ status }) => status === 'stopped')
    expect(count).to.be.within(10, 90)

    expect(await whenAt(work, ({ endedAt }) => endedAt !== null)).to.include({
      ...{ status: 'done', doneCount: COUNT, totalCount: COUNT, failedCount: 0 },
    })
    await until('all have arrived', () => mended.requests.length >= COUNT && other.requests.length >= count)
    expect(new Set(mended.requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(COUNT)
    expect([mended.requests.length, other.requests.length]).to.deep.equal([COUNT, count])
    const replays = mended.requests.filter(({ headers }) => headers['webhook-replay'] === 'true')
    expect(replays).to.have.length(COUNT)
  })
})
