import { expect } from 'chai'
import { fillTemplate, TemplateTooHeavy } from '../../../../src/domain/endpoints/deliveries/template.js'
import { changePolicy, previewPolicy } from '../../../../src/domain/endpoints/policies.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, own } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { deliverWhenDue, deliveryRow, receiveForDelivery } from '../../fixtures.js'
import { refusal } from '../../refusal.js'

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

const fill = (template: string, owner = newId()) =>
  fillTemplate(owner, template, 'text/plain', { payload: 'Hi' })
const faultOf = (filled: Promise<string>): Promise<unknown> =>
  filled.then(
    (text) => `it was filled: ${text}`,
    (error: unknown) => error,
  )

describe('a template that takes the processor', () => {
  for (const [what, template] of Object.entries(HEAVY)) {
    it(`and ${what} is ended`, async () => {
      const fault = await faultOf(fill(template))
      expect(fault).to.be.instanceOf(TemplateTooHeavy)
      expect(String(fault)).to.match(/filling it takes longer than 500 ms: use fewer loops/)
    })
  }

  it('leaves the process free for others, and so do those that wait', async () => {
    const receiver = await startReceiver()
    try {
      let isOver = false
      const heavy = Promise.all(Object.values(HEAVY).map((template) => faultOf(fill(template)))).then(
        () => (isOver = true),
      )
      expect((await fetch(receiver.url)).status).to.equal(200)
      expect(isOver).to.equal(false)
      await heavy
    } finally {
      await receiver.close()
    }
  })

  it('lets others have their turn before its owner’s next one, which has to rest', async () => {
    const [heavy, other] = [newId(), newId()]
    const done: string[] = []
    const all = [
      ...Object.values(HEAVY).map((template) =>
        faultOf(fill(template, heavy)).then((fault) => done.push(String(fault).replace(/\d+ s/, '… s'))),
      ),
      fill(SIMPLE, other).then((text) => done.push(text)),
    ]
    await Promise.all(all)
    const resting = 'Error: the last one took too long: the next one is filled in … seconds'
    expect(done[0]).to.match(/longer than 500 ms/)
    expect(done.slice(1, 3)).to.have.members([resting, '{"said": "Hi"}'])
    expect(done.slice(3)).to.deep.equal(Array(Object.keys(HEAVY).length - 2).fill(resting))
  })

  it('is not all that waits: too many of one owner are not waited for', async () => {
    const owner = newId()
    const faults = await Promise.all(Array.from({ length: 1100 }, () => faultOf(fill(SIMPLE, owner))))
    const refused = faults.filter((fault) => fault instanceof TemplateTooHeavy)
    expect(refused).to.have.lengthOf(99)
    expect(refused[0])
      .to.have.property('message')
      .that.matches(/try again in a few seconds/)
  })
})

describeContext('an endpoint with a template that takes the processor', (context) => {
  const receiver = openForEachTest(startReceiver)
  let owner: ReturnType<typeof own>

  const [heavy] = Object.values(HEAVY)
  const newLine = async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    owner = own(line)
    return line
  }

  it('is not saved with it, nor is it previewed', async () => {
    await newLine()
    const policy = { shape: 'template', template: heavy, templateContentType: 'text/plain' }
    const words = /^template: filling it takes longer than 500 ms: use fewer loops/
    expect(await refusal(changePolicy(context, ...owner, policy)))
      .to.have.property('message')
      .that.matches(words)
    await newLine()
    expect(await refusal(previewPolicy(context, ...owner, policy)))
      .to.have.property('message')
      .that.matches(words)
  })

  it('gets the event tried again, because the machine may have been busy, and fewer at a time', async () => {
    const line = await newLine()
    await changePolicy(context, ...owner, {
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
})
