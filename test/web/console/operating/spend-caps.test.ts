import { expect } from 'chai'
import { listSpendCaps } from '../../../../src/database/messages/spend-caps.js'
import { noteCharges } from '../../../../src/database/messages/charges.js'
import { queueMessage } from '../../../domain/fixtures.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createLine, lineForEachTest, messageBody } from '../../../helpers/factories.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { wordsAt, wordsOf } from '../lines/line/line-page.js'
import { expectFault, expectPage, expectSentTo, signedInForEachTest } from '../support.js'

describeWeb('caps', ({ context, web }) => {
  const { browser: operating } = signedInForEachTest(context, web, 'operator')
  const line = lineForEachTest(context)
  let user: string

  beforeEach(() => {
    user = `/console/users/${line.userId}`
  })

  const cap = (of: string, segments: string) => operating.submit(`${user}/spend-cap`, { of, segments })

  it('are set and taken away by operators on the page of a user', async () => {
    expect(await wordsAt(operating, user)).to.include('No caps on these lines')
    expectSentTo(await cap(line.userId, '100'), `${user}?done=cap-saved`)
    expectSentTo(await cap(line.lineId, '5'), `${user}?done=cap-saved`)
    expect(await wordsAt(operating, user))
      .to.include('All lines combined: 0 of 100 segments today')
      .and.to.include(`${line.number}: 0 of 5 segments today`)
    expectSentTo(await cap(line.userId, ''), `${user}?done=cap-removed`)
    expect(await listSpendCaps(context.db, [line.userId])).to.deep.equal([])
  })

  it('are refused for an invalid number, and for another user’s line', async () => {
    const refused = await cap(line.userId, 'many')
    expectFault(refused, 400, /^Segments per day must be a whole number/)
    expectPage(await cap((await createLine(context)).lineId, '5'), 404)
  })

  it('refuse the incoming webhook with 429 until tomorrow, and warn on the line’s page from 80% on', async () => {
    await cap(line.lineId, '5')
    const owning = await browse(context, web, line.userId)
    const path = `/console/lines/${line.lineId}`
    const post = (text: string) => web.post(line.webhookPath, messageBody({ text }))
    expect((await post('x'.repeat(400))).status).to.equal(200)
    expect(await wordsAt(owning, `${path}/send`))
      .to.include('3 of 5 segments today on this line')
      .and.not.to.include('nearly used up')
    expect((await post('Hello')).status).to.equal(200)
    expect(await wordsAt(owning, `${path}/send`)).to.include(
      'nearly used up 4 of 5 segments today on this line',
    )
    const refused = await post('x'.repeat(200))
    expect([refused.status, refused.body]).to.deep.equal([
      429,
      { success: false, error: 'Daily segment cap reached' },
    ])
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 86_400)
    expect((await post('Hello')).status).to.equal(200)
    expect(await wordsAt(owning, `${path}/send`)).to.include('used up 5 of 5 segments today')
    expect(await wordsAt(operating, user)).to.include('used up')
  })

  it('also limit money per month, next to what the lines sent and cost', async () => {
    const cap = (of: string, amount: string) => operating.submit(`${user}/monthly-cap`, { of, amount })
    expect(await wordsAt(operating, user)).to.include('Nothing sent in the last three months')
    expectSentTo(await cap(line.lineId, '2 USD'), `${user}?done=monthly-cap-saved`)
    const sent = { status: 'sent', sent_at: new Date(), handed_over_at: new Date(), segment_count: 1 }
    const id = await queueMessage(context, line, sent)
    await noteCharges(context.db, [{ id, price: '1.8', currency: 'USD', segmentCount: 2 }])
    expect(await wordsAt(operating, user))
      .to.include(`${line.number}: 1.80 of 2.00 USD this month nearly spent`)
      .and.to.include('1.80 USD')
    const owning = await browse(context, web, line.userId)
    expect(await wordsAt(owning, `/console/lines/${line.lineId}/send`)).to.include(
      'nearly spent 1.80 of 2.00 USD this month on this line',
    )
    expect(await wordsAt(owning, '/console/usage'))
      .to.include('1.80 USD')
      .and.not.include('no prices')
    expect(await wordsAt(owning, `/console/messages/${id}`)).to.include(
      '1 segment, GSM-7; the carrier counted 2; cost: 1.80 USD',
    )
    const wrong = await owning.get('/console/usage?from=x')
    expectPage(wrong, 400)
    expect(wordsOf(wrong.text)).to.include('from must be a month such as').and.not.include('Nothing was sent')
    for (const [browser, path] of [
      [owning, '/console/usage.csv'],
      [operating, `${user}/usage.csv`],
    ] as const) {
      expect((await browser.get(path)).text).to.match(/,1,2,2,USD,1\.80,1\n$/)
    }
    expectFault(await cap(line.userId, 'much'), 400, /^Amount per month must be a value such as 50 USD/)
    expectSentTo(await cap(line.lineId, ''), `${user}?done=cap-removed`)
  })
})
