import { expect } from 'chai'
import { readLimits } from '../../../src/domain/messages/limits.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { submitToIncomingWebhook } from '../../../src/domain/messages/submit.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { ANNA, BEN, inboundText, queueMessage } from '../fixtures.js'
import { refusal } from '../refusal.js'

describeContext('the limits of a line', (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { messagesPerNumberPerMinute: 2, messagesPerMinute: 8 })
  })

  const read = () => readLimits(context, line.userId, line.lineId)

  async function submit(toNumber: string) {
    const webhook = await context.batched.findOpenIncomingWebhook(line.lineId)
    return submitToIncomingWebhook(context, webhook!, { toNumber, text: 'x', idempotencyKey: undefined })
  }

  it('are all open when nothing was sent', async () => {
    expect(await read()).to.deep.equal({ line: { limit: 8, used: 0, opensMs: 0 }, numbers: [], caps: [] })
  })

  it('say what is used, fullest number first, and when each gives back a message', async () => {
    await submit(BEN)
    await submit(ANNA)
    await submit(ANNA)
    const limits = await read()
    expect(limits.line).to.include({ limit: 8, used: 3 })
    expect(limits.numbers.map(({ number, limit, used }) => [number, limit, used])).to.deep.equal([
      [ANNA, 2, 2],
      [BEN, 2, 1],
    ])
    for (const { opensMs } of [limits.line, ...limits.numbers]) expect(opensMs).to.be.within(1, 60_000)
  })

  it('are the ones that the incoming webhook goes by', async () => {
    await submit(ANNA)
    const answer = await submit(ANNA)
    const refused = await submit(ANNA)
    const limits = await read()
    expect([answer.outcome, refused.outcome]).to.deep.equal(['accepted', 'rate_limited'])
    expect(limits.numbers[0]).to.include({ used: 2 })
    expect(limits.line).to.include({ used: 2 })
  })

  it('show five numbers at most', async () => {
    for (let n = 0; n < 7; n += 1) await submit(`+1500555020${n}`)
    expect((await read()).numbers).to.have.length(5)
  })

  it('forget a number that has answered: its window starts anew, the line’s does not', async () => {
    await submit(ANNA)
    await receiveMessage(context, inboundText(line))
    const limits = await read()
    expect([limits.line.used, limits.numbers]).to.deep.equal([1, []])
  })

  it('count neither what is older than a minute nor what did not come by the webhook', async () => {
    await queueMessage(context, line, { source: 'console' })
    await queueMessage(context, line, { created_at: context.db.raw(`now() - interval '61 seconds'`) })
    expect((await read()).line).to.include({ used: 0 })
  })

  it('are shown to nobody else', async () => {
    const { userId } = await createLine(context)
    for (const [user, id] of [
      [userId, line.lineId],
      [line.userId, newId()],
      [line.userId, 'x'],
    ] as const) {
      expect(await refusal(readLimits(context, user, id))).to.deep.equal({
        status: 404,
        message: 'no such line',
      })
    }
  })
})
