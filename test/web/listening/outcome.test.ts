import { expect } from 'chai'
import type { Context } from '../../../src/domain/context.js'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import { newId } from '../../../src/ids.js'
import { createTestContext } from '../../helpers/context.js'
import { createEnvironment } from '../../helpers/process/environment.js'
import { createLine, messageBody, type TestLine } from '../../helpers/factories.js'
import { openForEachTest } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { serveApp, type TestWeb } from '../../helpers/web/web.js'
import { openHolder } from '../../database/hold.js'
import { startProxy, type Proxy } from '../../database/proxy.js'
import { countWaitingForLocks, queueMessage } from '../../domain/fixtures.js'
import { clientOf, expectProblem, type Client } from '../v1/support.js'
import { openSocket } from './raw-socket.js'
import { expectAccepted, expectRefused, messagesOf, newNumber } from '../support.js'

const NOT_ACCEPTED = 'Service is temporarily unavailable'
const UNKNOWN =
  'It is unknown whether the message was accepted. Repeat the request only with the same Idempotency-Key'
/** See `postMessages`. */
const IN_ONE_STATEMENT = 200
/** Postgres ends a statement after this, and so long after it nobody waits any more for one that hangs. */
const STATEMENT_TIMEOUT_MS = 3000

describe('a message whose statement gets no response', () => {
  const scene = openForEachTest(openScene)

  it('is looked up: if it was committed, it gets a 200 and is sent once', async () => {
    const { proxy, post, texts } = scene
    expectAccepted(await post('before'))
    proxy.swallowAnswers()
    expectAccepted(await post('committed'))
    expect(await texts()).to.deep.equal(['before', 'committed'])
  })

  it('is accepted on a retry, if it never reached Postgres', async () => {
    const { proxy, post, texts } = scene
    expectAccepted(await post('before'))
    proxy.abandonOpen()
    expectAccepted(await post('lost on its way'))
    expect(await texts()).to.deep.equal(['before', 'lost on its way'])
  })

  it('has its id in the answer', async () => {
    const { proxy, post, rows } = scene
    expectAccepted(await post('before'))
    proxy.swallowAnswers()
    const answer = await post('committed')
    expectAccepted(answer)
    expect(answer.headers.get('message-id')).to.equal((await rows()).at(-1)?.id)
  })

  it('is unknown while Postgres hangs, and the response says so; those not begun are refused and not sent', async () => {
    const { proxy, post, texts } = scene
    expectAccepted(await post('before'))
    proxy.freeze()
    const begun = post('begun', 'a key')
    // Once it has been silent for a moment nobody else is begun.
    await until('others are refused', async () => {
      const answer = await post('not begun')
      return answer.status === 503 && answer.text.includes(NOT_ACCEPTED)
    })
    const refused = await post('not begun')
    expectRefused(refused, 503, NOT_ACCEPTED)
    expect(refused.headers.get('retry-after')).to.match(/^[1-9]\d*$/)

    const unknown = await begun
    expectRefused(unknown, 503, UNKNOWN)
    expect(unknown.headers.get('retry-after')).to.equal(null)

    proxy.goUp()
    const repeated = await until('Postgres answers again', async () => {
      const answer = await post('begun', 'a key')
      return answer.status === 200 && answer
    })
    expectAccepted(repeated)
    expect((await texts()).filter((text) => text === 'begun')).to.deep.equal(['begun'])
    expect(await texts()).not.to.include('not begun')
  })

  it('is not begun if its client has disconnected', async () => {
    const { web, line, post, texts } = scene
    expectAccepted(await post('before'))
    const body = JSON.stringify(messageBody({ toNumber: newNumber(), text: 'for nobody' }))
    const { socket, ended } = openSocket(web.port)
    socket.end(
      `POST ${line.webhookPath} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    await ended
    expectAccepted(await post('after'))
    expect(await texts()).to.deep.equal(['before', 'after'])
  })
})

describe('a message under /v1 when Postgres goes away', () => {
  const scene = openForEachTest(openScene)

  const toSend = ({ line }: Scene, text: string) => ({ lineId: line.lineId, toNumber: newNumber(), text })

  for (const how of ['sent', 'resent'] as const) {
    it(`after its commit: the response to a message that is ${how} does not say that it was not accepted`, async () => {
      const { line, proxy, direct, context, texts } = scene
      const client = await openClient(scene)
      const failed = await queueMessage(direct, line, { status: 'failed', to_number: newNumber() })
      const { queueMessage: accept } = context.batched
      context.batched.queueMessage = async (request) => {
        const answer = await accept(request)
        proxy.goDown()
        return answer
      }
      const answer = await (how === 'sent'
        ? client.post('/v1/messages', toSend(scene, 'Hello'))
        : client.post(`/v1/messages/${failed}/send-again`))
      expectProblem(answer, 503, /^It is unknown whether the message was accepted/)
      expect(answer.headers.get('retry-after')).to.equal(null)
      expect(await texts()).to.deep.equal(['Hello', 'Hello'])
    })
  }

  it('in the middle of a batch: the response says which of its messages were not accepted and which may be', async () => {
    const { line, proxy, direct, context, texts } = scene
    const client = await openClient(scene)
    // Nothing of the first statement can be done while somebody else holds the line; it is given up.
    const holder = await openHolder(direct.db)
    await holder.raw('select pg_advisory_xact_lock(hashtextextended(?::uuid::text, 0))', [line.lineId])
    const { queueMessage: accept } = context.batched
    let begun = 0
    context.batched.queueMessage = async (request) => {
      begun += 1
      if (begun === IN_ONE_STATEMENT + 1) {
        await holder.rollback()
        proxy.freeze()
      }
      return accept(request)
    }
    const texted = [...Array.from({ length: IN_ONE_STATEMENT }, () => 'refused'), 'unknown']
    const answer = await client.post('/v1/messages/batch', {
      messages: texted.map((text) => toSend(scene, text)),
    })
    expect(answer.status).to.equal(200)
    expect(answer.body).to.deep.equal(
      texted.map((text) => ({ status: 503, detail: text === 'refused' ? NOT_ACCEPTED : UNKNOWN })),
    )
    proxy.goUp()
    expect(await texts()).not.to.include('refused')
  })
})

describe('another change under /v1 when Postgres goes away', () => {
  const scene = openForEachTest(openScene)

  const APPLICATION = { name: 'Support desk', redirectUris: ['https://desk.example/callback'] }

  it('during its commit: the response does not ask the client to repeat it', async () => {
    const { proxy, direct } = scene
    const client = await openClient(scene)
    await delayCommits(direct)
    const holder = await openHolder(direct.db)
    await holder.raw('select pg_advisory_xact_lock(7)')
    const registered = client.post('/v1/applications', APPLICATION)
    await until('the commit is under way', async () => (await countWaitingForLocks(direct)) > 0)
    proxy.goDown()
    await holder.rollback()
    const answer = await registered
    expectProblem(answer, 503, /^It is unknown whether the change was made/)
    expect(answer.headers.get('retry-after')).to.equal(null)
    await until('it is done', async () => (await direct.db('applications').pluck('name')).length === 1)
  })

  it('before it: the response says when to repeat it, because nothing was done', async () => {
    const { direct, line } = scene
    const client = await openClient(scene)
    const holder = await openHolder(direct.db)
    await holder('users').where({ id: line.userId }).forUpdate().select('id')
    const answer = await client.post('/v1/applications', APPLICATION)
    await holder.rollback()
    expectProblem(answer, 503, /^Service is temporarily unavailable$/)
    expect(answer.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
    expect(await direct.db('applications').pluck('name')).to.deep.equal([])
  })
})

/** Every commit of an application waits for the advisory lock 7. */
async function delayCommits({ db }: Context): Promise<void> {
  await db.raw(`create function wait_for_7() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(7); return null; end $$`)
  await db.raw(`create constraint trigger wait_for_7 after insert on applications deferrable initially deferred
    for each row execute function wait_for_7()`)
}

async function openClient({ line, direct, web }: Scene): Promise<Client> {
  return clientOf(web, (await createApiToken(direct, line.userId, 'Billing')).token)
}

interface Scene {
  context: Context
  /** The same database, not by way of the proxy. */
  direct: Context
  web: TestWeb
  proxy: Proxy
  line: TestLine
  post: (text: string, key?: string) => ReturnType<TestWeb['post']>
  rows: () => ReturnType<typeof messagesOf>
  /** Of the line's messages, oldest first. */
  texts: () => Promise<string[]>
  close: () => Promise<void>
}

async function openScene(): Promise<Scene> {
  const environment = await createEnvironment()
  const direct = await createTestContext(environment)
  const proxy = await startProxy(environment.DATABASE_URL ?? '')
  const limits = { statementTimeoutMs: STATEMENT_TIMEOUT_MS, acquireTimeoutMs: 3000, callersWaitMs: 3000 }
  const context = await createTestContext({ ...environment, DATABASE_URL: proxy.url }, limits)
  const web = await serveApp(context)
  const line = await createLine(context)
  // Whether some accounts have sessions is known then, and no question about that is under way beside the messages.
  await context.sendingQueue.waiting([{ id: newId(), generation: 0, lineId: line.lineId }])
  const rows = () => messagesOf(direct, line.lineId)
  const keyed = newNumber()
  return {
    context,
    direct,
    web,
    proxy,
    line,
    rows,
    post: (text, key) =>
      web.post(
        line.webhookPath,
        messageBody({ toNumber: key === undefined ? newNumber() : keyed, text }),
        key === undefined ? {} : { 'idempotency-key': key },
      ),
    texts: async () => (await rows()).map(({ text }) => text),
    close: async () => {
      proxy.goUp()
      await web.close()
      await context.close()
      await proxy.close()
      await direct.close()
    },
  }
}
