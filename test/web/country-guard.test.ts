import { expect } from 'chai'
import { pauseCountry } from '../../src/database/messages/country-guard.js'
import { createOverviewReader } from '../../src/domain/operating/overview/overview.js'
import { createPerson } from '../domain/people/people.js'
import { browse } from '../helpers/web/browser-session.js'
import { createLine, lineForEachTest, messageBody } from '../helpers/factories.js'
import { describeWeb } from '../helpers/web/web.js'
import { expectFault, expectPage, expectSentTo } from './console/support.js'
import { wordsOf } from './console/lines/line/line-page.js'
import { expectAccepted, expectRefused } from './support.js'
import { createClient, expectProblem } from './v1/support.js'
import type { DescribedWeb } from './openapi/described.js'

const JAMAICA = '+18765550100'

describeWeb('messages to a country that rose suddenly', ({ context, web }) => {
  const line = lineForEachTest(context)
  const send = (toNumber: string) => web.post(line.webhookPath, messageBody({ toNumber }))
  const pause = () =>
    pauseCountry(context.db, { userId: line.userId, country: 'JM', accepted: 340, usual: 12 })

  it('are refused from the next request on, and other users’ messages are not', async () => {
    expectAccepted(await send(JAMAICA))
    await pause()
    expectRefused(await send(JAMAICA), 403, 'Sending to this country is paused')
    expectRefused(await send('1 876 555 0100'), 403, 'Sending to this country is paused')
    expectAccepted(await send('+14155550142'))
    const other = await createLine(context)
    expectAccepted(await web.post(other.webhookPath, messageBody({ toNumber: JAMAICA })))

    const client = await createClient(context, web as DescribedWeb, line.userId)
    const message = { lineId: line.lineId, toNumber: JAMAICA, text: 'Hello' }
    expectProblem(await client.post('/v1/messages', message), 403, /^Sending to this country is paused/)
    expect((await client.get(`/v1/lines/${line.lineId}`)).body).to.deep.include({ pausedCountries: ['JM'] })
  })

  it('are shown to the owner and to operators, who can resume them', async () => {
    await pause()
    const owner = await browse(context, web, line.userId)
    const linePath = `/console/lines/${line.lineId}`
    expect(wordsOf((await owner.get(linePath)).text)).to.include('country paused')
    expect(wordsOf((await owner.get(`${linePath}/send`)).text)).to.include('Messages to Jamaica are refused')

    const operator = await createPerson(context, { role: 'operator' })
    const browser = await browse(context, web, operator.id)
    const path = `/console/users/${line.userId}`
    const page = await browser.get(path)
    expectPage(page)
    expect(wordsOf(page.text)).to.match(
      /Messages to Jamaica have been refused since .*: 340 were accepted .* at most 12 an hour/,
    )
    const { needs } = await createOverviewReader(context, { writes: false }).read('1h')
    expect(needs.find(({ cure }) => cure.at === 'user')).to.deep.include({
      mood: 'bad',
      cure: { at: 'user', userId: line.userId },
    })

    expectSentTo(
      await browser.submit(`${path}/countries/resume`, { country: 'JM' }),
      `${path}?done=country-resumed`,
    )
    expectAccepted(await send(JAMAICA))
    expect(wordsOf((await browser.get(path)).text)).not.to.include('Jamaica')
    expect((await owner.submit(`${path}/countries/resume`, { country: 'JM' })).status).to.equal(404)
    // Another operator was faster. Nobody entered the country, so there is nothing to copy.
    const late = await browser.submit(`${path}/countries/resume`, { country: 'JM' })
    expectFault(late, 404, /^Country must be one that is paused/)
    expect(late.text).not.to.include('textarea readonly')
  })
})
