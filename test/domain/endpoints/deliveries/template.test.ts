import { expect } from 'chai'
import { changePolicy, previewPolicy } from '../../../../src/domain/endpoints/policies.js'
import {
  fillTemplate,
  TemplateFailed,
  TemplateTooHeavy,
  trialOf,
  type TemplateOwner,
} from '../../../../src/domain/endpoints/deliveries/template.js'
import { newId } from '../../../../src/ids.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { forgetPerson } from '../../../../src/domain/people/forget.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, lineForEachTest, own } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest, openForSuite } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import {
  verifyEvent,
  ANNA,
  changeRows,
  countWaitingForLocks,
  deliveriesOf,
  deliverWhenDue,
  deliveryRow,
  inboundText,
  receiveForDelivery,
  receiveNew,
  type DeliveryRow,
} from '../../fixtures.js'
import { connect, createApplication } from '../../applications/applications.js'
import { expectRefusal } from '../../refusal.js'

const TEMPLATE = '{"from": {{ fromNumber | json }}, "said": {{ payload | json }}}'

const nested = (loop: string, depth: number, body: string) =>
  `${loop.repeat(depth)}${body}${'{% endfor %}'.repeat(depth)}`

const doubled = (text: string, times: number) =>
  `{% assign s = "${text}" %}{% for i in (1..${times}) %}{% assign s = s | append: s %}{% endfor %}`

/** None of them makes much, so that the memory is no bound. By itself each takes a second to an hour. */
const HEAVY = {
  'chains filters that look at each item': `{% assign a = (1..3000) %}{% assign e = "${Array(40).fill('i == i').join(' and ')}" %}{{ a${' | where_exp: "i", e'.repeat(55)} | size }}`,
  'looks through many items in one filter': `{% assign a = (1..190000) %}{{ a | find_exp: "i", "${Array(40).fill('i == 0').join(' or ')}" }}`,
  'loops over items in loops over items': `{% assign a = "${'x'.repeat(500)}" | split: "" %}${nested('{% for x in a %}', 5, '')}`,
  'loops over ranges in loops over ranges': nested(
    '{% for i in (1..55) %}',
    3,
    '{% if payload contains "x" %}{% endif %}'.repeat(200),
  ),
  'looks through a text it has made longer': `${doubled('a', 15)}{% for i in (1..1000) %}{% if ${Array(500).fill('s contains "ab"').join(' or ')} %}{% endif %}{% endfor %}`,
}

const SIMPLE = '{"said": {{ payload | json }}}'

const newOwner = (userId = newId()): TemplateOwner => ({ userId, endpointId: newId() })

const fill = (template: string, owner = newOwner()) =>
  fillTemplate(owner, template, 'text/plain', { payload: 'Hi' })

const faultOf = (filled: Promise<string>): Promise<unknown> =>
  filled.then(
    (text) => `it was filled: ${text}`,
    (error: unknown) => error,
  )

