import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { addLine } from '../../src/domain/lines/lines.js'
import { receiveMessage } from '../../src/domain/messages/receive.js'
import { newId } from '../../src/ids.js'
import type { Environment } from '../helpers/process/environment.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess, startWeb, stopProcesses } from '../helpers/process/processes.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { createInstallation, numbers, post } from '../journeys/support/steps.js'
import { answer, jsonAnswer, refusal } from './linehook.js'

const [friend = ''] = numbers(1)

describe('linehook connection and linehook webhook', function () {
  this.timeout(30_000)

  let environment: Environment
  let context: Context
  const receiver = openForSuite(startReceiver)
  let url: string

  before(async () => {
    ;({ environment, context } = await createInstallation({ PUBLIC_URL: 'https://linehook.example' }))
    const [web] = await Promise.all([
      startWeb(environment),
      startProcess('deliver-event', environment),
      startProcess('maintenance', environment),
    ])
    url = web.url
  })

  after(async () => {
    await stopProcesses()
    await context.close()
  })

  const run = (...args: string[]) => answer(environment, ...args)
  const runJson = async (...args: string[]) =>
    (await jsonAnswer(environment, ...args)) as Record<string, unknown>
  const refuse = (...args: string[]) => refusal(environment, ...args)

  /** Not by the simulator's route, which is for programs of a machine that nobody else reaches. */
  function receiveText(text: { fromNumber: string; toNumber: string; text: string }) {
    const { fromNumber, toNumber } = text
    const content = { type: 'inboundText', text: text.text } as const
    return receiveMessage(context, {
      carrierAccount: 'simulator',
      carrierMessageId: newId(),
      fromNumber,
      toNumber,
      content,
    })
  }

  /** A line without a connection. */
  async function addBareLine(number: string): Promise<void> {
    const { userId } = await createLine(context)
    await addLine(context, { userId, number, carrierAccount: 'simulator' })
  }

  /** What a webhook's printed URL answers, asked of this test's web. */
  async function statusOf(webhookUrl: string): Promise<number> {
    const { origin, pathname, search } = new URL(webhookUrl)
    expect(origin).to.equal('https://linehook.example')
    return (await post(url, { webhookPath: pathname + search })).status
  }

  it('connection enable, set-url and webhook create make a line work both ways', async () => {
    await addBareLine('+15551240001')
    expect(await run('connection', 'enable', '+15551240001')).to.deep.equal(['developer connection enabled'])
    const [said] = await run('connection', 'set-url', '+15551240001', receiver.url)
    expect(said).to.match(/^outgoing webhook URL set; signing secret whsec_[A-Za-z0-9+/]{43}=$/)
    const [webhookUrl = ''] = await run('webhook', 'create', '+15551240001')

    expect(await statusOf(webhookUrl)).to.equal(200)
    await receiveText({ fromNumber: friend, toNumber: '+15551240001', text: 'It works' })
    await until('the event arrives', () => receiver.requests.some(({ body }) => body.includes('It works')))
  })

  it('the same commands say what they did as JSON', async () => {
    await addBareLine('+15551240002')
    const enabled = await runJson('connection', 'enable', '+15551240002')
    expect(enabled).to.include({ enabled: true, outgoingWebhookUrl: null, hasIncomingWebhook: false })
    const [set, { url: webhookUrl, token }] = await Promise.all([
      runJson('connection', 'set-url', '+15551240002', receiver.url),
      runJson('webhook', 'create', '+15551240002'),
    ])
    expect(set).to.include({ lineId: enabled.lineId, enabled: true, outgoingWebhookUrl: receiver.url })
    expect(set.signingSecret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(
      String(webhookUrl).endsWith(`/webhooks/lineId/${String(enabled.lineId)}?token=${String(token)}`),
    ).to.equal(true)
    expect(await statusOf(String(webhookUrl))).to.equal(200)
  })

  it('connection set-url with an empty URL takes the URL away', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    expect(await run('connection', 'set-url', line.number, '')).to.deep.equal([
      'outgoing webhook URL removed',
    ])
    expect(await deliveriesAfterAText(line)).to.deep.equal([])
    expect(await runJson('connection', 'set-url', line.number, '')).to.not.have.property('signingSecret')
  })

  it('connection set-events chooses what else the URL gets', async () => {
    const { number } = await createLine(context, { outgoingUrl: receiver.url })
    expect(await run('connection', 'set-events', number, 'messageStatus, optOut')).to.deep.equal([
      'events besides those of received messages: messageStatus, optOut',
    ])
    const set = await runJson('connection', 'set-events', number, '')
    expect(set).to.deep.include({ optInEvents: [] })
  })

  it('connection disable closes both ways; connection enable opens the same webhook again', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    expect(await run('connection', 'disable', line.number)).to.deep.equal(['developer connection disabled'])
    expect((await post(url, line)).status).to.equal(404)
    expect(await deliveriesAfterAText(line)).to.deep.equal([])

    await run('connection', 'enable', line.number)
    expect((await post(url, line)).status).to.equal(200)
    expect(await deliveriesAfterAText(line)).to.have.length(1)
  })

  it('connection disconnect closes both ways and deletes the incoming webhook', async () => {
    const line = await createLine(context)
    expect(await run('connection', 'disconnect', line.number)).to.deep.equal([
      'developer connection disabled, incoming webhook deleted',
    ])
    expect((await post(url, line)).status).to.equal(404)
    const enabled = await runJson('connection', 'enable', line.number)
    expect(enabled).to.include({ enabled: true, hasIncomingWebhook: false })
    expect((await post(url, line)).status).to.equal(404)
  })

  it('endpoint send-held delivers what was held while the endpoint was disabled', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    await disableEndpoint(line)
    await receiveText({ fromNumber: friend, toNumber: line.number, text: 'Held one' })
    await receiveText({ fromNumber: friend, toNumber: line.number, text: 'Held two' })
    await run('connection', 'enable', line.number)
    expect(await run('endpoint', 'send-held', line.endpointId)).to.deep.equal([
      '2 held events are being sent',
    ])
    for (const text of ['Held one', 'Held two']) {
      await until(`${text} arrives`, () => receiver.requests.some(({ body }) => body.includes(text)))
    }
  })

  it('webhook regenerate ends the old token at once', async () => {
    const line = await createLine(context)
    const [webhookUrl = ''] = await run('webhook', 'regenerate', line.number)
    expect([(await post(url, line)).status, await statusOf(webhookUrl)]).to.deep.equal([403, 200])
  })

  it('webhook regenerate --overlap lets the old token work on for so long', async () => {
    const line = await createLine(context)
    const { url: webhookUrl } = await runJson('webhook', 'regenerate', line.number, '--overlap', '3600')
    const statuses = async () => [(await post(url, line)).status, await statusOf(String(webhookUrl))]
    expect(await statuses()).to.deep.equal([200, 200])
    const row = context.db('incoming_webhooks').where({ line_id: line.lineId })
    const letPass = (seconds: number) =>
      row.clone().update({
        previous_token_until: context.db.raw('previous_token_until - make_interval(secs => ?)', [seconds]),
      })
    await letPass(3500)
    expect(await statuses()).to.deep.equal([200, 200])
    await letPass(100)
    expect(await statuses()).to.deep.equal([403, 200])
  })

  it('webhook delete makes its URL answer 404', async () => {
    const [one, two] = [await createLine(context), await createLine(context)]
    const [said, json] = await Promise.all([
      run('webhook', 'delete', one.number),
      runJson('webhook', 'delete', two.lineId),
    ])
    expect(said).to.deep.equal([`incoming webhook of ${one.number} deleted`])
    expect(json).to.deep.equal({ id: two.lineId, deleted: true })
    expect([(await post(url, one)).status, (await post(url, two)).status]).to.deep.equal([404, 404])
  })

  it('each command refuses in one line what it cannot do', async () => {
    await addBareLine('+15551240003')
    const { number } = await createLine(context)
    expect(
      await Promise.all([
        refuse('webhook', 'delete', '+15559999999'),
        refuse('connection', 'disconnect', '+15551240003'),
        refuse('connection', 'set-url', number, 'ftp://example.com'),
        refuse('webhook', 'create', number),
        refuse('webhook', 'regenerate', number, '--overlap', '86401'),
      ]),
    ).to.deep.equal([
      'no line has the id or number +15559999999: see `linehook line list`',
      'this line has no developer connection',
      'outgoing webhook URL: The URL starts with ftp:, which cannot be called: use https://.',
      'this line has an incoming webhook: regenerate its token or delete it',
      'overlapSeconds must be a whole number from 0 to 86400',
    ])
  })

  /** @returns the deliveries that one more text to the line makes */
  async function deliveriesAfterAText(line: TestLine): Promise<unknown[]> {
    await receiveText({ fromNumber: friend, toNumber: line.number, text: 'Anybody?' })
    return context.db('deliveries').where({ line_id: line.lineId }).select('id')
  }

  async function disableEndpoint(line: TestLine): Promise<void> {
    await context
      .db('endpoints')
      .whereIn(
        'id',
        context.db('developer_connections').where({ line_id: line.lineId }).select('endpoint_id'),
      )
      .update({ disabled_at: context.db.fn.now(), disabled_reason: 'failing' })
  }
})
