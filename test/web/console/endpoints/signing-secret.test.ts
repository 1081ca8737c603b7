import { expect } from 'chai'
import { describeWith } from '../../../helpers/suite.js'
import {
  loseConfirmation,
  redirectOf,
  startConsole,
  wordsOf,
  type OpenLine,
} from '../lines/line/line-page.js'
import { isAskedAgain } from '../support.js'

describeWith('the signing secret of an endpoint', startConsole, (site) => {
  let line: OpenLine

  beforeEach(async () => {
    line = await site.openLine({ outgoingUrl: site.receiver.url })
  })

  const shownSecret = (html: string) => /id="secret">(whsec_[^<]+)</.exec(html)?.[1]

  it('is hidden until it is asked for', async () => {
    expect(await line.endpointPage())
      .to.include('whsec_••••')
      .and.not.include(line.signingSecret)
    const html = await line.endpointPage('?show=secret')
    expect(shownSecret(html)).to.equal(line.signingSecret)
    expect(html).to.include('data-copy="secret"').and.not.include(line.token)
  })

  it('is shown and rotated only when the password was given a short while ago', async () => {
    await loseConfirmation(site.context, line.userId)
    const asked = await line.browser.get(`${line.endpointPath}?show=secret`)
    expect(redirectOf(asked)).to.deep.equal([
      303,
      `/console/confirm?next=${encodeURIComponent(`${line.endpointPath}?show=secret#signing-secret`)}`,
    ])
    expect(isAskedAgain(await line.act('rotate-secret'))).to.equal(true)
    await site.context.db('sessions').where({ user_id: line.userId }).update({ confirmed_at: new Date() })
    const html = await line.endpointPage('?show=secret')
    expect(shownSecret(html)).to.equal(line.signingSecret)
    expect(wordsOf(html)).not.to.include('The secret from before signs too')
  })

  it('is rotated: the new one is shown at once, and the old one signs too for 24 hours', async () => {
    const { headers } = await line.act('rotate-secret')
    expect(headers.get('location')).to.equal(
      `${line.endpointPath}?show=secret&done=secret-rotated#signing-secret`,
    )
    const html = await line.endpointPage('?show=secret&done=secret-rotated')
    expect(shownSecret(html))
      .to.match(/^whsec_/)
      .and.not.equal(line.signingSecret)
    const until = /The secret from before signs too, until ([\d-]+ [\d:]+) UTC/.exec(wordsOf(html))?.[1] ?? ''
    expect((new Date(`${until}Z`).getTime() - Date.now()) / 3_600_000).to.be.within(23.9, 24)
    await line.act('test-event')
    expect(site.receiver.requests.at(-1)?.headers['webhook-signature']).to.match(/^v1,\S+ v1,\S+$/)
  })
})
