import { expect } from 'chai'
import { MAGIC_NUMBERS } from '../../src/carriers/simulator.js'
import { readVersion } from '../../src/config/version.js'
import { migrate } from '../../src/database/migrations.js'
import type { Context } from '../../src/domain/context.js'
import type { Environment } from '../helpers/process/environment.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess, startWeb, stopProcesses, type RunningProcess } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import { ownPostgres, type OwnService } from './support/own-services.js'
import {
  createInstallation,
  numbers,
  post,
  postAll,
  takenCounts,
  textTo,
  times,
  whenSettled,
  WIDE,
} from './support/steps.js'

describe('journey: Postgres stops and restarts', function () {
  this.timeout(240_000)

  let postgres: OwnService
  let environment: Environment
  let context: Context
  let receiver: Receiver
  let url: string
  let processes: RunningProcess[]
  let line: TestLine

  before(async () => {
    postgres = await ownPostgres()
    ;({ environment, context } = await createInstallation({
      DATABASE_URL: postgres.url,
      DELIVERY_RETRY_BASE_MS: '1000',
      // A lease is 15 s longer than these: a claim whose answer is lost with the connection waits for its end.
      CARRIER_TIMEOUT_MS: '2000',
      DELIVERY_TIMEOUT_MS: '2000',
    }))
    await migrate(context.db)
    receiver = await startReceiver()
    const [web, ...others] = await Promise.all([
      startWeb(environment),
      startProcess('send-message', environment),
      startProcess('deliver-event', environment),
      startProcess('maintenance', environment),
    ])
    url = web.url
    processes = [web, ...others]
    line = await createLine(context, { ...WIDE, outgoingUrl: receiver.url })
  })

  after(async () => {
    await stopProcesses()
    await receiver.close()
    await context.close()
    await postgres.remove()
  })

  it('meanwhile web returns 503 as JSON, workers pause, and no acknowledged message is lost', async () => {
    const [friend = '', ...others] = numbers(41)
    const texts = others.map((toNumber) => ({ toNumber }))
    // This number's carrier asks to wait for two seconds: its texts wait while Postgres is away.
    const waiting = times(5, { toNumber: MAGIC_NUMBERS.throttled })
    const acknowledged = await postAll(url, line, [...texts, ...waiting])
    // Every event fails at first, and waits too.
    const tried = new Set<unknown>()
    receiver.answerWith((response, { headers }) => {
      response.statusCode = tried.has(headers['webhook-id']) ? 200 : 500
      tried.add(headers['webhook-id'])
      response.end()
    })
    for (let n = 0; n < 20; n += 1) {
      await textTo(url, { fromNumber: friend, toNumber: line.number, text: `Text ${n}` })
    }
    await postgres.stop()

    const refused = await post(url, line, { toNumber: friend })
    expect([refused.status, refused.body]).to.deep.equal([
      503,
      { success: false, error: 'Service is temporarily unavailable' },
    ])
    expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1)
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, await ready.json()]).to.deep.equal([
      503,
      { status: 'unavailable', version: readVersion(), postgres: 'unreachable', redis: 'ok' },
    ])
    expect((await fetch(`${url}/healthz`)).status, 'web is alive').to.equal(200)
    const [web, sendMessage, deliverEvent, maintenance] = processes
    // On a busy machine all may have been sent before.
    await context.queues.enqueueMessages(acknowledged.map((id) => ({ id, generation: 9 })))
    await until('send-message pauses', () => says(sendMessage, 'worker.paused'))
    // deliver-event may hold the result of the one lane that there is, and then asks for nothing more.
    await until('maintenance fails', () => says(maintenance, 'timer.failed'))
    await postgres.start()

    const late = await until('web accepts again', async () => {
      const posted = await post(url, line, { toNumber: friend })
      return posted.status === 200 && posted.messageId
    })
    const settled = await whenSettled(context, line)
    expect(settled.map(({ id }) => id)).to.have.members([...acknowledged, late])
    const taken = await takenCounts(context, line)
    for (const { id, status } of settled) {
      // What the carrier was just being told when Postgres went may be unknown, but is sent once at most.
      const count = taken.get(id) ?? 0
      expect([status, count]).to.satisfy(() => (status === 'unknown' ? count <= 1 : count === 1))
    }
    expect(settled.at(-1)).to.include({ id: late, status: 'delivered' })
    await until('every event is delivered', async () => (await deliveredCount()) === 20)

    expect([web, sendMessage, deliverEvent, maintenance].every((each) => each?.isRunning())).to.equal(true)
    expect(processes.filter((each) => says(each, 'job.crashed'))).to.deep.equal([])
  })

  async function deliveredCount(): Promise<number> {
    return (await context.db('deliveries').where({ status: 'delivered' }).select('id')).length
  }

  function says(process: RunningProcess | undefined, msg: string): boolean {
    return process?.log().some((entry) => entry.msg === msg) === true
  }
})
