import { expect } from 'chai'
import { changeRows } from '../../../../domain/fixtures.js'
import { messageBody } from '../../../../helpers/factories.js'
import { forEachTest } from '../../../../helpers/suite.js'
import { redirectOf, describeConsole, wordsOf } from './line-page.js'
import { expectFault, expectSentTo, seenIn } from '../../support.js'

describeConsole("the incoming webhook on a line's page", ({ context, web, openLine }) => {
  const line = forEachTest(() => openLine())

  const send = async (path: string) => (await web.post(path, messageBody())).status
  const shownPath = (html: string) => {
    const url = /id="webhook-url">([^<]+)</.exec(html)?.[1]
    if (url === undefined) throw new Error('the page shows no URL')
    const { pathname, search } = new URL(url)
    return pathname + search
  }

  it('hides the token until it is asked for', async () => {
    const html = await line.page('/send')
    expect(html).to.include(`/webhooks/lineId/${line.lineId}?token=••••`).and.not.include(line.token)
    const shown = await line.page('/send?show=webhook')
    expect(shownPath(shown)).to.equal(line.webhookPath)
    expect(wordsOf(shown)).to.include(
      `--data-raw '{"intent":"message","data":{"toNumber":"+15005550199","text":"Hello"}}' 'http`,
    )
    expect(shown.match(/data-copy="webhook-\w+"/g), 'the URL, and code in six languages').to.have.length(7)
  })

  it('is deleted, and created anew with another URL, which is shown at once', async () => {
    expectSentTo(
      await line.submit('incoming-webhook/delete'),
      `${line.path}/send?done=webhook-deleted#incoming-webhook`,
    )
    expect(await send(line.webhookPath)).to.equal(404)
    const created = await line.submit('incoming-webhook')
    expectSentTo(created, `${line.path}/send?show=webhook&done=webhook-created#incoming-webhook`)
    const path = shownPath(await line.page('/send?show=webhook&done=webhook-created'))
    expect([await send(path), await send(line.webhookPath)]).to.deep.equal([200, 403])
  })

  it('is created once: from an old page it is refused', async () => {
    const refused = await line.submit('incoming-webhook')
    expectFault(refused, 409, /^This line already has an incoming webhook/)
    expect(refused.text).not.to.include(line.token)
  })

  it('gets a new token, beside which the old one works for as long as was chosen, and says until when', async () => {
    expectSentTo(
      await line.submit('incoming-webhook/regenerate', { overlapSeconds: '3600' }),
      `${line.path}/send?show=webhook&done=webhook-regenerated#incoming-webhook`,
    )
    const html = await line.page('/send?show=webhook')
    expect([await send(shownPath(html)), await send(line.webhookPath)]).to.deep.equal([200, 200])
    const until = /The previous URL also works until ([\d-]+ [\d:]+) UTC/.exec(wordsOf(html))?.[1] ?? ''
    const inSeconds = (new Date(`${until}Z`).getTime() - Date.now()) / 1000
    expect(inSeconds).to.be.within(3500, 3600)
  })

  it('regenerates the token once for a form that is sent twice, even at the same time', async () => {
    const before = shownPath(await line.page('/send?show=webhook'))
    const press = async (overlapSeconds: string, times = 1) => {
      const seen = seenIn(await line.page('/send'), 'incoming-webhook/regenerate')
      const fields = { overlapSeconds, seen }
      return Promise.all(
        Array.from({ length: times }, () => line.submit('incoming-webhook/regenerate', fields)),
      )
    }
    const acts = context
      .db('audit_log')
      .where({ action: 'line.incoming_webhook.regenerated', user_id: line.userId })

    const answers = (await press('3600', 2)).map(redirectOf)
    expect(answers[0]).to.deep.equal(answers[1])
    expect(await acts.clone()).to.have.length(1)
    const [again] = await press('3600')
    expectFault(again!, 409, /^Current token expires: the previous token still works until /)
    expect(again!.text).to.match(
      /<select name="overlapSeconds" aria-invalid="true">.*<option value="3600" selected>.*class="why">The previous token/s,
    )
    expect(await send(before), 'the overlap that was chosen').to.equal(200)

    await press('0')
    expect(await acts.clone()).to.have.length(2)
    const html = await line.page('/send?show=webhook')
    expect([await send(shownPath(html)), await send(before)]).to.deep.equal([200, 403])
    expect(wordsOf(html)).to.include('regenerated').and.not.include('The previous URL also works')
  })

  it('does not regenerate it from a page that was opened before it changed, and says so', async () => {
    const seen = seenIn(await line.page('/send'), 'incoming-webhook/regenerate')
    const press = () => line.submit('incoming-webhook/regenerate', { overlapSeconds: '0', seen })
    await press()
    const longAgo = { regenerated_at: context.db.raw(`regenerated_at - interval '2 minutes'`) }
    await changeRows(context, 'incoming_webhooks', { line_id: line.lineId }, longAgo)
    const before = shownPath(await line.page('/send?show=webhook'))
    expectFault(await press(), 409, /^The token has changed since you opened this page/)
    expect(await send(before)).to.equal(200)
  })

  it('says what is wrong at the form of what was chosen', async () => {
    const { status, text } = await line.submit('incoming-webhook/regenerate', { overlapSeconds: '86401' })
    expect(status).to.equal(400)
    expect(text).to.match(
      /<details class="confirm" open>(?:(?!<\/form>).)*\/regenerate"(?:(?!<\/form>).)*Current token expires must be/s,
    )
    expect(await send(line.webhookPath)).to.equal(200)
  })
})
