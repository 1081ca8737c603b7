import { expect } from 'chai'
import { changePolicy, getPolicy, type EndpointOwner } from '../../../../src/domain/endpoint-policies.js'
import { createApplication } from '../../../domain/applications.js'
import { browse } from '../../../helpers/browser-session.js'
import { describeWith } from '../../../helpers/suite.js'
import { startConsole, wordsOf } from '../line/line-page.js'

const FIELDS = {
  shape: 'cloudevents',
  retrySchedule: '5, 60 3600',
  timeoutSeconds: '20',
  requestsAtOnce: '',
  events: 'inboundText',
  secretHeaders: 'X-Api-Key: abc-123\r\nX-Two: 2',
}

describeWith('the policy of an endpoint in the console', startConsole, (site) => {
  it('is changed by a form on the page of the line, and is in it afterwards', async () => {
    const line = await site.openLine({ outgoingUrl: site.receiver.url })
    const owner: EndpointOwner = { of: 'line', id: line.lineId, userId: line.userId }
    await changePolicy(site.context, owner, { requestsAtOnce: 3 })
    const { headers } = await line.submit('outgoing-webhook/policy', FIELDS)
    expect(headers.get('location')).to.equal(`${line.path}?done=policy-saved#outgoing-webhook`)
    expect(await getPolicy(site.context, owner)).to.deep.include({
      shape: 'cloudevents',
      retrySchedule: [5, 60, 3600],
      retryOnTimeout: false,
      timeoutSeconds: 20,
      requestsAtOnce: null,
      declinedEvents: ['inboundMedia', 'voiceMail'],
    })
    await line.submit('outgoing-webhook/policy', { ...FIELDS, secretHeaders: '', removedHeaders: 'X-Two' })
    expect(await getPolicy(site.context, owner)).to.deep.include({ headerNames: ['X-Api-Key'] })
    const html = await line.page()
    expect(html).not.to.include('abc-123')
    expect(html).to.include('value="5, 60, 3600"')
    expect(html)
      .to.match(/value="inboundText" checked/)
      .and.not.match(/value="voiceMail" checked/)
  })

  it('is shown again as it was typed when it is refused', async () => {
    const line = await site.openLine({ outgoingUrl: site.receiver.url })
    const answer = await line.submit('outgoing-webhook/policy', { ...FIELDS, retrySchedule: 'often' })
    expect(answer.status).to.equal(400)
    expect(wordsOf(answer.text)).to.include('retrySchedule must be default, short, long')
    expect(answer.text).to.include('value="often"').and.not.include('abc-123')
  })

  it('is on the page of an application too', async () => {
    const { id, userId } = await createApplication(site.context, { webhookUrl: site.receiver.url })
    const browser = await browse(site.context, site.web, userId)
    const path = `/console/applications/${id}`
    const { headers } = await browser.submit(`${path}/webhook/policy`, { ...FIELDS, retryOnTimeout: 'true' })
    expect(headers.get('location')).to.equal(`${path}?done=policy-saved`)
    expect(await getPolicy(site.context, { of: 'application', id, userId })).to.include({
      retryOnTimeout: true,
      timeoutSeconds: 20,
    })
    expect((await browser.get(path)).text).to.include('value="20"')
  })
})
