import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import { createLine, messageBody, type TestLine } from '../helpers/factories.js'
import type { RunningWeb } from '../helpers/process/processes.js'
import { describeInstallation } from './support/installation.js'
import { WIDE } from './support/steps.js'

const AT_ONCE = 120
const KEYS = Array.from({ length: 60 }, (_, n) => `order ${n}`)

describeInstallation(
  'journey: one Idempotency-Key at once',
  { processes: ['web', 'web'] },
  (installation) => {
    const { context, running } = installation
    let line: TestLine
    let authorization: string

    before(async () => {
      line = await createLine(context, WIDE)
      const { token } = await createApiToken(context, line.userId, 'test')
      authorization = `Bearer ${token}`
    })

    /** Of two processes. */
    const urlOf = (n: number) => (running.processes[n % 2] as RunningWeb).url
    /** A busy machine has no time for all of them. What is answered 503 asks again, as programs do. */
    async function post(n: number, path: string, body: object, headers: Record<string, string>) {
      for (;;) {
        const answer = await fetch(urlOf(n) + path, { method: 'POST', headers, body: JSON.stringify(body) })
        if (answer.status !== 503) return answer
        await answer.body?.cancel()
        await sleep(100)
      }
    }

    it('one request is accepted, and the others get the same response or 409', async () => {
      for (const key of ['first', 'second', 'third']) {
        const answers = await Promise.all(
          Array.from({ length: AT_ONCE }, (_, n) =>
            post(n, line.webhookPath, messageBody({ text: key }), { 'Idempotency-Key': key }),
          ),
        )
        const [id, ...more] = await context.db('messages').where({ text: key }).pluck<string[]>('id')
        expect(more).to.deep.equal([])
        const told = answers.map(({ status, headers }) => [status, headers.get('message-id')])
        expect(told).to.deep.include([200, id])
        for (const each of told)
          expect(each).to.be.deep.oneOf([
            [200, id],
            [409, null],
          ])
      }
    })

    it('batches with the same keys in different orders, on several lines, do not lock each other out', async () => {
      const lines = [line]
      for (let n = 0; n < 4; n += 1) lines.push(await createLine(context, { ...WIDE, userId: line.userId }))
      const messages = KEYS.map((idempotencyKey, n) => ({
        ...{ idempotencyKey, lineId: lines[n % lines.length]!.lineId },
        ...{ toNumber: '+15005550199', text: idempotencyKey },
      }))
      const orders = Array.from({ length: 8 }, (_, n) => {
        const turned = [...messages.slice(n * 7), ...messages.slice(0, n * 7)]
        return n % 2 === 0 ? turned : turned.reverse()
      })
      const answers = await Promise.all(
        orders.map(async (order, n) => {
          const answer = await post(n, '/v1/messages/batch', { messages: order }, { authorization })
          const outcomes = (await answer.json()) as { status: number; id?: string }[]
          return outcomes.map(({ status, id }, at) => ({ status, id, key: order[at]!.text }))
        }),
      )

      const rows = await context
        .db('messages')
        .whereIn('text', KEYS)
        .select<{ id: string; text: string }[]>('id', 'text')
      const ids = new Map(rows.map(({ id, text }) => [text, id]))
      expect(rows).to.have.length(KEYS.length)
      expect([...ids.keys()]).to.have.members(KEYS)
      for (const { status, id, key } of answers.flat()) {
        expect(status).to.be.oneOf([200, 409])
        if (status === 200) expect(id).to.equal(ids.get(key))
      }
      // Counted by Postgres, also for those that a second try would have hidden.
      await context.db.raw('select pg_stat_force_next_flush()')
      const deadlocks = await context
        .db('pg_stat_database')
        .where({ datname: context.db.raw('current_database()') })
        .first<{ deadlocks: string }>('deadlocks')
      expect(deadlocks).to.deep.equal({ deadlocks: '0' })
    })
  },
)
