import { expect } from 'chai'
import { deliveryRow, receiveForDelivery, receiveManyForDelivery } from '../../../domain/fixtures.js'
import { describeWith } from '../../../helpers/suite.js'
import { redirectOf, startConsole, wordsOf, type OpenLine } from '../lines/line/line-page.js'

describeWith('the health of an endpoint, and its held events', startConsole, (site) => {
  let line: OpenLine

  beforeEach(async () => {
    line = await site.openLine({ outgoingUrl: site.receiver.url })
  })

  const setEndpoint = (health: Record<string, unknown>) =>
    site.context.db('endpoints').where({ user_id: line.userId }).update(health)
  const disable = (reason: 'gone' | 'failing') =>
    setEndpoint({ disabled_at: new Date(), disabled_reason: reason, failing_since: new Date() })

  it('says that the endpoint works, or since when and how often it has failed', async () => {
    expect(wordsOf(await line.endpointPage()))
      .to.include('Health not called yet')
      .and.include('It gets up to 10 events at a time. Nothing waits.')
    await setEndpoint({ called_at: new Date() })
    expect(wordsOf(await line.endpointPage())).to.include('Health works')
    await setEndpoint({ failing_since: new Date('2026-01-02T03:04:05Z'), consecutive_failure_count: 7 })
    expect(wordsOf(await line.endpointPage()))
      .to.include('Health failing Failing since 2026-01-02 03:04:05 UTC : 7 failures in a row.')
      .and.not.include('Enable again')
  })

  it('says why the endpoint was disabled, and enables it again', async () => {
    await disable('gone')
    expect(wordsOf(await line.endpointPage()))
      .to.include('the server answered 410 Gone')
      .and.include('Enable again')
    await disable('failing')
    expect(wordsOf(await line.endpointPage())).to.include('nothing but failures came from it for 5 days')
    const { headers } = await line.submit('connection/enable')
    expect(headers.get('location')).to.equal(`${line.path}/access?done=enabled#connection`)
    expect(wordsOf(await line.endpointPage()))
      .to.include('Health not called yet')
      .and.include('or none since it was enabled again')
  })

  it('counts what waits and what is held', async () => {
    await receiveForDelivery(site.context, line)
    expect(wordsOf(await line.endpointPage())).to.include('1 event waits for an attempt.')
    await receiveForDelivery(site.context, line)
    const { id } = await receiveForDelivery(site.context, line)
    await site.context.db('deliveries').where({ id }).update({ status: 'held' })
    expect(wordsOf(await line.endpointPage())).to.include('2 events wait for an attempt. 1 event is held.')
  })

  it('says of which held events the media must be copied first', async () => {
    const delivery = await receiveForDelivery(site.context, line)
    const held = site.context.db('deliveries').where({ id: delivery.id })
    await held.clone().update({ status: 'held', last_failure: 'timeout' })
    expect(wordsOf(await line.endpointPage())).not.to.include('copy of their media')
    await held.clone().update({ last_failure: 'media_http_404' })
    expect(wordsOf(await line.endpointPage())).to.include(
      'without a copy of their media are not sent from here',
    )
  })

  it('lists the held events, and sends them when the endpoint is enabled again', async () => {
    await disable('failing')
    const delivery = await receiveForDelivery(site.context, line)
    await site.context.db('deliveries').where({ id: delivery.id }).update({ last_failure: 'timeout' })
    const { message_id: messageId } = await site.context
      .db('events')
      .where({ id: delivery.event_id })
      .first<{ message_id: string }>('message_id')
    const html = await line.endpointPage()
    expect(html).to.include(`href="/console/messages/${messageId}"`)
    expect(wordsOf(html))
      .to.include('+15005550101 Text There was no whole answer in time.')
      .and.include('They can be sent when the URL is enabled again.')
    const early = await line.act('send-held-events')
    expect(early.status).to.equal(409)
    expect(early.text).to.match(/role="alert"[^>]*>the endpoint is disabled/)

    await line.submit('connection/enable')
    expect(wordsOf(await line.endpointPage())).to.include('Send them')
    expect(redirectOf(await line.act('send-held-events'))).to.deep.equal([
      303,
      `${line.endpointPath}?done=held-sent`,
    ])
    expect(await deliveryRow(site.context, delivery.id)).to.include({ status: 'pending', job_generation: 1 })
    expect(wordsOf(await line.endpointPage('?done=held-sent')))
      .to.include('The held events are being sent.')
      .and.not.include('Send them')
  })

  it('lists the newest twenty', async () => {
    await disable('failing')
    await receiveManyForDelivery(site.context, line, 20)
    expect(await line.endpointPage()).not.to.include('there are more')
    await receiveForDelivery(site.context, line)
    const html = await line.endpointPage()
    expect(wordsOf(html)).to.include('Here are the newest 20; there are more.')
    expect(html.match(/href="\/console\/messages\//g)).to.have.length(20)
  })

  it('offers what was held to a URL that comes after one that was taken away', async () => {
    await disable('failing')
    await receiveForDelivery(site.context, line)
    await line.submit('outgoing-webhook', { url: '' })
    expect((await line.browser.get(line.endpointPath)).status).to.equal(404)
    await line.submit('outgoing-webhook', { url: site.receiver.url })
    expect(wordsOf(await line.endpointPage())).to.include('Held events')
  })
})
