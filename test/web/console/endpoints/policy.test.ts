import { expect } from 'chai'
import { changePolicy, getPolicy } from '../../../../src/domain/endpoints/policies.js'
import { receiveForDelivery } from '../../../domain/fixtures.js'
import { createApplication } from '../../../domain/applications/applications.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { own } from '../../../helpers/factories.js'
import { forEachTest } from '../../../helpers/suite.js'
import { describeConsole, wordsAt, wordsOf } from '../lines/line/line-page.js'
import { openEndpoint } from './endpoint-page.js'
import { messageOfEvent } from '../../support.js'
import { expectFault } from '../support.js'

const FIELDS = {
  shape: 'cloudevents',
  retrySchedule: '5, 60 3600',
  timeoutSeconds: '20',
  requestsAtOnce: '',
  offeredEvents: 'inboundText,inboundMedia,voiceMail',
  events: 'inboundText',
  secretHeaders: 'X-Api-Key: abc-123\r\nX-Two: 2',
}

const ASKS_AGAIN =
  /<textarea name="secretHeaders"[^>]* aria-invalid="true"[^>]*><\/textarea><small class="why">Enter this again\. It was not saved/

describeConsole('the policy of an endpoint in the console', (site) => {
  const { context, web, receiver } = site
  const endpoint = forEachTest(() => openEndpoint(site))
  const owner = () => own(endpoint.line)

  it('is changed by a form on the endpoint’s page, and is in it afterwards', async () => {
    await changePolicy(context, ...owner(), { requestsAtOnce: 3 })
    const { headers } = await endpoint.submit('policy', FIELDS)
    expect(headers.get('location')).to.equal(`${endpoint.path}?done=policy-saved`)
    expect(await getPolicy(context, ...owner())).to.deep.include({
      shape: 'cloudevents',
      retrySchedule: [5, 60, 3600],
      retryOnTimeout: false,
      timeoutSeconds: 20,
      requestsAtOnce: null,
      declinedEvents: ['inboundMedia', 'voiceMail'],
    })
    await endpoint.submit('policy', { ...FIELDS, secretHeaders: '', removedHeaders: 'X-Two' })
    expect(await getPolicy(context, ...owner())).to.deep.include({ headerNames: ['X-Api-Key'] })
    const html = await endpoint.page()
    expect(html).not.to.include('abc-123')
    expect(html).to.include('value="5, 60, 3600"')
    expect(html)
      .to.match(/value="inboundText" checked/)
      .and.not.match(/value="voiceMail" checked/)
  })

  it('keeps the input when refused', async () => {
    await endpoint.submit('policy', FIELDS)
    const answer = await endpoint.submit('policy', {
      ...FIELDS,
      retrySchedule: 'often',
      removedHeaders: 'X-Two',
    })
    expectFault(answer, 400, /^Retry schedule must be default, short, long.* such as 5, 60, 3600$/)
    expect(answer.text).to.match(/name="retrySchedule" value="often"[^>]* aria-invalid="true"/)
    expect(answer.text).to.include('<small class="why">Must be default, short, long')
    expect(answer.text).to.include('value="often"').and.not.include('abc-123')
    const removed = [...answer.text.matchAll(/name="removedHeaders" value="([^"]+)"( checked)?/g)]
    expect(removed.map(([, name, ticked]) => [name, ticked !== undefined])).to.deep.equal([
      ['X-Api-Key', false],
      ['X-Two', true],
    ])
  })

  it('asks for the headers again after an error and after a preview without a script, because no page keeps them', async () => {
    const often = { ...FIELDS, retrySchedule: 'often' }
    for (const form of ['policy', 'policy/preview']) {
      expect((await endpoint.submit(form, often)).text, form).to.match(ASKS_AGAIN)
    }
    await endpoint.submit('policy', FIELDS)
    const preview = await endpoint.submit('policy/preview', { ...FIELDS, removedHeaders: 'X-Two' })
    expect(preview.status).to.equal(200)
    expect(preview.text)
      .to.match(ASKS_AGAIN)
      .and.match(/value="X-Two" checked/)
    for (const [form, fields] of [
      ['policy', often],
      ['policy/preview', FIELDS],
    ] as const) {
      const without = await endpoint.submit(form, { ...fields, secretHeaders: '' })
      expect(without.text, form).not.to.include('not kept')
    }
  })

  it('is previewed with the input, in the page or for htmx, and shows errors in place', async () => {
    const form = 'policy/preview'
    const fields = { ...FIELDS, shape: 'template', template: '{"a": {{ payload | json }}}' }
    const page = await endpoint.submit(form, fields)
    expect(page.status).to.equal(200)
    expect(wordsOf(page.text)).to.include('There is no event yet')
    expect(page.text).to.include('{&quot;a&quot;: &quot;This is a \\&quot;test')
    expect(page.text).to.include('value="5, 60, 3600"')
    const refused = await endpoint.submit(form, { ...fields, template: '{{ nope }}' })
    expect(refused.status).to.equal(400)
    expect(wordsOf(refused.text)).to.include('Template: undefined variable: nope')
    expect(refused.text).to.include('{{ nope }}</textarea>')
    expect(await getPolicy(context, ...owner())).to.include({ shape: 'linehook', template: null })
  })

  it('explains its effect on a delivery, on the message’s page', async () => {
    const { id, event_id: eventId } = await receiveForDelivery(context, endpoint.line)
    const messageId = await messageOfEvent(context, eventId)
    for (const [status, failure, words] of [
      ['pending', 'earlier_event_waits', 'An earlier event from this number has not been delivered yet.'],
      ['exhausted', 'stopped_by_receiver', 'The server asked us to stop retrying this event'],
      ['exhausted', 'template_failed', "The endpoint's template failed"],
      ['exhausted', 'timeout', 'retries after a timeout are turned off for this endpoint.'],
    ] as const) {
      await context.db('deliveries').where({ id }).update({ status, last_failure: failure })
      expect(await wordsAt(endpoint.line.browser, `/console/messages/${messageId}`)).to.include(words)
    }
  })

  it('is on the page of an application’s endpoint too', async () => {
    const application = await createApplication(context, { webhookUrl: receiver.url })
    const browser = await browse(context, web, application.userId)
    const path = `/console/endpoints/${application.endpointId}`
    const { headers } = await browser.submit(`${path}/policy`, { ...FIELDS, retryOnTimeout: 'true' })
    expect(headers.get('location')).to.equal(`${path}?done=policy-saved`)
    expect(await getPolicy(context, ...own(application))).to.include({
      retryOnTimeout: true,
      timeoutSeconds: 20,
    })
    expect((await browser.get(path)).text).to.include('value="20"')
  })
})
