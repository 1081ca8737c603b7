import { expect } from 'chai'
import { MAGIC_NUMBERS } from '../../src/carriers/simulator.js'
import { freePort } from '../../dev/services/free-port.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess, startWeb, type RunningProcess } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import {
  endLeases,
  numbers,
  outboundMessages,
  post,
  postAll,
  takenCounts,
  whenSettled,
  WIDE,
} from './support/steps.js'

const SETUP = {
  processes: ['web', 'send-message', 'maintenance'],
  environment: async () => ({
    ...{ PORT: String(await freePort()), CARRIER_TIMEOUT_MS: '60000', SEND_CONCURRENCY: '10' },
  }),
} as const

describeInstallation('journey: kill -9 under load', SETUP, ({ environment, context, running }) => {
  let web: RunningProcess
  let worker: RunningProcess

  before(() => {
    ;[web, worker] = running.processes as [RunningProcess, RunningProcess]
  })

  it('after web is killed, every text acknowledged with 200 is sent once, and no other text twice', async () => {
    const line = await createLine(context, WIDE)
    const acknowledged: string[] = []
    const recipients = numbers(120)
    const isUp = () => fetch(`${running.url}/healthz`).then(({ ok }) => ok)
    const next = async (): Promise<void> => {
      const toNumber = recipients.pop()
      if (toNumber === undefined) return
      const posted = await post(running.url, line, { toNumber }).catch(() => undefined)
      if (posted?.status === 200) acknowledged.push(posted.messageId)
      if (posted === undefined) await until('web is back', isUp, 120_000)
      return next()
    }
    const clients = Array.from({ length: 10 }, next)
    for (const count of [20, 60]) {
      await until(`${count} are acknowledged`, () => acknowledged.length >= count)
      await web.kill('SIGKILL')
      web = await startWeb(environment)
    }
    await Promise.all(clients)

    const settled = await whenSettled(context, line)
    const taken = await takenCounts(context, line)
    expect(acknowledged.length).to.be.at.least(80)
    expect(acknowledged.filter((id) => taken.get(id) !== 1)).to.deep.equal([])
    expect(settled.every(({ status }) => status === 'delivered')).to.equal(true)
    expect(settled.filter(({ id }) => taken.get(id) !== 1)).to.deep.equal([])
  })

  it('after send-message is killed, nothing is lost or doubled; only texts in progress may be unknown', async () => {
    const line = await createLine(context, WIDE)
    const hanging: TestLine[] = []
    for (let n = 0; n < 5; n += 1) {
      const each = await createLine(context, WIDE)
      await postAll(running.url, each, [{ toNumber: MAGIC_NUMBERS.neverAnswers }])
      hanging.push(each)
    }
    await until('five calls hang', async () => {
      const rows = await Promise.all(hanging.map((each) => outboundMessages(context, each)))
      return rows.flat().filter(({ status }) => status === 'sending').length === 5
    })

    const texts = numbers(200).map((toNumber) => ({ toNumber }))
    const posting = postAll(running.url, line, texts.slice(0, 150))
    await until('some are taken', async () => (await takenCounts(context, line)).size >= 20)
    await worker.kill('SIGKILL')
    const acknowledged = [...(await posting), ...(await postAll(running.url, line, texts.slice(150)))]
    const interrupted = (await outboundMessages(context, line)).filter(({ status }) => status === 'sending')
    expect((await takenCounts(context, line)).size, 'killed in the middle').to.be.lessThan(200)

    await endLeases(context, 'messages')
    worker = await startProcess('send-message', environment)
    const settled = await whenSettled(context, line)
    const taken = await takenCounts(context, line)
    expect(settled.map(({ id }) => id)).to.have.members(acknowledged)
    for (const { id, status } of settled) {
      if (status === 'unknown') expect(interrupted.map((row) => row.id)).to.include(id)
      else expect([status, taken.get(id)]).to.deep.equal(['delivered', 1])
    }
    expect([...taken.values()].every((count) => count === 1)).to.equal(true)

    for (const each of hanging) {
      const [message] = await whenSettled(context, each)
      expect(message).to.include({ status: 'unknown', error: 'worker_lost' })
      expect((await takenCounts(context, each)).size).to.equal(0)
    }
  })
})
