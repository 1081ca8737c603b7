import { expect } from 'chai'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../dev/free-port.js'
import { inboundOf } from '../../dev/smsc/messages.js'
import { startSmsc } from '../../dev/smsc/server.js'
import { addCarrierAccount } from '../../src/domain/carrier-accounts.js'
import type { Context } from '../../src/domain/context.js'
import { queueMessage } from '../domain/fixtures.js'
import type { Environment } from '../helpers/environment.js'
import { createLine } from '../helpers/factories.js'
import { runSource, startProcess, stopProcesses, type RunningProcess } from '../helpers/processes.js'
import { until } from '../helpers/until.js'
import { createInstallation, numbers, outboundMessages, WIDE } from './steps.js'

describe('journey: an SMSC', function () {
  this.timeout(240_000)

  let environment: Environment
  let context: Context
  const folder = mkdtempSync(join(tmpdir(), 'linehook-smsc-'))

  before(async () => {
    ;({ environment, context } = await createInstallation())
  })

  after(async () => {
    await stopProcesses()
    await context.close()
    rmSync(folder, { recursive: true })
  })

  it('is restarted three times during 1,000 sends: each is sent once, or unknown; none is lost or sent twice', async () => {
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
      await until('it listens', () => started.log().some(({ msg }) => msg === 'smsc.started'), 20_000)
      return started
    }
    let smsc = await startSmscProcess()
    await addCarrierAccount(context, {
      name: 'takes',
      kind: 'smpp',
      settings: { host: '127.0.0.1', port: Number(port), systemId: 'linehook' },
    })
    const line = await createLine(context, { carrier: 'takes', ...WIDE })
    const recipients = numbers(1000)
    for (const to_number of recipients) await queueMessage(context, line, { to_number })
    const queued = await outboundMessages(context, line)
    await context.queues.enqueueMessages(queued.map(({ id }) => ({ id, generation: 0 })))

    await startProcess('send-message', environment)
    for (const count of [150, 400, 700]) {
      await until(`${count} are taken`, () => taken().length >= count, 120_000)
      await smsc.kill('SIGKILL')
      smsc = await startSmscProcess()
    }
    const settled = await until(
      'every message has come to its end',
      async () => {
        const rows = await outboundMessages(context, line)
        return rows.every(({ status }) => status === 'sent' || status === 'unknown') && rows
      },
      120_000,
    )
    const counts = new Map<string, number>()
    for (const to of taken()) counts.set(`+${to}`, (counts.get(`+${to}`) ?? 0) + 1)
    expect(settled).to.have.length(1000)
    for (const { status, to_number: to } of settled) {
      if (status === 'sent') expect(counts.get(to), to).to.equal(1)
      else expect(counts.get(to) ?? 0, to).to.be.at.most(1)
    }
    // No more than the window held at each kill.
    expect(settled.filter(({ status }) => status === 'unknown').length).to.be.at.most(30)
  })

  it('brings 10,000 texts while receive-smpp is killed: each is one message and one event', async () => {
    const count = 10_000
    const smsc = await startSmsc()
    await addCarrierAccount(context, {
      name: 'brings',
      kind: 'smpp',
      settings: { host: '127.0.0.1', port: smsc.port, systemId: 'linehook', bindCount: 2 },
    })
    const line = await createLine(context, { carrier: 'brings', ...WIDE })
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
})
