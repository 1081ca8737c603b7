import { expect } from 'chai'
import { changePolicy, getPolicy } from '../../../../src/domain/endpoints/policies.js'
import { receiveForDelivery } from '../../../domain/fixtures.js'
import { createApplication } from '../../../domain/applications/applications.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { own } from '../../../helpers/factories.js'
import { describeWith } from '../../../helpers/suite.js'
import { startConsole, wordsOf } from '../lines/line/line-page.js'
import { messageOfEvent } from '../../support.js'
import { faultOf } from '../support.js'

const FIELDS = {
  shape: 'cloudevents',
  retrySchedule: '5, 60 3600',
  timeoutSeconds: '20',
  requestsAtOnce: '',
  offeredEvents: 'inboundText,inboundMedia,voiceMail',
  events: 'inboundText',
  secretHeaders: 'X-Api-Key: abc-123\r\nX-Two: 2',
}

describeWith('the policy of an endpoint in the console', startConsole, (site) => {
  it('is changed by a form on the endpoint’s page, and is in it afterwards', async () => {
    const line = await site.openLine({ outgoingUrl: site.receiver.url })
    const owner = own(line)
    await changePolicy(site.context, ...owner, { requestsAtOnce: 3 })
    const { headers } = await line.act('policy', FIELDS)
    expect(headers.get('location')).to.equal(`${line.endpointPath}?done=policy-saved`)
    expect(await getPolicy(site.context, ...owner)).to.deep.include({
      shape: 'cloudevents',
      retrySchedule: [5, 60, 3600],
      retryOnTimeout: false,
      timeoutSeconds: 20,
      requestsAtOnce: null,
      declinedEvents: ['inboundMedia', 'voiceMail'],
    })
    await line.act('policy', { ...FIELDS, secretHeaders: '', removedHeaders: 'X-Two' })
    expect(await getPolicy(site.context, ...owner)).to.deep.include({ headerNames: ['X-Api-Key'] })
    const html = await line.endpointPage()
    expect(html).not.to.include('abc-123')
    expect(html).to.include('value="5, 60, 3600"')
    expect(html)
      .to.match(/value="inboundText" checked/)
      .and.not.match(/value="voiceMail" checked/)
  })

  it('keeps the input when refused', async () => {
    const line = await site.openLine({ outgoingUrl: site.receiver.url })
    await line.act('policy', FIELDS)
    const answer = await line.act('policy', { ...FIELDS, retrySchedule: 'often', removedHeaders: 'X-Two' })
    expect(answer.status).to.equal(400)
    expect(faultOf(answer)).to.match(/^Retry schedule must be default, short, long.* such as 5, 60, 3600$/)
    expect(answer.text).to.match(/name="retrySchedule" value="often"[^>]* aria-invalid="true"/)
    expect(answer.text).to.include('<small class="why">Must be default, short, long')
    expect(answer.text).to.include('value="often"').and.not.include('abc-123')
    const removed = [...answer.text.matchAll(/name="removedHeaders" value="([^"]+)"( checked)?/g)]
    expect(removed.map(([, name, ticked]) => [name, ticked !== undefined])).to.deep.equal([
      ['X-Api-Key', false],
      ['X-Two', true],
    ])
  })

  it('asks for the headers again after an error, because no page keeps them', async () => {
    const line = await site.openLine({ outgoingUrl: site.receiver.url })
    const again =
      /<textarea name="secretHeaders"[^>]* aria-invalid="true"[^>]*><\/textarea><small class="why">Enter this again\. It was not kept/
    const refused = await line.act('policy', { ...FIELDS, retrySchedule: 'often' })
    expect(refused.text).to.match(again)
    const preview = await line.act('policy/preview', { ...FIELDS, retrySchedule: 'often' })
    expect(preview.text).to.match(again)
    const without = await line.act('policy', { ...FIELDS, retrySchedule: 'often', secretHeaders: '' })
    expect(without.text).not.to.include('not kept')
  })

  it('asks for the headers again after a preview without a script, and keeps which are to be removed', async () => {
    const line = await site.openLine({ outgoingUrl: site.receiver.url })
    await line.act('policy', FIELDS)
    const again =
      /<textarea name="secretHeaders"[^>]* aria-invalid="true"[^>]*><\/textarea><small class="why">Enter this again\. It was not kept/
    const preview = await line.act('policy/preview', { ...FIELDS, removedHeaders: 'X-Two' })
    expect(preview.status).to.equal(200)
    expect(preview.text)
      .to.match(again)
      .and.match(/value="X-Two" checked/)
    const without = await line.act('policy/preview', { ...FIELDS, secretHeaders: '' })
    expect(without.text).not.to.include('not kept')
  })

  it('shows at a choice what is wrong with it', async () => {
    const line = await site.openLine({ outgoingUrl: site.receiver.url })
    const answer = await line.act('policy', { ...FIELDS, shape: 'xml' })
    expect(answer.status).to.equal(400)
    expect(answer.text).to.match(
      /<select name="shape" aria-invalid="true">.*?<\/select><small class="why">Must be one of/s,
    )
  })

  it('is previewed with the input, in the page or for htmx, and shows errors in place', async () => {
    const line = await site.openLine({ outgoingUrl: site.receiver.url })
    const form = 'policy/preview'
    const fields = { ...FIELDS, shape: 'template', template: '{"a": {{ payload | json }}}' }
    const page = await line.act(form, fields)
    expect(page.status).to.equal(200)
    expect(wordsOf(page.text)).to.include('There is no event yet')
    expect(page.text).to.include('{&quot;a&quot;: &quot;This is a \\&quot;test')
    expect(page.text).to.include('value="5, 60, 3600"')
    const refused = await line.act(form, { ...fields, template: '{{ nope }}' })
    expect(refused.status).to.equal(400)
    expect(wordsOf(refused.text)).to.include('Template: undefined variable: nope')
    expect(refused.text).to.include('{{ nope }}</textarea>')
    const owner = own(line)
    expect(await getPolicy(site.context, ...owner)).to.include({ shape: 'linehook', template: null })
  })

  it('explains its effect on a delivery, on the message’s page', async () => {
    const line = await site.openLine({ outgoingUrl: site.receiver.url })
    const { id, event_id: eventId } = await receiveForDelivery(site.context, line)
    const messageId = await messageOfEvent(site.context, eventId)
    const browser = await browse(site.context, site.web, line.userId)
    for (const [status, failure, words] of [
      ['pending', 'earlier_event_waits', 'An earlier event from this number has not been delivered yet.'],
      ['exhausted', 'stopped_by_receiver', 'The server asked us to stop retrying this event'],
      ['exhausted', 'template_failed', "The endpoint's template failed"],
      ['exhausted', 'timeout', 'this endpoint has automatic retries after timeouts turned off.'],
    ] as const) {
      await site.context.db('deliveries').where({ id }).update({ status, last_failure: failure })
      expect(wordsOf((await browser.get(`/console/messages/${messageId}`)).text)).to.include(words)
    }
  })

  it('is on the page of an application’s endpoint too', async () => {
    const application = await createApplication(site.context, { webhookUrl: site.receiver.url })
    const browser = await browse(site.context, site.web, application.userId)
    const path = `/console/endpoints/${application.endpointId}`
    const { headers } = await browser.submit(`${path}/policy`, { ...FIELDS, retryOnTimeout: 'true' })
    expect(headers.get('location')).to.equal(`${path}?done=policy-saved`)
    expect(await getPolicy(site.context, ...own(application))).to.include({
      retryOnTimeout: true,
      timeoutSeconds: 20,
    })
    expect((await browser.get(path)).text).to.include('value="20"')
  })
})
