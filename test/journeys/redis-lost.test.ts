import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { readVersion } from '../../src/config/version.js'
import type { Context } from '../../src/domain/context.js'
import { whenReady } from '../../src/kit/redis/redis.js'
import type { Environment } from '../helpers/process/environment.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import {
  runSource,
  startProcess,
  startWeb,
  stopProcesses,
  type RunningProcess,
} from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import { ownRedis, type OwnService } from './support/own-services.js'
import {
  createInstallation,
  numbers,
  outboundMessages,
  post,
  postAll,
  takenCounts,
  textTo,
  whenSettled,
  WIDE,
} from './support/steps.js'

describe('journey: Redis loses its data, and Redis is unavailable', function () {
  this.timeout(240_000)

  let redis: OwnService
  let environment: Environment
  let context: Context
  let receiver: Receiver
  let url: string
  let workers: RunningProcess[]
  let maintenance: RunningProcess

  before(async () => {
    redis = await ownRedis()
    receiver = await startReceiver()
    ;({ environment, context } = await createInstallation({ REDIS_URL: redis.url }))
    ;({ url } = await startWeb(environment))
  })

  after(async () => {
    await stopProcesses()
    await receiver.close()
    await context.close()
    await redis.remove()
  })

  async function expectEachSentOnce(line: TestLine, ids: readonly string[]): Promise<void> {
    const settled = await whenSettled(context, line)
    expect(settled.map(({ id }) => id)).to.have.members(ids)
    expect(settled.filter(({ status }) => status !== 'delivered')).to.deep.equal([])
    const taken = await takenCounts(context, line)
    expect(ids.filter((id) => taken.get(id) !== 1)).to.deep.equal([])
    expect(taken.size).to.equal(ids.length)
  }

  /** `web` adds jobs after it has answered. Where Redis was slow it gives up after a second or two, and adds no more. */
  const whenAdded = (haveAll: () => Promise<boolean>) =>
    until('each has a job', haveAll, 10_000).catch(() => undefined)

  const hasSchedule = async () =>
    (await context.queues.maintenance.getJobScheduler('keep-house')) !== undefined

  it('after FLUSHALL with 200 texts and 20 events waiting, workers send each one once', async () => {
    const line = await createLine(context, { ...WIDE, outgoingUrl: receiver.url })
    const ids = await postAll(
      url,
      line,
      numbers(200).map((toNumber) => ({ toNumber })),
    )
    for (const fromNumber of numbers(20, 500)) {
      await textTo(url, { fromNumber, toNumber: line.number, text: 'Hi' })
    }
    const { sendMessage, deliverEvent } = context.queues
    const waiting = () => Promise.all([sendMessage.getWaitingCount(), deliverEvent.getWaitingCount()])
    await whenAdded(async () => (await waiting()).join() === '200,20')
    for (const count of await waiting()) expect(count).to.be.above(0)
    await context.redis.flushall()
    expect(await waiting()).to.deep.equal([0, 0])

    workers = await Promise.all([
      startProcess('send-message', environment),
      startProcess('deliver-event', environment),
      startProcess('maintenance', environment),
    ])
    maintenance = workers[2]!
    await expectEachSentOnce(line, ids)
    await until('the events arrive', () => receiver.requests.length >= 20)
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(20)
    expect(receiver.requests).to.have.length(20)
  })

  it('after FLUSHALL with everything running, the housekeeping schedule is recreated', async () => {
    await until('there is a schedule', hasSchedule)
    // Maintenance may make the next one at once.
    await context.redis.flushall()
    await until('there is a schedule again', hasSchedule)
  })

  it('while Redis is down, every request gets a 200, and each text is sent once after it is back', async () => {
    const line = await createLine(context, WIDE)
    const recipients = numbers(80)
    const statuses: number[] = []
    const ids: string[] = []
    for (const [n, toNumber] of recipients.entries()) {
      if (n === 20) await redis.kill()
      const { status, messageId } = await post(url, line, { toNumber })
      statuses.push(status)
      ids.push(messageId)
      await sleep(50)
    }
    expect(statuses).to.deep.equal(Array(80).fill(200))
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, await ready.json()]).to.deep.equal([
      200,
      { status: 'ok', version: readVersion(), postgres: 'ok', redis: 'unreachable' },
    ])

    await redis.start()
    await expectEachSentOnce(line, ids)
    expect(workers.every((worker) => worker.isRunning())).to.equal(true)
    const failedCounts = await Promise.all(context.queues.all.map((queue) => queue.getFailedCount()))
    expect(failedCounts.filter((count) => count > 0)).to.deep.equal([])
  })

  it('after Redis restarts with its data, a worker that was waiting for it sends the queued texts once', async () => {
    const line = await createLine(context, WIDE)
    const [sender] = workers
    await sender?.kill('SIGTERM')
    const ids = await postAll(
      url,
      line,
      numbers(20).map((toNumber) => ({ toNumber })),
    )
    const waitingCount = () => context.queues.sendMessage.getWaitingCount()
    // The sweep adds jobs for those that have waited for some seconds.
    await until('all wait in Redis', async () => (await waitingCount()) >= 20)
    await redis.stop()
    const waiting = runSource('workers/send-message.ts', { ...environment, LOG_LEVEL: 'info' })
    await until('it finds no Redis', () => waiting.log().some(({ msg }) => msg === 'redis.unreachable'))

    await redis.start()
    await expectEachSentOnce(line, ids)
    const sentCount = () => waiting.log().filter(({ msg }) => msg === 'message.sent').length
    // What a process writes comes through a pipe, later than its rows.
    await until('it has told of each', () => sentCount() >= 20)
    expect(sentCount()).to.equal(20)
  })

  it('the next maintenance process recovers texts that lost their jobs while maintenance was down', async () => {
    await maintenance.kill('SIGKILL')
    const line = await createLine(context, WIDE)
    // Redis was away in the tests before; this process connects to it again in its own time.
    await whenReady(context.redis)
    await context.queues.sendMessage.pause()
    const ids = await postAll(
      url,
      line,
      numbers(20).map((toNumber) => ({ toNumber })),
    )
    await whenAdded(async () => (await context.queues.sendMessage.count()) === 20)
    await context.queues.sendMessage.drain()
    await context.queues.sendMessage.resume()
    const before = await outboundMessages(context, line)
    expect(before.map(({ status }) => status)).to.deep.equal(Array(20).fill('queued'))

    maintenance = await startProcess('maintenance', environment)
    await expectEachSentOnce(line, ids)
  })
})
