import { expect } from 'chai'
import { addEndpoint, listEndpoints } from '../../../../src/domain/endpoints/endpoints.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { revealSigningSecret } from '../../../../src/domain/endpoints/signing-secrets.js'
import { connect, createApplication } from '../../../domain/applications/applications.js'
import { inboundText } from '../../../domain/fixtures.js'
import { describeWith } from '../../../helpers/suite.js'
import { faultOf, isAskedAgain } from '../support.js'
import {
  loseConfirmation,
  redirectOf,
  startConsole,
  wordsOf,
  type OpenLine,
} from '../lines/line/line-page.js'

describeWith('the endpoints of a line, in the console', startConsole, (site) => {
  let line: OpenLine

  beforeEach(async () => {
    line = await site.openLine({ outgoingUrl: site.receiver.url })
  })

  const secretOf = (id: string) => revealSigningSecret(site.context, { userId: line.userId }, id)

  it('are added under the Receive tab, and each has a page of its own', async () => {
    const refused = await line.submit('endpoints', { url: 'ftp://x', name: 'CRM' })
    expect(refused.status).to.equal(400)
    expect(faultOf(refused)).to.match(/^url: /)
    expect(refused.text).to.include('value="ftp://x"').and.include('value="CRM"')

    const added = await line.submit('endpoints', { url: site.receiver.url, name: 'CRM' })
    const [, to = '', id = ''] =
      /^(\/console\/endpoints\/([\w-]+))\?done=endpoint-added$/.exec(added.headers.get('location') ?? '') ??
      []
    const page = async (query = '') => (await line.browser.get(to + query)).text
    const submit = (form: string, fields?: Record<string, string>) =>
      line.browser.submit(`${to}/${form}`, fields)
    expect(wordsOf(await page('?done=endpoint-added')))
      .to.include('The endpoint is added.')
      .and.include('Health not called yet')
      .and.include(`posted to ${site.receiver.url}`)
    const listed = await line.page('/receive')
    expect(listed).to.include(`href="${to}"`)
    expect(wordsOf(listed)).to.match(/CRM 127\.0\.0\.1:\d+ not called yet/)

    const saved = await submit('fields', {
      url: site.receiver.url,
      name: '',
      optInEvents: 'optOut',
    })
    expect(redirectOf(saved)).to.deep.equal([303, `${to}?done=endpoint-saved`])
    const [, endpoint] = await listEndpoints(site.context, { userId: line.userId })
    expect(endpoint).to.deep.include({ name: null, optInEvents: ['optOut'] })
    const emptied = await submit('fields', { url: '', name: '' })
    expect(faultOf(emptied)).to.match(/^url: /)

    expect(
      redirectOf(await submit('policy', { shape: 'slack', signature: 'v1', events: 'inboundText' })),
    ).to.deep.equal([303, `${to}?done=policy-saved`])
    expect((await submit('policy/preview', { shape: 'slack', signature: 'v1' })).text).to.include(
      'There is no event yet',
    )
    expect(wordsOf((await submit('test-event', { type: 'voiceMail' })).text)).to.include(
      'delivered Your server answered 200.',
    )

    const secret = await secretOf(id)
    expect(await page()).not.to.include(secret)
    expect(await page('?show=secret')).to.include(secret)
    await loseConfirmation(site.context, line.userId)
    const asked = await line.browser.get(`${to}?show=secret`)
    expect(asked.headers.get('location')).to.match(/^\/console\/confirm\?next=.*endpoints.*signing-secret$/)
    expect(isAskedAgain(await submit('rotate-secret'))).to.equal(true)
    await site.context.db('sessions').where({ user_id: line.userId }).update({ confirmed_at: new Date() })
    expect((await submit('rotate-secret')).headers.get('location')).to.equal(
      `${to}?show=secret&done=secret-rotated#signing-secret`,
    )
    expect(await secretOf(id)).not.to.equal(secret)
    expect(await secretOf(id)).to.be.a('string')

    await submit('pause')
    expect(wordsOf(await page())).to.include('Events are paused since')
    expect(wordsOf(await line.page('/receive'))).not.to.include('Events are paused since')
    expect(wordsOf(await line.page())).to.include('This line needs you: the events to an endpoint are paused')
    await submit('resume')

    await receiveMessage(site.context, inboundText(line))
    const ofIt = site.context.db('deliveries').where({ endpoint_id: id })
    await ofIt.clone().update({ status: 'held' })
    await site.context
      .db('endpoints')
      .where({ id })
      .update({ disabled_at: new Date(), disabled_reason: 'gone' })
    expect(wordsOf(await page()))
      .to.include('the server answered 410 Gone')
      .and.include('1 event is held.')
    const early = await submit('send-held-events')
    expect([early.status, faultOf(early)]).to.deep.equal([
      409,
      'the endpoint is disabled, because it failed: enable it again first',
    ])
    expect(redirectOf(await submit('enable'))).to.deep.equal([303, `${to}?done=endpoint-enabled`])
    expect(wordsOf(await page())).to.include('Send them')
    await submit('send-held-events')
    expect(await ofIt.clone().pluck('status')).to.deep.equal(['pending'])
    expect(redirectOf(await submit('try-now'))).to.deep.equal([303, `${to}?done=events-tried-now`])

    expect(redirectOf(await submit('delete'))).to.deep.equal([
      303,
      `${line.path}/receive?done=endpoint-deleted#endpoints`,
    ])
    expect(wordsOf(await line.page('/receive?done=endpoint-deleted'))).to.include('The endpoint is deleted')
    expect((await line.browser.get(to)).status).to.equal(404)
    expect((await submit('fields', { url: site.receiver.url })).status).to.equal(404)
  })

  it('are not offered more than there may be, nor while the connection is off', async () => {
    const written = { url: site.receiver.url }
    for (let n = 0; n < 10; n += 1)
      await addEndpoint(site.context, line.userId, { lineId: line.lineId }, written)
    expect(wordsOf(await line.page('/receive'))).to.include(
      'There are 10: delete one before you add another.',
    )
    const refused = await line.submit('endpoints', written)
    expect([refused.status, faultOf(refused)]).to.deep.equal([
      409,
      'a line may have up to 10 endpoints beside its outgoing webhook: delete one first',
    ])
    await line.submit('connection/disable')
    expect(wordsOf(await line.endpointPage()))
      .to.include('It gets none while the developer connection is off')
      .and.not.include('Send test event')
    await line.submit('connection/disconnect')
    expect(await listEndpoints(site.context, { userId: line.userId })).to.have.length(1)
  })

  it('of an application has a page too, which shows of what is held only how much', async () => {
    const { context, receiver } = site
    const application = await createApplication(context, { userId: line.userId, webhookUrl: receiver.url })
    await connect(context, application, line)
    const path = `/console/endpoints/${application.endpointId}`
    const page = async (query = '') => (await line.browser.get(path + query)).text
    const submit = (form: string, fields?: Record<string, string>) =>
      line.browser.submit(`${path}/${form}`, fields)
    expect(wordsOf(await page())).to.include('endpoint of the application')
    expect(await page()).to.include(`href="/console/applications/${application.id}"`)
    expect(await page('?show=secret')).to.include(application.signingSecret)
    expect(wordsOf((await submit('test-event', { type: 'lineDisconnected' })).text)).to.include(
      'Your server answered 200.',
    )
    await receiveMessage(context, inboundText(line))
    await context.db('deliveries').where({ endpoint_id: application.endpointId }).update({ status: 'held' })
    expect(wordsOf(await page()))
      .to.include('1 event is held.')
      .and.include('Send them')
      .and.not.include('+15005550101')
    expect(redirectOf(await submit('send-held-events'))).to.deep.equal([303, `${path}?done=held-sent`])
    expect(redirectOf(await submit('delete'))).to.deep.equal([
      303,
      `/console/applications/${application.id}?done=endpoint-deleted`,
    ])
  })
})
