import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { changePolicy, previewPolicy } from '../../../../src/domain/endpoints/policies.js'
import { fillTemplate, TemplateFailed } from '../../../../src/domain/endpoints/deliveries/template.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, own, type TestLine } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { createApplication } from '../../applications/applications.js'
import {
  ANNA,
  countWaitingForLocks,
  deliverWhenDue,
  deliveryRow,
  inboundText,
  receiveForDelivery,
} from '../../fixtures.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { until } from '../../../helpers/until.js'
import { refusal } from '../../refusal.js'

const TEMPLATE = '{"from": {{ fromNumber | json }}, "said": {{ payload | json }}}'

describeContext('a template of one’s own', (context) => {
  const receiver = openForEachTest(startReceiver)
  let line: TestLine
  let owner: ReturnType<typeof own>

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
    owner = own(line)
  })

  const change = (fields: Record<string, unknown>) =>
    changePolicy(context, ...owner, { shape: 'template', ...fields })
  const attempt = async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    return { id, outcome: await deliverWhenDue(context, id, endpointId) }
  }

  it('makes the body, with the Content-Type of one’s choice, and what is sent is signed', async () => {
    await change({ template: TEMPLATE })
    expect((await attempt()).outcome).to.deep.equal({ kind: 'delivered' })
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.requests
    const json = new Webhook(line.signingSecret).verify(body, headers as Record<string, string>)
    expect(json).to.deep.equal({ from: ANNA, said: 'Hi there' })
    expect(headers['content-type']).to.equal('application/json')

    await change({
      template: '{{ type }} {{ id }} {{ time | date: "%Y" }}',
      templateContentType: 'text/plain',
    })
    await attempt()
    const { headers: last, body: text } = receiver.requests.at(-1)!
    expect(text).to.match(/^inboundText [\da-f-]{36} 20\d\d$/)
    expect(last['content-type']).to.equal('text/plain')
  })

  it('that cannot be filled with an event ends the delivery at once, and nothing is sent', async () => {
    await change({ template: '{% if payload == "Hi there" %}{% else %}1{% endif %}' })
    const { id, outcome } = await attempt()
    expect(outcome).to.deep.equal({ kind: 'exhausted', failure: 'template_failed' })
    expect(await deliveryRow(context, id)).to.include({
      status: 'exhausted',
      last_failure: 'template_failed',
    })
    expect(receiver.requests).to.deep.equal([])
  })

  it('is previewed with the last event of its owner, and nothing is saved or sent', async () => {
    const preview = (fields: Record<string, unknown>, of = owner) => previewPolicy(context, ...of, fields)
    const sample = await preview({ shape: 'template', template: TEMPLATE })
    expect(sample).to.include({ contentType: 'application/json', isSample: true })
    expect(JSON.parse(sample.body)).to.have.property('said', 'A "test" event from Linehook')
    await receiveMessage(context, {
      ...inboundText(line),
      content: { type: 'inboundText', text: 'The last' },
    })
    const last = await preview({ shape: 'template', template: '{{ payload | json }}' })
    expect(last).to.include({ body: '"The last"', isSample: false })
    expect((await preview({})).body).to.include('"type":"inboundText"')
    expect(receiver.requests).to.deep.equal([])

    const application = await createApplication(context, { webhookUrl: receiver.url })
    const ofApplication = await preview({ shape: 'slack' }, own(application))
    expect(ofApplication).to.include({ isSample: true })
  })

  it('is refused where it has a fault, and what it says tells which', async () => {
    for (const [template, words] of [
      [null, /the shape template needs one/],
      ['{% if %', /template: .*not closed/],
      ['{{ nope }}', /undefined variable: nope/],
      ['{"said": "{{ payload }}"}', /not JSON/],
      ['x'.repeat(16_385), /at most 16384 characters/],
    ] as const) {
      expect((await refusal(change({ template }))).message).to.match(words)
    }
    expect(
      (await refusal(change({ template: '1', templateContentType: 'text/html\r\nx: y' }))).message,
    ).to.match(/templateContentType must be a type/)
  })

  it('is not saved over another one that somebody has written at the same moment', async () => {
    await change({ template: '{{ payload | json }}' })
    const other = await context.db.transaction()
    await other('endpoints').where({ id: line.endpointId }).forUpdate().first()
    const late = refusal(change({ templateContentType: 'text/plain' }))
    await until('it waits for the lock', async () => (await countWaitingForLocks(context)) > 0)
    await other('endpoints').update({ policy: { shape: 'template', template: '{{ type | json }}' } })
    await other.commit()
    expect(await late).to.deep.equal({
      status: 409,
      message: 'the policy was changed by somebody else at this moment: try again',
    })
  })

  const HOSTILE = {
    'reads a file': '{% include "/etc/passwd" %}{% render "package.json" %}',
    'sees what is not its own': '{{ payload.constructor.constructor }}',
    'counts without end': '{% for i in (1..1000000000) %}{% endfor %}',
    'loops without memory': `{% assign a = "${'0'.repeat(100)}" | split: "" %}${'{% for x in a %}'.repeat(6)}${'{% endfor %}'.repeat(6)}`,
    'grows without end': `{% assign s = "xxxxxxxx" %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}`,
    'is padded without end': '{{ "now" | date: "%999999999d" }}',
    'takes tags out of a long text again and again': `{% assign s = "<script" %}{% for i in (1..13) %}{% assign s = s | append: s %}{% endfor %}{% for i in (1..900) %}{{ s | strip_html | size }}{% endfor %}`,
    'is too large': '{% for i in (1..9000) %}12345678{% endfor %}',
  }
  for (const [what, template] of Object.entries(HOSTILE)) {
    it(`that ${what} is stopped`, async () => {
      const failed = await fillTemplate(newId(), template, 'text/plain', { payload: 'Hi' }).catch(
        (error: unknown) => error,
      )
      expect(failed).to.be.instanceOf(TemplateFailed)
    })
  }
})
