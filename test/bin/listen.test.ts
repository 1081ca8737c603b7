import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { AnswersOfListener } from '../../bin/answers-of-listener.js'
import { freePort } from '../../dev/services/free-port.js'
import { createApiToken, removeApiToken } from '../../src/domain/people/api-tokens.js'
import { setLineEndpointUrl } from '../../src/domain/lines/connections.js'
import { listListenerAttempts } from '../../src/database/endpoints/listener-attempts.js'
import { receiveMessage } from '../../src/domain/messages/receive.js'
import { listeningStreams } from '../../src/telemetry/metrics.js'
import { ANNA, inboundText } from '../domain/fixtures.js'
import { lineForEachTest } from '../helpers/factories.js'
import { runSource, stopProcesses } from '../helpers/process/processes.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { openForEachTest } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { describeWeb, serveApp } from '../helpers/web/web.js'
import { answer, refusal } from './linehook.js'

describeWeb('linehook listen', ({ context, web }) => {
  const receiver = openForEachTest(startReceiver)
  const line = lineForEachTest(context, { name: 'Front desk' })
  let created: { id: string; token: string }

  beforeEach(async () => {
    created = await createApiToken(context, line.userId, 'a laptop', {
      lineId: line.lineId,
      isReadOnly: true,
    })
  })

  after(stopProcesses)

  const environmentOf = (url = web.url) => ({ LINEHOOK_URL: url, LINEHOOK_TOKEN: created.token })
  /** Runs with no setting of the service. */
  const listen = (args: string[] = [], url = web.url) => {
    const all = ['listen', line.number, '--forward-to', receiver.url, ...args]
    const started = runSource('bin/linehook.ts', environmentOf(url), { name: 'listen', args: all })
    const says = (pattern: RegExp) =>
      until(
        () => `${pattern.source} in: ${started.lines.join('\n')}`,
        () => started.lines.map((each) => pattern.exec(each)).find((match) => match !== null),
      )
    return { ...started, says }
  }
  const receive = (text: string) =>
    receiveMessage(context, inboundText(line, { content: { type: 'inboundText', text } }))
  const got = (count: number) =>
    until(
      () => `${count} events, not ${receiver.requests.length}`,
      () => receiver.requests.length === count && receiver.requests,
    )
  const payloads = () =>
    receiver.requests.map(({ body }) => (JSON.parse(body) as { payload: string }).payload)

  it('forwards each event signed, says what was answered, and ends with 0 on Ctrl-C', async () => {
    await receive('a private matter')
    receiver.answerWith((response) => {
      response.statusCode = 418
      response.end()
    })
    const { token } = await createApiToken(context, line.userId, 'another', { lineId: line.lineId })
    created = { id: created.id, token }
    const running = listen(['--since', '1h'])
    const [, secret = ''] = await running.says(/signed with a temporary secret: (whsec_\S+)$/)
    const [request] = await got(1)
    const headers = request?.headers as Record<string, string>
    expect(new Webhook(secret).verify(request?.body ?? '', headers)).to.include({ fromNumber: ANNA })
    const [told = ''] = await running.says(/^.*inboundText.*$/)
    expect(told).to.match(/^\d{4}-\S+Z {2}inboundText {4}\+1•••0101 {5}418 {2}\d+ ms {2}\S+$/)
    expect(told).to.include(headers['webhook-id'])
    await running.kill('SIGINT')
    expect(await running.exitCode).to.equal(0)
    // Noted at the latest when it ends.
    const [noted, ...more] = await listListenerAttempts(context.db, [headers['webhook-id'] ?? ''])
    expect([noted?.responseStatus, noted?.failure, more]).to.deep.equal([418, null, []])
    expect(running.lines.join()).not.to.include(ANNA).and.not.to.include('a private matter')
  })

  it('goes on where it stopped when the service was away, tells of who does not answer, and ends with the token', async () => {
    // Of nobody else while the service is away.
    const first = await serveApp(context, { port: await freePort() })
    const running = listen(['--json'], first.url)
    await running.says(/^Events of Front desk \+1•••\d{4} are forwarded to/)
    await until('the stream', async () => (await listeningStreams.get()).values[0]?.value === 1)
    await receive('one')
    await got(1)
    receiver.answerWith((response) => response.destroy())
    await first.close()
    await running.says(/Reconnecting\.$/)
    await receive('two')
    const second = await serveApp(context, { port: first.port })
    try {
      await running.says(/^Reconnected\.$/)
      await got(2)
      expect(payloads()).to.deep.equal(['one', 'two'])
      await until('both are told', () => running.outputLines.length === 2)
      await running.says(/The service could not record the responses: .*read/)
      const [one, two] = running.outputLines.map((each) => JSON.parse(each) as Record<string, unknown>)
      expect(one).to.include({ type: 'inboundText', number: '+1•••0101', status: 200, failure: null })
      expect(two).to.include({ status: null }).and.have.property('failure').that.is.a('string')
      await removeApiToken(context, line.userId, created.id)
      expect(await running.exitCode).to.equal(1)
      expect(JSON.parse(running.errorLines.at(-1) ?? ''))
        .to.have.property('error')
        .that.matches(/not valid/)
    } finally {
      await second.close()
    }
  })

  it('trigger sends an example to the line’s URL and to listeners, and says what was answered', async () => {
    await setLineEndpointUrl(context, line.userId, line.lineId, receiver.url)
    const { token } = await createApiToken(context, line.userId, 'a laptop')
    const environment = { LINEHOOK_URL: web.url, LINEHOOK_TOKEN: token }
    expect((await answer(environment, 'trigger', line.number, 'optOut'))[0]).to.match(
      /^delivered: 200 in \d+ ms$/,
    )
    expect(payloads()).to.deep.equal(['optedOut'])

    await setLineEndpointUrl(context, line.userId, line.lineId, undefined)
    const running = listen(['--json'])
    await until('the stream', async () => (await listeningStreams.get()).values[0]?.value === 1)
    expect(await answer(environment, 'trigger', line.number, 'voiceMail')).to.match(/^sent only to listeners/)
    const [, heard] = await got(2)
    expect(JSON.parse(heard?.body ?? '')).to.include({ type: 'voiceMail', fromNumber: line.number })
    await running.kill('SIGINT')
    expect(await running.exitCode).to.equal(0)
    expect(await refusal(environment, 'trigger', line.number, 'other')).to.match(
      /type must be one of inboundText/,
    )
  })

  it('tells of each answer once while the service is slow', async () => {
    const waiting: ServerResponse[] = []
    receiver.answerWith((response) => waiting.push(response))
    const remote = { url: new URL(receiver.url).origin, token: 'lhp_x' }
    const answers = new AnswersOfListener(remote, line.lineId, () => undefined)
    const note = (eventId: string) => {
      answers.add({
        eventId,
        startedAt: new Date().toISOString(),
        durationMs: 1,
        responseStatus: 200,
        failure: null,
      })
    }
    note('first')
    const flushed = [answers.flush()]
    await until('the first request', () => waiting.length === 1)
    note('second')
    flushed.push(answers.flush(), answers.flush())
    receiver.answerWith((response) => response.end('{}'))
    waiting[0]?.end('{}')
    await Promise.all(flushed)
    const told = receiver.requests.map(({ body }) => JSON.parse(body) as { attempts: { eventId: string }[] })
    expect(told.map(({ attempts }) => attempts.map(({ eventId }) => eventId))).to.deep.equal([
      ['first'],
      ['second'],
    ])
  })

  it('tells of all answers at the end, however many wait', async () => {
    receiver.answerWith((response) => response.end('{}'))
    const remote = { url: new URL(receiver.url).origin, token: 'lhp_x' }
    const answers = new AnswersOfListener(remote, line.lineId, () => undefined)
    const startedAt = new Date().toISOString()
    for (let n = 0; n < 250; n += 1)
      answers.add({ eventId: `event ${n}`, startedAt, durationMs: 1, responseStatus: 200, failure: null })
    await answers.flushAll()
    const told = receiver.requests.map(({ body }) => JSON.parse(body) as { attempts: object[] })
    expect(told.map(({ attempts }) => attempts.length)).to.deep.equal([100, 100, 50])
  })

  it('finds no line by a blank reference, as of a variable that is not set', async () => {
    const environment = environmentOf()
    for (const blank of ['', ' ']) {
      const listening = await refusal(environment, 'listen', blank, '--forward-to', receiver.url)
      expect(listening).to.match(/No such line/)
      expect(await refusal(environment, 'trigger', blank, 'inboundText')).to.match(/No such line/)
    }
  })

  it('says what it needs', async () => {
    const to = ['--forward-to', receiver.url]
    const { LINEHOOK_URL, LINEHOOK_TOKEN } = environmentOf()
    for (const [environment, args, said] of [
      [{}, [line.number, ...to], /LINEHOOK_URL/],
      [{ LINEHOOK_URL: 'http://127.0.0.1:1', LINEHOOK_TOKEN }, [line.number, ...to], /cannot be reached/],
      [{ LINEHOOK_URL, LINEHOOK_TOKEN: 'lhp_x' }, [line.number, ...to], /not valid/],
      [environmentOf(), [line.number, '--forward-to', 'localhost:4000'], /starts with http/],
      [{ LINEHOOK_URL: '', LINEHOOK_TOKEN }, [line.number, ...to], /^Give the address/],
      [{ LINEHOOK_URL, LINEHOOK_TOKEN: '' }, [line.number, ...to], /^Give an API token/],
      [{ LINEHOOK_URL: 'http://me:S3cret@h', LINEHOOK_TOKEN }, [line.number, ...to], /without a user name/],
      [{ LINEHOOK_URL: 'http://h/?a', LINEHOOK_TOKEN }, [line.number, ...to], /without a query/],
      [environmentOf(), [line.number, '--forward-to', 'http://me:S3cret@h'], /without a user name/],
    ] as const) {
      const refused = await refusal(environment, 'listen', ...args)
      expect(refused).to.match(said)
      expect(refused).not.to.include('S3cret')
    }
  })
})
