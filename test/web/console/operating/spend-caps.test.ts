import { expect } from 'chai'
import { listSpendCaps } from '../../../../src/database/messages/spend-caps.js'
import { createPerson } from '../../../domain/people/people.js'
import { browse, type BrowserSession } from '../../../helpers/web/browser-session.js'
import { createLine, messageBody, type TestLine } from '../../../helpers/factories.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { wordsOf } from '../lines/line/line-page.js'
import { expectPage, expectSentTo, expectFault } from '../support.js'

describeWeb('daily caps', ({ context, web }) => {
  let line: TestLine
  let operating: BrowserSession
  let user: string

  beforeEach(async () => {
    line = await createLine(context)
    operating = await browse(context, web, (await createPerson(context, { role: 'operator' })).id)
    user = `/console/users/${line.userId}`
  })

  const cap = (of: string, segments: string) => operating.submit(`${user}/spend-cap`, { of, segments })
  const words = async (browser: BrowserSession, path: string) => wordsOf((await browser.get(path)).text)

  it('are set and taken away by operators on the page of a user', async () => {
    expect(await words(operating, user)).to.include('There is no cap')
    expectSentTo(await cap(line.userId, '100'), `${user}?done=cap-saved`)
    expectSentTo(await cap(line.lineId, '5'), `${user}?done=cap-saved`)
    expect(await words(operating, user))
      .to.include('All lines together: 0 of 100 segments today')
      .and.to.include(`${line.number}: 0 of 5 segments today`)
    expectSentTo(await cap(line.userId, ''), `${user}?done=cap-removed`)
    expect(await listSpendCaps(context.db, [line.userId])).to.deep.equal([])
  })

  it('are refused for what is no number, and for a line of somebody else', async () => {
    const refused = await cap(line.userId, 'many')
    expectFault(refused, 400, /^segments must be a whole number/)
    expectPage(await cap((await createLine(context)).lineId, '5'), 404)
  })

  it('refuse the incoming webhook with 429 until tomorrow, and warn on the line’s page from 80 % on', async () => {
    await cap(line.lineId, '5')
    const owning = await browse(context, web, line.userId)
    const path = `/console/lines/${line.lineId}`
    const post = (text: string) => web.post(line.webhookPath, messageBody({ text }))
    expect((await post('x'.repeat(400))).status).to.equal(200)
    expect(await words(owning, `${path}/send`))
      .to.include('3 of 5 segments today with this line')
      .and.not.to.include('nearly used up')
    expect((await post('Hello')).status).to.equal(200)
    expect(await words(owning, `${path}/send`)).to.include(
      'nearly used up 4 of 5 segments today with this line',
    )
    const refused = await post('x'.repeat(200))
    expect([refused.status, refused.body]).to.deep.equal([
      429,
      { success: false, error: 'Daily cap of segments reached' },
    ])
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 86_400)
    expect((await post('Hello')).status).to.equal(200)
    expect(await words(owning, `${path}/send`)).to.include('used up 5 of 5 segments today')
    expect(await words(operating, user)).to.include('used up')
  })
})
