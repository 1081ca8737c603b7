import { expect } from 'chai'
import { messageBody } from '../../../../helpers/factories.js'
import { describeWith } from '../../../../helpers/suite.js'
import { until } from '../../../../helpers/until.js'
import { startConsole, wordsOf, type OpenLine } from './line-page.js'

describeWith("the gauges on a line's page", startConsole, (site) => {
  const send = async (line: OpenLine, toNumber: string, times: number) => {
    for (let n = 0; n < times; n += 1) {
      expect((await site.web.post(line.webhookPath, messageBody({ toNumber }))).status).to.equal(200)
    }
  }

  it('show the messages that were accepted, of the line and of the busiest numbers', async () => {
    const line = await site.openLine()
    const empty = wordsOf(await line.page('/send'))
    expect(empty).to.include('0 of 30 in the last 60 s in all To single numbers: none')
    await send(line, '+15005550101', 5)
    await send(line, '+15005550102', 2)
    const html = await line.page('/send')
    expect(wordsOf(html))
      .to.match(/7 of 30 in the last 60 s in all; the next place opens in \d\d? s/)
      .and.match(/5 of 5 in the last 60 s to \+15005550101; full: one more fits in \d\d? s/)
      .and.match(/2 of 5 in the last 60 s to \+15005550102; the next place opens in \d\d? s/)
    expect(html).to.match(/<meter[^>]*max="30"[^>]*value="7"/)
  })

  it('keep themselves up to date', async () => {
    const line = await site.openLine()
    const path = `${line.path}/limits/live`
    expect(await line.page('/send')).to.include(`hx-sse:connect="${path}"`)
    const response = await fetch(site.web.url + path, { headers: { Cookie: line.browser.cookie() } })
    expect(response.headers.get('content-type')).to.match(/^text\/event-stream/)
    let heard = ''
    const reading = (async () => {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) heard += chunk
    })().catch(() => undefined)
    await until('the gauge of nothing', () => heard.includes('0 of 30'))
    await send(line, '+15005550101', 1)
    await until('the gauge of one message', () => heard.includes('1 of 30') && heard.includes('1 of 5'))
    await site.context.db('sessions').where({ user_id: line.userId }).delete()
    await reading
  })
})
