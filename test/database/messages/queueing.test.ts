import type { Database } from '../../../src/database/connection.js'
import { expect } from 'chai'
import fc from 'fast-check'
import { queueMessages, type QueueRequest } from '../../../src/database/messages/queueing.js'
import { newId } from '../../../src/ids.js'
import { sha256 } from '../../../src/secrets.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'

const NUMBERS = ['+14155550001', '+14155550002', '+14155550003']
const OPTED_OUT = '+14155550003'
const MAX_QUEUED = 12

const ANSWERED = ['accepted', 'replayed']

interface Planned {
  line: number
  number: number
  source: 'webhook' | 'api' | 'service'
  key: number | undefined
  /** Whose key it is: the line's, as a webhook's is, or somebody's who has both lines. */
  scope: 'line' | 'owner'
  text: string
}

const planned = fc.record<Planned>({
  line: fc.nat(1),
  number: fc.nat(NUMBERS.length - 1),
  source: fc.constantFrom('webhook', 'webhook', 'webhook', 'api', 'service'),
  key: fc.option(fc.nat(3), { nil: undefined, freq: 3 }),
  scope: fc.constantFrom('line', 'owner'),
  text: fc.constantFrom('one', 'two'),
})
const plan = fc.array(fc.array(planned, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 })

describeContext('a batch of messages that are to be queued', (context) => {
  async function createLines(): Promise<TestLine[]> {
    const limits = { messagesPerNumberPerMinute: 3, messagesPerMinute: 5 }
    const lines = [await createLine(context, limits), await createLine(context, limits)]
    await context
      .db('line_peers')
      .insert(lines.map(({ lineId }) => ({ line_id: lineId, number: OPTED_OUT, opted_out_at: new Date() })))
    return lines
  }

  function requestsOf(lines: readonly TestLine[], batch: readonly Planned[]): QueueRequest[] {
    return batch.map(({ line: at, number, source, key, scope, text }) => {
      const lineId = lines[at]!.lineId
      return {
        messageId: newId(),
        lineId,
        source,
        toNumber: NUMBERS[number]!,
        text,
        idempotency:
          key === undefined
            ? undefined
            : {
                scopeId: scope === 'line' ? lineId : lines[0]!.userId,
                key: String(key),
                requestHash: Buffer.from(`${at} ${text}`).toString('hex'),
              },
      }
    })
  }

  const withKey = ({ lineId }: TestLine, key: string): QueueRequest => ({
    ...{ messageId: newId(), lineId, source: 'webhook', toNumber: NUMBERS[0]!, text: 'x' },
    idempotency: { scopeId: lineId, key, requestHash: '00' },
  })
  const queue = async (requests: readonly QueueRequest[]) => {
    const answers = await queueMessages(context.db, requests, MAX_QUEUED)
    return answers.map((answer, n) => {
      if (answer instanceof Error) throw answer
      const { outcome, messageId } = answer
      const { toNumber, line } = answer.windows!
      const isOwn = messageId === requests[n]?.messageId
      return { outcome, isOwn, number: [toNumber.limit, toNumber.used], line: [line.limit, line.used] }
    })
  }

  it('is answered as the same messages one after the other are', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (batches) => {
        const [together, alone] = [await createLines(), await createLines()]
        for (const batch of batches) {
          const one: unknown[] = []
          for (const request of requestsOf(alone, batch)) one.push(...(await queue([request])))
          expect(await queue(requestsOf(together, batch))).to.deep.equal(one)
        }
        // Their order is promised for each line.
        const rowsOf = (lines: readonly TestLine[]) =>
          Promise.all(
            lines.map(({ lineId }) =>
              context
                .db('messages')
                .where({ line_id: lineId })
                .orderBy('position')
                .select('source', 'to_number', 'text', 'status'),
            ),
          )
        expect(await rowsOf(together)).to.deep.equal(await rowsOf(alone))
      }),
      // As many plans as half a minute has room for: a busy machine tries fewer.
      { numRuns: 20, interruptAfterTimeLimit: 30_000 },
    )
  })

  it('counts a repeat that turns out to be the first, for a known one after it', async () => {
    const lines = await createLines()
    const of = (line: number, number: number, key: number, scope: Planned['scope']): Planned => ({
      ...{ line, number, key, scope, source: 'webhook', text: 'one' },
    })
    await queue(requestsOf(lines, [of(0, 0, 3, 'line')]))
    const batch = [of(1, NUMBERS.indexOf(OPTED_OUT), 0, 'owner'), of(0, 0, 0, 'owner'), of(0, 0, 3, 'line')]
    const answers = await queue(requestsOf(lines, batch))
    expect(answers.map(({ outcome, line: [, used] }) => [outcome, used])).to.deep.equal([
      ['opted_out', 0],
      ['accepted', 2],
      ['replayed', 2],
    ])
  })

  for (const [what, requestsTo] of [
    ['new ones', (line: TestLine) => Array.from({ length: 50 }, () => withKey(line, 'one'))],
    [
      'repeats of known ones, between others',
      (line: TestLine) => Array.from({ length: 50 }, (_, n) => withKey(line, n % 2 ? 'known' : `key ${n}`)),
    ],
  ] as const) {
    it(`is judged in one go although requests have one key: ${what}`, async () => {
      const line = await createLine(context, { messagesPerNumberPerMinute: 1000, messagesPerMinute: 1000 })
      await queueMessages(context.db, [withKey(line, 'known')], 1000)
      await context.db.transaction(async (trx) => {
        await trx.raw(`set local track_functions = 'pl'`)
        // What a transaction of a moment ago has called on this connection may still be among them.
        const before = await callsIn(trx)
        const answers = await queueMessages(trx, requestsTo(line), 1000)
        for (const answer of answers) expect(answer).to.have.property('outcome').that.is.oneOf(ANSWERED)
        expect((await callsIn(trx)) - before).to.equal(1)
      })
    })
  }

  it('reads no months but those of its window, however many are kept', async () => {
    const line = await createLine(context)
    await context.db.raw(`select ensure_partitions('messages', '2020-01-01', 1)`)
    const request = { messageId: newId(), source: 'webhook' as const, toNumber: NUMBERS[0]!, text: 'x' }
    const queueOne = (trx: Database) =>
      queueMessages(
        trx,
        [{ ...request, messageId: newId(), lineId: line.lineId, isLineRoomy: true }],
        MAX_QUEUED,
      )
    await context.db.transaction(async (trx) => {
      const before = await scansIn(trx)
      // The first one has no window to look into for its number; the second one has.
      for (const [answer] of [await queueOne(trx), await queueOne(trx)]) {
        expect(answer).to.include({ outcome: 'accepted' })
      }
      expect((await scansIn(trx)) - before).to.equal(0)
    })
  })

  async function scansIn(trx: Database): Promise<number> {
    const { rows } = await trx.raw<{ rows: { scans: string }[] }>(
      `select seq_scan + idx_scan as scans from pg_stat_xact_user_tables where relname = 'messages_202001'`,
    )
    return Number(rows[0]?.scans ?? 0)
  }

  async function callsIn(trx: Database): Promise<number> {
    const { rows } = await trx.raw<{ rows: { calls: string }[] }>(
      `select calls from pg_stat_xact_user_functions where funcname = 'fit_messages'`,
    )
    return Number(rows[0]?.calls ?? 0)
  }

  it('has one answer for each request, an error where the line is gone', async () => {
    const line = await createLine(context)
    const request = { messageId: newId(), source: 'webhook' as const, toNumber: NUMBERS[0]!, text: 'x' }
    const [gone, there] = await queueMessages(
      context.db,
      [
        { ...request, lineId: newId() },
        { ...request, lineId: line.lineId },
      ],
      MAX_QUEUED,
    )
    expect(gone).to.be.instanceOf(Error)
    expect(there).to.include({ outcome: 'accepted', messageId: request.messageId })
  })

  it('has no more messages for later than a line may have', async () => {
    const line = await createLine(context)
    await context.db.raw(
      `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status, due_at)
       select nth_id(new_id(), n), ?::uuid, ?::uuid, 'outbound', 'api', ?, ?, 'x', 'scheduled', now() + interval '1 day'
       from generate_series(1, max_scheduled_per_line() - 1) n`,
      [line.userId, line.lineId, line.number, NUMBERS[0]!],
    )
    const sendAt = new Date(Date.now() + 3_600_000)
    const requests = Array.from({ length: 3 }, (): QueueRequest => ({
      ...{ messageId: newId(), lineId: line.lineId, source: 'api', toNumber: NUMBERS[0]!, text: 'x', sendAt },
    }))
    const answers = await queue(requests)
    expect(answers.map(({ outcome }) => outcome)).to.deep.equal(['accepted', 'line_full', 'line_full'])
  })

  it('refuses those alone whose webhook has another token, or another line, than they were let in by', async () => {
    const line = await createLine(context)
    const webhook = await context.batched.findOpenIncomingWebhook(line.lineId)
    const { tokenHash, lineVersion } = webhook!
    const requestOf = (openedBy: QueueRequest['openedBy']): QueueRequest => ({
      ...{ messageId: newId(), lineId: line.lineId, source: 'webhook', toNumber: NUMBERS[0]!, text: 'x' },
      ...(openedBy && { openedBy }),
    })
    const requests = [
      requestOf({ tokenHash, lineVersion }),
      requestOf({ tokenHash: sha256('another'), lineVersion }),
      requestOf({ tokenHash, lineVersion: '1' }),
      requestOf({ tokenHash, lineVersion }),
    ]
    const answers = await queue(requests)
    expect(answers.map(({ outcome }) => outcome)).to.deep.equal([
      'accepted',
      'webhook_changed',
      'webhook_changed',
      'accepted',
    ])
    expect(answers.at(-1)?.number).to.deep.equal([5, 2])
  })
})