describe('a template that takes the processor', () => {
  const receiver = openForSuite(startReceiver)

  for (const [what, template] of Object.entries(HEAVY)) {
    it(`and ${what} is ended`, async () => {
      const fault = await faultOf(fill(template))
      expect(fault).to.be.instanceOf(TemplateTooHeavy)
      expect(String(fault)).to.match(/rendering takes longer than 500 ms. Use fewer loops/)
    })
  }

  it('leaves the process free for others, and so do those that wait', async () => {
    let isOver = false
    const heavy = Promise.all(Object.values(HEAVY).map((template) => faultOf(fill(template)))).then(
      () => (isOver = true),
    )
    expect((await fetch(receiver.url)).status).to.equal(200)
    expect(isOver).to.equal(false)
    await heavy
  })

  it('lets others have their turn before its owner’s next one, which has to rest', async () => {
    const [heavy, other] = [newOwner(), newOwner()]
    const done: string[] = []
    const all = [
      ...Object.values(HEAVY).map((template) =>
        faultOf(fill(template, heavy)).then((fault) => done.push(String(fault).replace(/\d+ s/, '… s'))),
      ),
      fill(SIMPLE, other).then((text) => done.push(text)),
    ]
    await Promise.all(all)
    const resting = 'Error: the last event took too long to render. Wait … seconds, then try again'
    expect(done[0]).to.match(/longer than 500 ms/)
    expect(done.slice(1, 3)).to.have.members([resting, '{"said": "Hi"}'])
    expect(done.slice(3)).to.deep.equal(Array(Object.keys(HEAVY).length - 2).fill(resting))
  })

  const [heavy = ''] = Object.values(HEAVY)

  it('rests together with those of twenty endpoints of its user; another user waits for one turn at most', async () => {
    const userId = newId()
    const done: unknown[] = []
    const all = Array.from({ length: 20 }, () =>
      faultOf(fill(heavy, newOwner(userId))).then((fault) => done.push(fault)),
    )
    all.push(fill(SIMPLE).then((text) => done.push(text)))
    await Promise.all(all)
    expect(done.indexOf('{"said": "Hi"}')).to.equal(1)
    const count = (words: RegExp) => done.filter((each) => words.test(String(each))).length
    expect(count(/longer than 500 ms/)).to.equal(3)
    expect(count(/took too long to render. Wait \d+ seconds/)).to.equal(17)
    expect(String(await faultOf(fill(SIMPLE, newOwner(userId))))).to.match(/Wait \d+ seconds/)
  })

  it('does not have other endpoints of its user rest, nor its user’s trials', async () => {
    const owner = newOwner()
    expect(await faultOf(fill(heavy, owner))).to.be.instanceOf(TemplateTooHeavy)
    expect(String(await faultOf(fill(SIMPLE, owner)))).to.match(/Wait \d+ seconds/)
    expect(await fill(SIMPLE, newOwner(owner.userId))).to.equal('{"said": "Hi"}')
    expect(await fill(SIMPLE, trialOf(owner))).to.equal('{"said": "Hi"}')
  })

  it('is not all that waits: too many of one owner are not waited for', async () => {
    const owner = newOwner()
    const faults = await Promise.all(Array.from({ length: 1100 }, () => faultOf(fill(SIMPLE, owner))))
    const refused = faults.filter((fault) => fault instanceof TemplateTooHeavy)
    expect(refused).to.have.lengthOf(99)
    expect(refused[0])
      .to.have.property('message')
      .that.matches(/Try again in a few seconds/)
  })
})

