import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '../../dev/services/free-port.js'
import { inboundOf } from '../../dev/smsc/messages.js'
import { startSmsc, type SmscOptions } from '../../dev/smsc/server.js'
import { addCarrierAccount, getCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import { testCarrierAccount } from '../../src/domain/carriers/accounts/carrier-test.js'
import { queueMessage } from '../domain/fixtures.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { runSource, startProcess, stopProcesses, type RunningProcess } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import { numbers, outboundMessages, WIDE } from './support/steps.js'

/** What an SMSC may allow, and how an account says so. */
const SESSIONS: [name: string, smsc: SmscOptions, settings: object, bound: string[]][] = [
  ['one-session', { maxSessions: 1 }, {}, ['bind_transceiver']],
  [
    'transceivers',
    { binds: ['bind_transceiver'] },
    { bindCount: 2 },
    ['bind_transceiver', 'bind_transceiver'],
  ],
  [
    'transmitter-and-receiver',
    { binds: ['bind_transmitter', 'bind_receiver'], maxSessions: 2 },
    { bindAs: 'transmitter-and-receiver' },
    ['bind_receiver', 'bind_transmitter'],
  ],
]

const SETUP = { processes: [] }

describeInstallation('journey: an SMSC', SETUP, function ({ environment, context }) {
  this.timeout(240_000)
  const folder = mkdtempSync(join(tmpdir(), 'linehook-smsc-'))

  after(() => {
    rmSync(folder, { recursive: true })
  })

  /** A line of an account at this SMSC. */
  async function lineAt(port: number, name: string, settings: object = {}): Promise<TestLine> {
    await addCarrierAccount(context, {
      name,
      kind: 'smpp',
      settings: { host: '127.0.0.1', port, systemId: 'linehook', ...settings },
    })
    return createLine(context, { carrierAccount: name, ...WIDE })
  }

  /** A text to each waits. */
  async function queueTo(line: TestLine, recipients: readonly string[]): Promise<void> {
    await Promise.all(recipients.map((to_number) => queueMessage(context, line, { to_number })))
    const queued = await outboundMessages(context, line)
    await context.queues.enqueueMessages(queued.map(({ id }) => ({ id, generation: 0 })))
  }

  const whenEnded = (line: TestLine) =>
    until(
      'every message has come to its end',
      async () => {
        const rows = await outboundMessages(context, line)
        return rows.every(({ status }) => status === 'sent' || status === 'unknown') && rows
      },
      120_000,
    )

  it('that restarts three times during 1,000 sends gets each text once or leaves it unknown; none is lost or doubled', async () => {
    const record = join(folder, 'taken')
    writeFileSync(record, '')
    const taken = () =>
      readFileSync(record, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => (JSON.parse(line) as { to: string }).to)
    const port = String(await freePort())
    const startSmscProcess = async (): Promise<RunningProcess> => {
      const started = runSource('dev/smsc.ts', {
        SMSC_PORT: port,
        SMSC_RECORD: record,
        SMSC_DELAY_MS: '20',
        SMSC_THROTTLE_EVERY: '50',
      })
      await until('it listens', () => started.log().some(({ msg }) => msg === 'smsc.started'))
      return started
    }
    let smsc = await startSmscProcess()
    const line = await lineAt(Number(port), 'takes')
    await queueTo(line, numbers(1000))

    await Promise.all([startProcess('send-message', environment), startProcess('receive-smpp', environment)])
    for (const count of [150, 400, 700]) {
      await until(`${count} are taken`, () => taken().length >= count, 120_000)
      await smsc.kill('SIGKILL')
      smsc = await startSmscProcess()
    }
    const settled = await whenEnded(line)
    const counts = new Map<string, number>()
    for (const to of taken()) counts.set(`+${to}`, (counts.get(`+${to}`) ?? 0) + 1)
    expect(settled).to.have.length(1000)
    for (const { status, to_number: to } of settled) {
      if (status === 'sent') expect(counts.get(to), to).to.equal(1)
      else expect(counts.get(to) ?? 0, to).to.be.at.most(1)
    }
    // No more than the window held at each kill.
    expect(settled.filter(({ status }) => status === 'unknown').length).to.be.at.most(30)
    await stopProcesses()
  })

  it('that delivers 1,500 texts while receive-smpp is killed causes one message and one event for each', async () => {
    const count = 1500
    const smsc = await startSmsc()
    const line = await lineAt(smsc.port, 'brings', { bindCount: 2 })
    const senders = numbers(count)
    for (const [n, from] of senders.entries()) smsc.bring(inboundOf(from, line.number, `Text ${n % 100}`))

    let receiving = await startProcess('receive-smpp', environment)
    for (const share of [0.3, 0.6]) {
      await until('some are answered', () => smsc.answers.length >= share * count, 200_000)
      await receiving.kill('SIGKILL')
      receiving = await startProcess('receive-smpp', environment)
    }
    await until('all are answered', () => smsc.waitingCount() === 0, 200_000)
    expect(new Set(smsc.answers)).to.deep.equal(new Set([0]))
    for (const table of ['messages', 'events']) {
      const rows: { from_number: string }[] = await context
        .db(table)
        .where({ line_id: line.lineId })
        .select('from_number')
      expect(rows.length, table).to.equal(count)
      expect(new Set(rows.map((row) => row.from_number)).size, table).to.equal(count)
    }
    await receiving.kill('SIGTERM')
    expect(await receiving.exitCode).to.equal(0)
    await smsc.close()
  })

  it('of each kind of session is used in both directions by two processes of each kind, and can be tested meanwhile', async () => {
    const people = numbers(100)
    const sites = await Promise.all(
      SESSIONS.map(async ([name, smscOptions, settings, bound]) => {
        const smsc = await startSmsc({ ...smscOptions, receipts: true })
        const line = await lineAt(smsc.port, name, settings)
        await queueTo(line, people)
        for (const from of people) smsc.bring(inboundOf(from, line.number, 'Hi'))
        return { name, smsc, line, bound }
      }),
    )
    const kinds = ['send-message', 'send-message', 'receive-smpp', 'receive-smpp'] as const
    const processes = await Promise.all(kinds.map((kind) => startProcess(kind, environment)))
    for (const { name, smsc, line, bound } of sites) {
      await until(
        `all are delivered by ${name}`,
        async () => (await outboundMessages(context, line)).every(({ status }) => status === 'delivered'),
        60_000,
      )
      await until(`all are received from ${name}`, () => smsc.waitingCount() === 0, 60_000)
      const received = await context.db('messages').where({ line_id: line.lineId, direction: 'inbound' })
      expect(received, name).to.have.length(100)
      expect(new Set(smsc.taken.map(({ to }) => to)).size, name).to.equal(100)
      expect(smsc.taken, name).to.have.length(100)
      expect(smsc.bound(), name).to.deep.equal(bound)
      const tested = await testCarrierAccount(context, await getCarrierAccount(context, name))
      expect(tested, name).to.deep.equal({ ok: true })
    }

    for (const each of processes) await each.kill('SIGTERM')
    for (const { exitCode } of processes) expect(await exitCode).to.equal(0)
    for (const { name, smsc } of sites) {
      expect(smsc.bound(), name).to.deep.equal([])
      await smsc.close()
    }
  })

  it('that allows one session keeps working when the process holding it is killed: nothing is doubled or lost', async () => {
    const smsc = await startSmsc({ maxSessions: 1, delayMs: 50 })
    // What a killed process held is unknown the sooner.
    const restarted = { ...environment, CARRIER_TIMEOUT_MS: '5000' }
    const line = await lineAt(smsc.port, 'one')
    const people = numbers(1200)

    await Promise.all(
      ['send-message' as const, 'maintenance' as const].map((each) => startProcess(each, restarted)),
    )
    let holders = await Promise.all([1, 2].map(() => startProcess('receive-smpp', restarted)))
    const isBound = (running: RunningProcess) => running.log().some(({ msg }) => msg === 'smpp.bound')
    // Half of them for each kill: a process takes so long to start that nothing might be left to take over.
    for (const half of [people.slice(0, 600), people.slice(600)]) {
      const takenSoFar = smsc.taken.length
      await queueTo(line, half)
      await until('some are taken', () => smsc.taken.length >= takenSoFar + 100, 60_000)
      const [bound, standingBy] = holders[0] && isBound(holders[0]) ? holders : [...holders].reverse()
      if (bound === undefined || standingBy === undefined) throw new Error('two were started')
      const takenBefore = smsc.taken.length
      await bound.kill('SIGKILL')
      for (const from of half.slice(0, 10)) smsc.bring(inboundOf(from, line.number, 'after a kill'))
      await until(
        'the other has taken over',
        () => isBound(standingBy) && smsc.taken.length > takenBefore + 20,
        60_000,
      )
      holders = [standingBy, await startProcess('receive-smpp', restarted)]
    }
    const settled = await whenEnded(line)
    const taken = smsc.taken.map(({ to }) => `+${to}`)
    expect(new Set(taken).size, 'none twice').to.equal(taken.length)
    for (const { status, to_number: to } of settled) if (status === 'sent') expect(taken).to.include(to)
    // What it had claimed at each kill.
    expect(settled.filter(({ status }) => status === 'unknown').length).to.be.at.most(40)
    await until('all are received', () => smsc.waitingCount() === 0)
    const received = await context.db('messages').where({ line_id: line.lineId, direction: 'inbound' })
    expect(received).to.have.length(20)
    await stopProcesses()
    await smsc.close()
  })
})
