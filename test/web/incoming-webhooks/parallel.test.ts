import { expect } from 'chai'
import { createLine, messageBody, type TestLine } from '../../helpers/factories.js'
import { describeWeb, joinWeb, type Answer } from '../../helpers/web/web.js'
import { messagesOf, newNumber } from '../support.js'

const REQUESTS = 200

/** Two processes of `web` on one database: their batches race for the same windows. */
describeWeb('200 requests at once through two web processes', ({ context, web }) => {
  const webs = [web, joinWeb(context).web]

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
    const rows = await messagesOf(context, line.lineId)
    expect(rows.map(({ id }) => id)).to.have.members(ids)
    expect(rows).to.have.length(accepted)
  }

  for (const [what, accepted, count] of [
    ['to one number: exactly 5 are accepted', 5, 1],
    ['to ten numbers: never more than 5 to one, exactly 30 in all', 30, 10],
    ['to many numbers: exactly 30 are accepted', 30, REQUESTS],
  ] as const) {
    it(what, async () => {
      const line = await createLine(context)
      const numbers = Array.from({ length: count }, newNumber)
      let next = 0
      await expectExactly(accepted, line, await sendAll(line, () => numbers[next++ % count]!))
      const rows = await messagesOf(context, line.lineId)
      for (const number of numbers) {
        expect(rows.filter((row) => row.to_number === number).length).to.be.at.most(5)
      }
    })
  }

  it('to two lines: each has its own limits', async () => {
    const lines = [await createLine(context), await createLine(context)]
    const number = newNumber()
    const answers = await Promise.all(lines.map((line) => sendAll(line, () => number)))
    for (const [n, line] of lines.entries()) await expectExactly(5, line, answers[n]!)
  })
})
