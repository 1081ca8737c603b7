import { expect } from 'chai'
import { queueMessage } from '../domain/fixtures.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import type { RunningProcess } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import {
  numbers,
  outboundMessages,
  post,
  takenCounts,
  textTo,
  times,
  whenSettled,
  WIDE,
} from './support/steps.js'

const [friend = '', ...others] = numbers(10)

const SETUP = {
  processes: ['web', 'maintenance', 'send-message', 'send-message', 'deliver-event', 'deliver-event'],
  // Few at a time, so that neither worker can do everything alone.
  environment: { SEND_CONCURRENCY: '4', DELIVER_CONCURRENCY: '4' },
} as const

describeInstallation('journey: two of each worker side by side', SETUP, ({ context, receiver, running }) => {
  const senders = () => running.processes.slice(2, 4)
  const deliverers = () => running.processes.slice(4)

  it('fifty texts to one number are sent in the order they were posted', async () => {
    const line = await createLine(context, WIDE)
    const posted: string[] = []
    for (const data of times(50, { toNumber: friend }))
      posted.push((await post(running.url, line, data)).messageId)
    const settled = await whenSettled(context, line)
    expect(settled.map(({ status }) => status)).to.deep.equal(Array(50).fill('delivered'))

    const taken: { message_id: string }[] = await context
      .db('simulator_outbox')
      .where({ from_number: line.number })
      .orderBy('taken_at')
      .select('message_id')
    expect(taken.map(({ message_id }) => message_id)).to.deep.equal(posted)
    // What a process writes comes through a pipe, later than its rows.
    await until('both took part', () => taskOf(senders(), 'message.sent').every((count) => count > 0))
  })

  it('each of sixty events is delivered once', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    for (let n = 0; n < 60; n += 1) {
      await textTo(running.url, { fromNumber: friend, toNumber: line.number, text: `Text ${n}` })
    }
    const delivered = () => context.db('deliveries').where({ line_id: line.lineId, status: 'delivered' })
    await until('all are delivered', async () => (await delivered()).length === 60)
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(60)
    expect(receiver.requests).to.have.length(60)
    await until('both took part', () =>
      taskOf(deliverers(), 'delivery.attempted').every((count) => count > 0),
    )
  })

  it('texts and events with several jobs are sent and delivered once', async () => {
    const line = await createLine(context, { ...WIDE, outgoingUrl: receiver.url })
    const { sendMessage, deliverEvent } = context.queues
    await Promise.all([sendMessage.pause(), deliverEvent.pause()])
    const requestCount = receiver.requests.length
    for (const toNumber of numbers(30)) {
      await post(running.url, line, { toNumber })
      await textTo(running.url, { fromNumber: toNumber, toNumber: line.number, text: 'Hi' })
    }
    // Side by side in the queue, so that both workers take the same one at the same time.
    await Promise.all([sendMessage.drain(), deliverEvent.drain()])
    const messages = await outboundMessages(context, line)
    const deliveries: { id: string; endpointId: string }[] = await context
      .db('deliveries')
      .where({ line_id: line.lineId })
      .select({ id: 'id', endpointId: 'endpoint_id' })
    const generations = [1, 2, 3, 4]
    await context.queues.enqueueMessages(
      messages.flatMap(({ id }) => generations.map((generation) => ({ id, generation }))),
    )
    await context.queues.enqueueDeliveries(
      deliveries.flatMap((delivery) => generations.map((generation) => ({ ...delivery, generation }))),
    )
    await Promise.all([sendMessage.resume(), deliverEvent.resume()])

    await whenSettled(context, line)
    await until('no job is left', async () =>
      (await Promise.all([sendMessage.count(), deliverEvent.count()])).every((count) => count === 0),
    )
    expect([...(await takenCounts(context, line)).values()]).to.deep.equal(Array(30).fill(1))
    expect(receiver.requests.length - requestCount).to.equal(30)
  })

  it('lines send at most 5 texts to a number and 12 in total in any 60 s, however many are queued', async () => {
    const limits = { messagesPerNumberPerMinute: 5, messagesPerMinute: 12 }
    const many = await createLine(context, limits)
    const few = await createLine(context, limits)
    await queueBeyondLimits(
      many,
      [...others.slice(0, 3)].flatMap((to) => Array<string>(8).fill(to)),
    )
    await queueBeyondLimits(
      few,
      [...others.slice(0, 2)].flatMap((to) => Array<string>(8).fill(to)),
    )

    // In each round all is sent that may be; then the windows' clock goes on.
    const takenAfter: number[][] = []
    for (const seconds of [30, 31, 61]) {
      await until('the rest waits', isResting)
      takenAfter.push([(await takenCounts(context, many)).size, (await takenCounts(context, few)).size])
      await passTime(seconds, [many, few])
    }
    await Promise.all([whenSettled(context, many), whenSettled(context, few)])
    expect(takenAfter).to.deep.equal([
      [12, 10],
      [12, 10],
      [24, 16],
    ])
    expect([...(await takenCounts(context, many)).values()]).to.deep.equal(Array(24).fill(1))
    expect([...(await takenCounts(context, few)).values()]).to.deep.equal(Array(16).fill(1))
    expect(await mostInAMinute(many, 'from_number')).to.equal(12)
    expect(await mostInAMinute(many, 'to_number')).to.be.at.most(5)
    expect(await mostInAMinute(few, 'to_number')).to.equal(5)
  })

  function taskOf(workers: RunningProcess[], msg: string): number[] {
    return workers.map((worker) => worker.log().filter((entry) => entry.msg === msg).length)
  }

  /** As other sources than the webhook may: more than its limits let in. */
  async function queueBeyondLimits(line: TestLine, recipients: string[]): Promise<void> {
    const ids: string[] = []
    for (const to_number of recipients) {
      ids.push(await queueMessage(context, line, { to_number, source: 'api' }))
    }
    await context.queues.enqueueMessages(ids.map((id) => ({ id, generation: 0 })))
  }

  /** What is left waits for a slot, or behind a message that does. */
  async function isResting(): Promise<boolean> {
    const due: unknown[] = await context
      .db('messages')
      .where({ status: 'sending' })
      .orWhereRaw(`status = 'queued' and due_at < now() + interval '1 second'`)
      .select('id')
    const { waiting, active, prioritized } = await context.queues.sendMessage.getJobCounts()
    return due.length === 0 && [waiting, active, prioritized].every((count) => count === 0)
  }

  /** What was sent becomes so much older: places, rows and the outbox. Whoever waits asks again. */
  async function passTime(seconds: number, lines: TestLine[]): Promise<void> {
    const { db, redis, queues } = context
    // A worker that looked in the middle would find half of it older.
    await queues.sendMessage.pause()
    await until('no worker is at it', async () => (await queues.sendMessage.getActiveCount()) === 0)
    for (const line of lines) {
      for (const key of await redis.keys(`lh:{${line.lineId}}:*`)) {
        const members = await redis.zrange(key, 0, '-1')
        for (const member of members) await redis.zincrby(key, -1000 * seconds, member)
      }
      await db('simulator_outbox')
        .where({ from_number: line.number })
        .update({ taken_at: db.raw('taken_at - make_interval(secs => ?)', [seconds]) })
      await db('messages')
        .where({ line_id: line.lineId })
        .update({
          handed_over_at: db.raw('handed_over_at - make_interval(secs => ?)', [seconds]),
          not_before: db.raw('not_before - make_interval(secs => ?)', [seconds]),
        })
    }
    await queues.sendMessage.promoteJobs()
    await queues.sendMessage.resume()
  }

  async function mostInAMinute(line: TestLine, per: 'from_number' | 'to_number'): Promise<number> {
    const { rows } = await context.db.raw<{ rows: { most: number }[] }>(
      `select max(count)::integer as most from (
         select count(*) over (partition by ?? order by taken_at
           range between interval '60 seconds' preceding and current row) as count
         from simulator_outbox where from_number = ?) spans`,
      [per, line.number],
    )
    return rows[0]?.most ?? 0
  }
})
