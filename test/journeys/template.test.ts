import { expect } from 'chai'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import type { Context } from '../../src/domain/context.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess, startWeb, stopProcesses } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import { createInstallation, numbers, textTo } from './support/steps.js'

const [friend = ''] = numbers(1)
const TEMPLATE = '{"text": {{ payload | json }}, "line": "{{ toNumber }}"}'

describe('journey: an endpoint whose events have a shape of its own, in the processes as they are built', function () {
  this.timeout(60_000)

  let context: Context
  let url: string
  let receiver: Receiver
  let line: TestLine
  let authorization: string

  before(async () => {
    const installation = await createInstallation()
    context = installation.context
    receiver = await startReceiver()
    line = await createLine(context, { outgoingUrl: receiver.url })
    const { token } = await createApiToken(context, line.userId, 'test')
    authorization = `Bearer ${token}`
    const [web] = await Promise.all([
      startWeb(installation.environment),
      startProcess('deliver-event', installation.environment),
    ])
    url = web.url
  })
  after(async () => {
    await stopProcesses()
    await receiver.close()
    await context.close()
  })

  const ask = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${url}/v1/endpoints/${line.endpointId}/policy${path}`, {
      method,
      headers: { authorization },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    expect(answer.status, text).to.equal(200)
    return JSON.parse(text) as Record<string, unknown>
  }
  const policy = { shape: 'template', template: TEMPLATE }

  it('web shows what the template makes of an event', async () => {
    const { body, contentType } = await ask('POST', '/preview', policy)
    expect(contentType).to.equal('application/json')
    expect(JSON.parse(body as string)).to.have.all.keys('text', 'line')
  })

  it('deliver-event sends it', async () => {
    expect(await ask('PATCH', '', policy)).to.include(policy)
    await textTo(url, { fromNumber: friend, toNumber: line.number, text: 'Zoë & "me"' })
    await until('the event comes', () => receiver.requests.length === 1)
    expect(JSON.parse(receiver.requests[0]!.body)).to.deep.equal({ text: 'Zoë & "me"', line: line.number })
  })
})
