import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { addCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import { startModem } from '../carriers/stand-ins/modem.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess, type RunningProcess } from '../helpers/process/processes.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import { numbers, outboundMessages, post, postAll, WIDE } from './support/steps.js'

describeInstallation(
  'journey: a modem',
  {
    processes: ['web'],
    workers: ['send-message', 'deliver-event', 'maintenance'],
    // What a killed process held is unknown the sooner.
    environment: { CARRIER_TIMEOUT_MS: '5000' },
  },
  function ({ environment, context, receiver, running }) {
    this.timeout(240_000)
    const number = '+15550000001'
    const modem = openForSuite(() => startModem())
    let line: TestLine
    let holder: RunningProcess

    const start = async () => (holder = await startProcess('receive-smpp', environment))
    const eventTexts = () =>
      receiver.requests.map(({ body }) => (JSON.parse(body) as { payload: string }).payload)
    const ended = () =>
      until(
        'every message has come to its end',
        async () => {
          const rows = await outboundMessages(context, line)
          return rows.every(({ status }) => ['sent', 'delivered', 'unknown'].includes(status)) && rows
        },
        120_000,
      )

    before(async () => {
      const settings = { device: modem.device, number }
      await addCarrierAccount(context, { name: 'stick', kind: 'modem', settings })
      line = await createLine(context, {
        ...{ carrierAccount: 'stick', number, outgoingUrl: receiver.url, ...WIDE },
      })
      await start()
    })

    it('sends what is posted to the webhook, reports its delivery, and brings an event for a text', async () => {
      modem.state.reports = 0
      const [toNumber = ''] = numbers(1)
      const { status } = await post(running.url, line, { toNumber, text: 'Table at eight? 🙂' })
      expect(status).to.equal(200)
      await until('it is delivered', async () =>
        (await outboundMessages(context, line)).every((message) => message.status === 'delivered'),
      )
      expect(modem.taken.map(({ to, text }) => [to, text])).to.deep.equal([[toNumber, 'Table at eight? 🙂']])
      modem.bring(toNumber, 'On my way')
      await until('the event arrives', () => eventTexts().includes('On my way'))
    })

    it('is loaded only by the process that holds it', () => {
      const hasLoaded = ({ pid }: RunningProcess) =>
        readFileSync(`/proc/${pid}/maps`, 'utf8').includes('@serialport')
      expect(running.processes.map(hasLoaded)).to.deep.equal([false, false])
      expect(hasLoaded(holder)).to.equal(true)
    })

    it('loses nothing and sends nothing twice when the process is killed three times', async () => {
      const before = modem.taken.length
      modem.state.outcomeOf = () => ({ lateMs: 150 })
      const people = numbers(40, 100)
      await postAll(
        running.url,
        line,
        people.map((toNumber) => ({ toNumber, text: `For ${toNumber}` })),
      )
      for (const [round, count] of [8, 16, 24].entries()) {
        await until(`${count} are taken`, () => modem.taken.length >= before + count, 60_000)
        for (let n = 0; n < 10; n += 1) modem.bring('+15550001111', `Round ${round}, text ${n}`)
        await holder.kill('SIGKILL')
        await start()
      }
      const rows = await ended()
      const taken = modem.taken.slice(before).map(({ to }) => to)
      expect(new Set(taken).size, 'none twice').to.equal(taken.length)
      const ofPeople = rows.filter(({ to_number: to }) => people.includes(to))
      expect(ofPeople).to.have.length(40)
      for (const { status, to_number: to } of ofPeople) if (status !== 'unknown') expect(taken).to.include(to)
      expect(ofPeople.filter(({ status }) => status === 'unknown').length, 'unknown').to.be.at.most(3)

      await until('all are received', () => modem.storedCount() + modem.waitingCount() === 0)
      const brought = () => eventTexts().filter((text) => text.startsWith('Round'))
      await until('all are delivered', () => brought().length >= 30)
      const wanted = [0, 1, 2].flatMap((round) =>
        Array.from({ length: 10 }, (_, n) => `Round ${round}, text ${n}`),
      )
      expect([...new Set(brought())].sort()).to.deep.equal(wanted.sort())
      expect(
        await context.db('messages').where({ line_id: line.lineId, direction: 'inbound' }),
      ).to.have.length(31)
    })

    it('is used again after it hung, was pulled out and came back; no text is lost or sent twice', async () => {
      const [hung = '', waiting = ''] = numbers(2, 200)
      modem.state.outcomeOf = (to) => (to === hung ? 'hangs' : undefined)
      await post(running.url, line, { toNumber: hung })
      await until('it hangs', () => modem.state.isHung)
      await post(running.url, line, { toNumber: waiting })
      await until('it is unknown', async () =>
        (await outboundMessages(context, line)).some(
          ({ to_number: to, status }) => to === hung && status === 'unknown',
        ),
      )
      await modem.unplug()
      await modem.plug()
      await ended()
      const taken = modem.taken.map(({ to }) => to)
      expect([
        taken.filter((to) => to === hung).length,
        taken.filter((to) => to === waiting).length,
      ]).to.deep.equal([0, 1])
    })

    it('ends when it is told to', async () => {
      await holder.kill('SIGTERM')
      expect(await holder.exitCode).to.equal(0)
    })
  },
)
