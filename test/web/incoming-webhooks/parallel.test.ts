import { expect } from 'chai'
import type { Context } from '../../../src/domain/context.js'
import { createTestContext } from '../../helpers/context.js'
import { createLine, messageBody, type TestLine } from '../../helpers/factories.js'
import { serveApp, type Answer, type TestWeb } from '../../helpers/web/web.js'
import { messagesOf, newNumber } from '../support.js'

const REQUESTS = 200

/** Two processes of `web` on one database: their batches race for the same windows. */
describe('200 requests at once through two web processes', () => {
  const contexts: Context[] = []
  const webs: TestWeb[] = []

  before(async () => {
    const first = await createTestContext()
    const { databaseUrl } = first.config
    contexts.push(first, await createTestContext({ DATABASE_URL: databaseUrl }))
    for (const context of contexts) webs.push(await serveApp(context))
  })

  after(async () => {
    await Promise.all(webs.map((web) => web.close()))
    await Promise.all(contexts.map((context) => context.close()))
  })

  const sendAll = (line: TestLine, toNumber: () => string): Promise<Answer[]> =>
    Promise.all(
      Array.from({ length: REQUESTS }, (_, n) =>
        webs[n % webs.length]!.post(line.webhookPath, messageBody({ toNumber: toNumber(), text: `${n}` })),
      ),
    )

  async function expectExactly(accepted: number, line: TestLine, answers: Answer[]): Promise<void> {
    const kinds = answers.map(({ status, text }) => `${status} ${text}`)
    expect(kinds.filter((kind) => kind === '200 {"success":true}')).to.have.length(accepted)
    expect(
      kinds.filter((kind) => kind === '403 {"success":false,"error":"Rate limit exceeded"}'),
    ).to.have.length(REQUESTS - accepted)
    const ids = answers.flatMap(({ headers }) => headers.get('message-id') ?? [])
    const rows = await messagesOf(contexts[0]!, line.lineId)
    expect(rows.map(({ id }) => id)).to.have.members(ids)
    expect(rows).to.have.length(accepted)
  }

  for (const via of [1, 2]) {
    it(`to one number: exactly 5 are accepted (${via} of 2 rounds)`, async () => {
      const line = await createLine(contexts[0]!)
      const number = newNumber()
      await expectExactly(5, line, await sendAll(line, () => number))
    })

    it(`to many numbers: exactly 30 are accepted (${via} of 2 rounds)`, async () => {
      const line = await createLine(contexts[0]!)
      await expectExactly(30, line, await sendAll(line, newNumber))
    })
  }

  it('to ten numbers: never more than 5 to one, exactly 30 in all', async () => {
    const line = await createLine(contexts[0]!)
    const numbers = Array.from({ length: 10 }, newNumber)
    let next = 0
    await expectExactly(30, line, await sendAll(line, () => numbers[next++ % numbers.length]!))
    const rows = await messagesOf(contexts[0]!, line.lineId)
    for (const number of numbers) {
      expect(rows.filter((row) => row.to_number === number).length).to.be.at.most(5)
    }
  })

  it('to two lines: each has its own limits', async () => {
    const lines = [await createLine(contexts[0]!), await createLine(contexts[0]!)]
    const number = newNumber()
    const answers = await Promise.all(lines.map((line) => sendAll(line, () => number)))
    for (const [n, line] of lines.entries()) await expectExactly(5, line, answers[n]!)
  })
})
