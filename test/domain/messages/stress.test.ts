import { inspect } from 'node:util'
import { expect } from 'chai'
import type { Context } from '../../../src/domain/context.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { sendSimulatedReceipts } from '../../../src/domain/simulator/simulator.js'
import { sweep } from '../../../src/domain/sweep.js'
import { createTestContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { submit, ANNA, BEN, CLEO, inboundText, sendWhenDue, UNLIMITED } from '../fixtures.js'

const NUMBERS = [ANNA, BEN, CLEO]
const MESSAGE_COUNT = 200

describe('two processes that accept, send, receive, report and sweep on the same lines', () => {
  let contexts: [Context, Context]
  let lines: TestLine[]
  const faults: unknown[] = []

  before(async () => {
    const first = await createTestContext({}, { acquireTimeoutMs: 10_000 })
    const second = await createTestContext(
      { DATABASE_URL: first.config.databaseUrl, REDIS_URL: first.config.redisUrl },
      { acquireTimeoutMs: 10_000 },
    )
    contexts = [first, second]
    lines = [await createLine(first, UNLIMITED), await createLine(first, UNLIMITED)]
  })
  after(() => Promise.all(contexts.map((context) => context.close())))

  it('send everything once, in order for each number, and never lock each other out', async () => {
    const [{ db }] = contexts
    let isOver = false
    const whileSending = async (work: () => Promise<unknown>) => {
      while (!isOver) await work()
    }
    const accepting = acceptAll()
    const background = contexts.flatMap((context, n) => [
      whileSending(() => sendSome(context)),
      whileSending(() => sendSome(context)),
      whileSending(() => receiveSome(context)),
      whileSending(() => sweepOverdue(loud(context))),
      ...(n === 0 ? [whileSending(() => sendSimulatedReceipts(context).catch(noteFault))] : []),
    ])
    try {
      await accepting
      const deadline = Date.now() + 40_000
      while ((await countUnfinished()) > 0 && Date.now() < deadline) await sendSome(contexts[0])
    } finally {
      isOver = true
      await Promise.all(background)
    }

    expect(faults).to.deep.equal([])
    expect(await countUnfinished()).to.equal(0)
    for (const line of lines) {
      for (const toNumber of NUMBERS) {
        const ofNumber = { from_number: line.number, to_number: toNumber }
        const accepted = await db('messages').where(ofNumber).orderBy('position').pluck<string[]>('id')
        const taken = await db('simulator_outbox')
          .where(ofNumber)
          .orderBy('carrier_message_id')
          .pluck<string[]>('message_id')
        expect(taken).to.deep.equal(accepted)
      }
    }
    expect(await db('simulator_outbox').count({ count: '*' })).to.deep.equal([
      { count: String(MESSAGE_COUNT) },
    ])
    // Counted by Postgres, also for those that a second try would have hidden.
    await db.raw('select pg_stat_force_next_flush()')
    const deadlocks = await db('pg_stat_database')
      .where({ datname: db.raw('current_database()') })
      .first<{ deadlocks: string }>('deadlocks')
    expect(deadlocks).to.deep.equal({ deadlocks: '0' })
  })

  async function acceptAll(): Promise<void> {
    for (let n = 0; n < MESSAGE_COUNT; n += 10) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, k) => {
          const context = contexts[(n / 10) % 2]!
          const toNumber = NUMBERS[(n + k) % 3]!
          const answer = await submit(context, lines[k % 2]!.lineId, { toNumber, text: `${n + k}` })
          if (answer.outcome !== 'accepted') noteFault(answer)
        }),
      )
    }
  }

  /** As workers with more jobs than there are messages: every queued message is tried by both processes. */
  async function sendSome(context: Context): Promise<void> {
    const ids = await context
      .db('messages')
      .where({ status: 'queued' })
      .orderByRaw('random()')
      .limit(30)
      .pluck<string[]>('id')
    await Promise.all(ids.map((id) => sendWhenDue(context, id).catch(noteFault)))
  }

  async function receiveSome(context: Context): Promise<void> {
    const line = lines[Math.floor(Math.random() * lines.length)]!
    const fromNumber = NUMBERS[Math.floor(Math.random() * NUMBERS.length)]!
    await receiveMessage(context, inboundText(line, { fromNumber })).catch(noteFault)
    // No person writes so much: the two would rest for ten minutes.
    await context.db('line_peers').whereNotNull('paused_until').update({ paused_until: null })
  }

  /** Nothing is overdue so early, so a few rows are made to be. */
  async function sweepOverdue(context: Context): Promise<void> {
    await context.db.raw(`
      update messages set due_at = now() - interval '10 seconds' where id in
        (select id from messages where status = 'queued' order by random() limit 5 for update skip locked)`)
    await sweep(context)
  }

  async function countUnfinished(): Promise<number> {
    const unfinished = await contexts[0]
      .db('messages')
      .whereIn('status', ['queued', 'sending'])
      .pluck<string[]>('id')
    return unfinished.length
  }

  /** The sweep reports its failures to the log only. */
  function loud(context: Context): Context {
    const log = Object.create(context.log) as Context['log']
    log.error = log.warn = (details: unknown) => {
      noteFault(details)
    }
    return { ...context, log }
  }

  function noteFault(fault: unknown): void {
    // With the cause: what Postgres said is what tells a deadlock from a lack of time.
    faults.push(inspect(fault, { depth: 5 }))
  }
})