describeContext('a template of one’s own', (context) => {
  const receiver = openForEachTest(startReceiver)
  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))

  const change = (fields: Record<string, unknown>) =>
    changePolicy(context, ...own(line), { shape: 'template', ...fields })
  const attempt = async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    return { id, outcome: await deliverWhenDue(context, id, endpointId) }
  }

  it('makes the body, with the Content-Type of one’s choice, and what is sent is signed', async () => {
    await change({ template: TEMPLATE })
    expect((await attempt()).outcome).to.deep.equal({ kind: 'delivered' })
    const [request] = receiver.requests
    expect(verifyEvent(request, line.signingSecret)).to.deep.equal({ from: ANNA, said: 'Hi there' })
    expect(request?.headers['content-type']).to.equal('application/json')

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
    const preview = (fields: Record<string, unknown>, of = own(line)) => previewPolicy(context, ...of, fields)
    const sample = await preview({ shape: 'template', template: TEMPLATE })
    expect(sample).to.include({ contentType: 'application/json', isSample: true })
    expect(JSON.parse(sample.body)).to.have.property('said', 'This is a "test" event')
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

  it('is not previewed with an event of a person who was forgotten', async () => {
    const { event_id: id } = await receiveForDelivery(context, line)
    await changeRows(context, 'events', id, { type: 'messageStatus' })
    await forgetPerson(context, ANNA, 'ticket 1')
    const preview = await previewPolicy(context, ...own(line), { shape: 'slack' })
    expect(preview).to.include({ isSample: true })
  })

  it('is refused where it has a fault, and what it says tells which', async () => {
    for (const [template, words] of [
      [null, /template is required/],
      ['{% if %', /template: .*not closed/],
      ['{{ nope }}', /undefined variable: nope/],
      ['{"said": "{{ payload }}"}', /not JSON/],
      ['x'.repeat(16_385), /at most 16384 characters/],
    ] as const) {
      await expectRefusal(change({ template }), 400, words)
    }
    const twoLines = change({ template: '1', templateContentType: 'text/html\r\nx: y' })
    await expectRefusal(twoLines, 400, /templateContentType must be a type/)
  })

  it('is not saved over another one that somebody has written at the same moment', async () => {
    await change({ template: '{{ payload | json }}' })
    const other = await context.db.transaction()
    await other('endpoints').where({ id: line.endpointId }).forUpdate().first()
    const late = expectRefusal(
      change({ templateContentType: 'text/plain' }),
      409,
      'Someone else just changed this policy. Try again',
    )
    await until('it waits for the lock', async () => (await countWaitingForLocks(context)) > 0)
    await other('endpoints').update({ policy: { shape: 'template', template: '{{ type | json }}' } })
    await other.commit()
    await late
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
      expect(await faultOf(fill(template))).to.be.instanceOf(TemplateFailed)
    })
  }

  describe('an endpoint with a template that takes the processor', () => {
    const [heavy] = Object.values(HEAVY)

    it('is not saved with it, nor is it previewed', async () => {
      const policy = { shape: 'template', template: heavy, templateContentType: 'text/plain' }
      const words = /^template: rendering takes longer than 500 ms. Use fewer loops/
      await expectRefusal(changePolicy(context, ...own(line), policy), 400, words)
      // Its owner's next one would have to rest.
      const other = own(await createLine(context, { outgoingUrl: receiver.url }))
      await expectRefusal(previewPolicy(context, ...other, policy), 400, words)
    })

    it('gets the event tried again, because the machine may have been busy, and fewer at a time', async () => {
      await changePolicy(context, ...own(line), {
        shape: 'template',
        template: `{% if payload == "Hi there" %}${heavy ?? ''}{% endif %}`,
        templateContentType: 'text/plain',
      })
      const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
      const places = () => context.db('endpoints').where({ id: endpointId }).pluck<number[]>('places')
      const [before = 0] = await places()
      expect(await deliverWhenDue(context, id, endpointId)).to.include({
        kind: 'retry',
        failure: 'template_too_heavy',
      })
      expect(await deliveryRow(context, id)).to.include({
        status: 'pending',
        last_failure: 'template_too_heavy',
      })
      expect(await places()).to.deep.equal([before / 2])
      expect(receiver.requests).to.deep.equal([])
    })

    it('rests with all endpoints of its user when it is the third, whosever line the event is about', async () => {
      const application = await createApplication(context, { webhookUrl: receiver.url })
      const { userId } = application
      const policy = { shape: 'template', templateContentType: 'text/plain' }
      const template = `{% if payload == "Hi there" %}${heavy ?? ''}{% endif %}`
      const failures: unknown[] = []
      for (const each of [template, template, template, '{{ payload }}']) {
        const ownLine = await createLine(context, { userId, outgoingUrl: receiver.url })
        await changePolicy(context, ...own(ownLine), { ...policy, template: each })
        const { id, endpoint_id: endpointId } = await receiveForDelivery(context, ownLine)
        failures.push(await deliverWhenDue(context, id, endpointId))
      }
      for (const outcome of failures) expect(outcome).to.include({ failure: 'template_too_heavy' })
      await changePolicy(context, ...own(application), { ...policy, template: '{{ payload }}' })
      const foreign = await createLine(context)
      await connect(context, application, foreign)
      const [{ id, endpoint_id: endpointId }] = (await deliveriesOf(
        context,
        await receiveNew(context, foreign),
      )) as [DeliveryRow]
      expect(await deliverWhenDue(context, id, endpointId)).to.include({ failure: 'template_too_heavy' })
      expect(receiver.requests).to.deep.equal([])
    })
  })
})
