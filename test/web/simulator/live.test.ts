import { expect } from 'chai'
import { simulateInbound } from '../../../src/domain/simulator/simulator.js'
import { ANNA, BEN, queueMessage } from '../../domain/fixtures.js'
import { browse } from '../../helpers/web/browser-session.js'
import { createLine, lineForAllTests } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import { describeWeb } from '../../helpers/web/web.js'
import { hear, type Heard } from '../../helpers/web/hear.js'

describeWeb('/simulator/live', ({ context, web }) => {
  const line = lineForAllTests(context)
  const streams: Heard[] = []

  after(() => Promise.all(streams.map((stream) => stream.close())))

  const listen = async (userId: string, query: string): Promise<Heard> => {
    const Cookie = (await browse(context, web, userId)).cookie()
    const heard = await hear(`${web.url}/simulator/live?${query}`, { Cookie })
    streams.push(heard)
    expect(heard.status).to.equal(200)
    expect(heard.headers.get('content-type')).to.match(/^text\/event-stream/)
    return heard
  }

  it('brings what lines send and phones write, for the phones on the screen', async () => {
    const heard = await listen(line.userId, `phone=${encodeURIComponent(ANNA)}`)
    await until('the first event', () =>
      heard.text.includes('id="conversation-15005550101" data-hx-swap-oob="innerMorph"'),
    )
    await simulateInbound(context, { fromNumber: ANNA, toNumber: line.number, text: 'two\nlines' })
    await until('the text', () => heard.text.includes('two\ndata: lines'))
    await queueMessage(context, line, { to_number: BEN, text: 'to Ben', status: 'sent' })
    await queueMessage(context, line, { text: 'to Anna', status: 'sent' })
    await until('the answer', () => heard.text.includes('to Anna'))
    expect(heard.text).not.to.include('to Ben')
  })

  it("brings nothing of another user's", async () => {
    const stranger = await createLine(context)
    const heard = await listen(line.userId, `phone=${encodeURIComponent(BEN)}`)
    await simulateInbound(context, { fromNumber: BEN, toNumber: stranger.number, text: 'not yours' })
    await simulateInbound(context, { fromNumber: BEN, toNumber: line.number, text: 'yours' })
    await until('the text', () => heard.text.includes('>yours<'))
    expect(heard.text).not.to.include('not yours')
  })

  it('ends with the session', async () => {
    const { userId } = await createLine(context)
    const heard = await listen(userId, '')
    await until('the first event', () => heard.text !== '')
    await context.db('sessions').where({ user_id: userId }).delete()
    await until('the end', () => heard.isOver)
  })

  it('names phone when it is no number', async () => {
    const browser = await browse(context, web, line.userId)
    const { status, text } = await browser.get('/simulator/live?phone=nobody')
    expect([status, text.includes('phone must be a phone number')]).to.deep.equal([400, true])
  })
})
