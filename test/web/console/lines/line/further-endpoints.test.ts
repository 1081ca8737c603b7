import { expect } from 'chai'
import { addLineEndpoint, listLineEndpoints } from '../../../../../src/domain/endpoints/line-endpoints.js'
import { receiveMessage } from '../../../../../src/domain/messages/receive.js'
import { revealSigningSecret } from '../../../../../src/domain/endpoints/signing-secrets.js'
import { inboundText } from '../../../../domain/fixtures.js'
import { describeWith } from '../../../../helpers/suite.js'
import { faultOf, isAskedAgain } from '../../support.js'
import { loseConfirmation, redirectOf, startConsole, wordsOf, type OpenLine } from './line-page.js'

describeWith("a line's further endpoints, in the console", startConsole, (site) => {
  let line: OpenLine

  beforeEach(async () => {
    line = await site.openLine({ outgoingUrl: site.receiver.url })
  })

  const secretOf = (id: string) => revealSigningSecret(site.context, line.userId, line.lineId, id)

  it('are added under the Receive tab, and each has a page that does all that the tab does', async () => {
    const refused = await line.submit('endpoints', { url: 'ftp://x', name: 'CRM' })
    expect(refused.status).to.equal(400)
    expect(faultOf(refused)).to.match(/^url: /)
    expect(refused.text).to.include('value="ftp://x"').and.include('value="CRM"')

    const added = await line.submit('endpoints', { url: site.receiver.url, name: 'CRM' })
    const [, to = '', id = ''] =
      /^(\/console\/lines\/[\w-]+\/endpoints\/([\w-]+))\?done=endpoint-added$/.exec(
        added.headers.get('location') ?? '',
      ) ?? []
    expect(to).to.equal(`${line.path}/endpoints/${id}`)
    const below = `endpoints/${id}`
    const page = (query = '') => line.page(`/${below}${query}`)
    expect(wordsOf(await page('?done=endpoint-added')))
      .to.include('The endpoint is added.')
      .and.include('Health not called yet')
      .and.include(`posted to ${site.receiver.url} too`)
    const listed = await line.page('/receive')
    expect(listed).to.include(`href="${to}"`)
    expect(wordsOf(listed)).to.match(/CRM 127\.0\.0\.1:\d+ not called yet/)

    const saved = await line.submit(`${below}/fields`, {
      url: site.receiver.url,
      name: '',
      optInEvents: 'optOut',
    })
    expect(redirectOf(saved)).to.deep.equal([303, `${to}?done=endpoint-saved`])
    const [endpoint] = await listLineEndpoints(site.context, line.userId, line.lineId)
    expect(endpoint).to.deep.include({ name: null, optInEvents: ['optOut'] })
    const emptied = await line.submit(`${below}/fields`, { url: '', name: '' })
    expect(faultOf(emptied)).to.match(/^url: /)

    expect(
      redirectOf(
        await line.submit(`${below}/policy`, { shape: 'slack', signature: 'v1', events: 'inboundText' }),
      ),
    ).to.deep.equal([303, `${to}?done=policy-saved`])
    expect(
      (await line.submit(`${below}/policy/preview`, { shape: 'slack', signature: 'v1' })).text,
    ).to.include('There is no event yet')
    expect(wordsOf((await line.submit(`${below}/test-event`, { type: 'voiceMail' })).text)).to.include(
      'delivered Your server answered 200.',
    )

    const secret = await secretOf(id)
    expect(await page()).not.to.include(secret)
    expect(await page('?show=secret')).to.include(secret)
    await loseConfirmation(site.context, line.userId)
    const asked = await line.browser.get(`${to}?show=secret`)
    expect(asked.headers.get('location')).to.match(/^\/console\/confirm\?next=.*endpoints.*signing-secret$/)
    expect(isAskedAgain(await line.submit(`${below}/rotate-secret`))).to.equal(true)
    await site.context.db('sessions').where({ user_id: line.userId }).update({ confirmed_at: new Date() })
    expect((await line.submit(`${below}/rotate-secret`)).headers.get('location')).to.equal(
      `${to}?show=secret&done=secret-rotated#signing-secret`,
    )
    expect(await secretOf(id)).not.to.equal(secret)
    expect(await secretOf(id)).to.be.a('string')

    await line.submit(`${below}/pause`)
    expect(wordsOf(await page())).to.include('Events are paused since')
    expect(wordsOf(await line.page('/receive'))).not.to.include('Events are paused since')
    expect(wordsOf(await line.page())).to.include(
      'This line needs you: the events to a further endpoint are paused',
    )
    await line.submit(`${below}/resume`)

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
    const early = await line.submit(`${below}/send-held-events`)
    expect([early.status, faultOf(early)]).to.deep.equal([
      409,
      'the endpoint is disabled, because it failed: enable it again first',
    ])
    expect(redirectOf(await line.submit(`${below}/enable`))).to.deep.equal([
      303,
      `${to}?done=endpoint-enabled`,
    ])
    expect(wordsOf(await page())).to.include('Send them')
    await line.submit(`${below}/send-held-events`)
    expect(await ofIt.clone().pluck('status')).to.deep.equal(['pending'])
    expect(redirectOf(await line.submit(`${below}/try-events-now`))).to.deep.equal([
      303,
      `${to}?done=events-tried-now`,
    ])

    expect(redirectOf(await line.submit(`${below}/delete`))).to.deep.equal([
      303,
      `${line.path}/receive?done=endpoint-deleted#endpoints`,
    ])
    expect(wordsOf(await line.page('/receive?done=endpoint-deleted'))).to.include('The endpoint is deleted')
    expect((await line.browser.get(to)).status).to.equal(404)
    expect((await line.submit(`${below}/fields`, { url: site.receiver.url })).status).to.equal(404)
  })

  it('are not offered more than there may be, nor while the connection is off', async () => {
    const written = { url: site.receiver.url }
    for (let n = 0; n < 10; n += 1) await addLineEndpoint(site.context, line.userId, line.lineId, written)
    expect(wordsOf(await line.page('/receive'))).to.include(
      'There are 10: delete one before you add another.',
    )
    const refused = await line.submit('endpoints', written)
    expect([refused.status, faultOf(refused)]).to.deep.equal([
      409,
      'a line may have up to 10 endpoints beside its outgoing webhook URL: delete one first',
    ])
    await line.submit('connection/disable')
    const [endpoint] = await listLineEndpoints(site.context, line.userId, line.lineId)
    expect(wordsOf(await line.page(`/endpoints/${endpoint!.id}`)))
      .to.include('It gets none while the developer connection is off')
      .and.not.include('Send test event')
    await line.submit('connection/disconnect')
    expect(await line.page('/receive')).not.to.include('/endpoints/')
  })
})
