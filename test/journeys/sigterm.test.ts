import { expect } from 'chai'
import { Agent, get } from 'node:http'
import { MAGIC_NUMBERS } from '../../src/carriers/simulator.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess, startWeb, type RunningProcess } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import { numbers, outboundMessages, post, postAll, textTo } from './support/steps.js'

const [friend = ''] = numbers(1)

/** No process may take longer (architecture: Processes). */
const GONE_MS = 25_000

interface End {
  exitCode: number | null
  durationMs: number
}

describeInstallation('journey: SIGTERM', { processes: ['web'] }, (installation) => {
  const { environment, context, receiver, running } = installation
  /** Two workers with work that never ends; told to go at once, because they may take 20 s. */
  let stuckLine: TestLine
  let stuckEnd: Promise<{ ends: End[]; left: Awaited<ReturnType<typeof statuses>> }>

  before(async () => {
    receiver.answerWith(() => undefined)
    const slow = { ...environment, CARRIER_TIMEOUT_MS: '60000', DELIVERY_TIMEOUT_MS: '60000' }
    const stuck = await Promise.all([startProcess('send-message', slow), startProcess('deliver-event', slow)])
    stuckLine = await createLine(context, { outgoingUrl: receiver.url })
    await postAll(running.url, stuckLine, [{ toNumber: MAGIC_NUMBERS.neverAnswers }])
    await textTo(running.url, { fromNumber: friend, toNumber: stuckLine.number, text: 'For ever' })
    await until('both are under way', async () => {
      const { message, delivery } = await statuses()
      return message === 'sending' && delivery === 'delivering'
    })
    // Looked at when they are gone: later their leases are over, and a sweep finds what they left.
    stuckEnd = Promise.all(stuck.map(terminate)).then(async (ends) => ({ ends, left: await statuses() }))
  })

  async function terminate(process: RunningProcess): Promise<End> {
    const startedAt = Date.now()
    await process.kill('SIGTERM')
    return { exitCode: await process.exitCode, durationMs: Date.now() - startedAt }
  }

  function expectGone({ exitCode, durationMs }: End): void {
    expect(exitCode).to.equal(0)
    expect(durationMs).to.be.lessThan(GONE_MS)
  }

  async function statuses() {
    const [message] = await outboundMessages(context, stuckLine)
    return { message: message?.status, delivery: await deliveryOf(stuckLine) }
  }

  async function deliveryOf(line: TestLine): Promise<string | undefined> {
    const row: { status: string } | undefined = await context
      .db('deliveries')
      .where({ line_id: line.lineId })
      .first('status')
    return row?.status
  }

  it('web finishes the current request and accepts no new ones', async () => {
    const web = await startWeb(environment)
    const line = await createLine(context)
    // Whoever accepts for a line waits for this lock.
    const trx = await context.db.transaction()
    await trx.raw('set local idle_in_transaction_session_timeout = 0')
    await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [line.lineId])
    const posting = post(web.url, line)
    await until('the request waits', async () => {
      const { rows } = await context.db.raw<{ rows: unknown[] }>(
        `select from pg_stat_activity
         where application_name = 'linehook web' and wait_event_type = 'Lock' and datname = current_database()`,
      )
      return rows.length > 0
    })

    const terminating = terminate(web)
    await until('it is stopping', () => web.log().some(({ msg }) => msg === 'process.stopping'))
    await until('nobody listens', () => refusesConnections(web.url))
    await trx.commit()
    expect((await posting).status).to.equal(200)
    expectGone(await terminating)
    expect(await outboundMessages(context, line)).to.have.length(1)
  })

  it('web closes keep-alive connections, idle and busy', async () => {
    const web = await startWeb(environment)
    const agent = new Agent({ keepAlive: true })
    await ask(web.url, agent)
    const busy = (async () => {
      const own = new Agent({ keepAlive: true, maxSockets: 1 })
      while (await ask(web.url, own).catch(() => false));
      own.destroy()
    })()
    expectGone(await terminate(web))
    await busy
    agent.destroy()
  })

  it('deliver-event finishes its current delivery', async () => {
    const worker = await startProcess('deliver-event', environment)
    const line = await createLine(context, { outgoingUrl: receiver.url })
    const requestCount = receiver.requests.length
    let finish: () => void = () => undefined
    receiver.answerWith((response) => {
      finish = () => response.end('ok')
    })
    await textTo(running.url, { fromNumber: friend, toNumber: line.number, text: 'One moment' })
    await until('the request arrives', () => receiver.requests.length > requestCount)

    const terminating = terminate(worker)
    await until('it is stopping', () => worker.log().some(({ msg }) => msg === 'process.stopping'))
    finish()
    expectGone(await terminating)
    expect(await deliveryOf(line)).to.equal('delivered')
  })

  it('send-message waits for the carrier to respond', async () => {
    const worker = await startProcess('send-message', { ...environment, CARRIER_TIMEOUT_MS: '6000' })
    const line = await createLine(context)
    await postAll(running.url, line, [{ toNumber: MAGIC_NUMBERS.neverAnswers }])
    const status = async () => (await outboundMessages(context, line))[0]?.status
    await until('the carrier is asked', async () => (await status()) === 'sending')

    expectGone(await terminate(worker))
    expect(await status()).to.equal('unknown')
  })

  it('maintenance exits', async () => {
    expectGone(await terminate(await startProcess('maintenance', environment)))
  })

  it('workers leave what takes too long to the next process: an event at once, a text once its lease expires', async () => {
    const { ends, left } = await stuckEnd
    for (const end of ends) expectGone(end)
    expect(left).to.deep.equal({ message: 'sending', delivery: 'pending' })
  })
})

function ask(url: string, agent: Agent): Promise<boolean> {
  return new Promise((resolve, reject) => {
    get(`${url}/healthz`, { agent }, (response) => {
      response.resume().on('end', () => {
        resolve(true)
      })
    }).on('error', reject)
  })
}

function refusesConnections(url: string): Promise<boolean> {
  return ask(url, new Agent()).then(
    () => false,
    (error: unknown) => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED',
  )
}
