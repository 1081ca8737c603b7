import { expect } from 'chai'
import { freePort } from '../../dev/services/free-port.js'
import { inboundOf } from '../../dev/smsc/messages.js'
import { startSmsc } from '../../dev/smsc/server.js'
import { addCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import { connectSmsc, OUTBIND } from '../carriers/smpp/outbind-smsc.js'
import { createLine } from '../helpers/factories.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import { numbers, outboundMessages, postAll, WIDE } from './support/steps.js'

const COUNT = 50

const SETUP = {
  processes: ['web'],
  workers: ['send-message', 'receive-smpp'],
  environment: async () => ({ PORT: String(await freePort()) }),
} as const

describeInstallation('journey: an SMSC of several hosts', SETUP, ({ context, running }) => {
  const people = numbers(COUNT)
  const texts = people.map((toNumber, n) => ({ toNumber, text: `Out ${n}` }))

  const receivedBy = async (lineId: string) =>
    (
      await context
        .db('messages')
        .where({ line_id: lineId, direction: 'inbound' })
        .select<{ from_number: string }[]>('from_number')
    ).map(({ from_number: from }) => from)

  it('takes texts at one and brings them from the other', async () => {
    const takes = await startSmsc({ binds: ['bind_transmitter'] })
    const brings = await startSmsc({ binds: ['bind_receiver'] })
    await addCarrierAccount(context, {
      name: 'hosts',
      kind: 'smpp',
      settings: {
        ...{ host: '127.0.0.1', port: takes.port, systemId: 'linehook', bindAs: 'transmitter-and-receiver' },
        receiverHost: `127.0.0.1:${brings.port}`,
      },
    })
    const line = await createLine(context, { carrierAccount: 'hosts', ...WIDE })
    for (const from of people) brings.bring(inboundOf(from, line.number, 'Hi'))
    await postAll(running.url, line, texts)
    await until('all are sent', async () =>
      (await outboundMessages(context, line)).every(({ status }) => status === 'sent'),
    )
    await until('all are received', () => brings.waitingCount() === 0)
    expect(takes.taken.map(({ to }) => `+${to}`).toSorted()).to.deep.equal(people.toSorted())
    expect(brings.taken).to.deep.equal([])
    expect((await receivedBy(line.lineId)).toSorted()).to.deep.equal(people.toSorted())
    expect([takes.bound(), brings.bound()]).to.deep.equal([['bind_transmitter'], ['bind_receiver']])
    await Promise.all([takes.close(), brings.close()])
  })

  it('connects to us with outbind, and is then used both ways', async () => {
    const port = await freePort()
    await addCarrierAccount(context, {
      name: 'outbind',
      kind: 'smpp',
      settings: {
        ...{ host: '127.0.0.1', systemId: 'linehook' },
        ...{ outbindPort: port, outbindFrom: '127.0.0.1', outbindPassword: OUTBIND.password },
      },
    })
    const line = await createLine(context, { carrierAccount: 'outbind', ...WIDE })
    await postAll(running.url, line, texts)
    await until('it listens', () =>
      running.processes.some((each) => each.log().some(({ msg }) => msg === 'smpp.listening')),
    )
    // One that is just being tried is `sending` for a moment.
    const statuses = (await outboundMessages(context, line)).map(({ status }) => status)
    expect(statuses).to.have.length(COUNT)
    for (const status of statuses) expect(status).to.be.oneOf(['queued', 'sending'])
    const smsc = connectSmsc(port)
    smsc.outbind()
    await until('all are sent', async () =>
      (await outboundMessages(context, line)).every(({ status }) => status === 'sent'),
    )
    expect(smsc.commands().filter((command) => command === 'submit_sm')).to.have.length(COUNT)
    smsc.send('deliver_sm', inboundOf('+15005550101', line.number, 'Hi'))
    await until('it is received', async () => (await receivedBy(line.lineId)).length === 1)
    smsc.close()
  })
})
