import { expect } from 'chai'
import { receiveForDelivery, receiveManyForDelivery } from '../domain/fixtures.js'
import { createLine } from '../helpers/factories.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from '../journeys/support/installation.js'

const SETUP = {
  processes: ['deliver-event'],
  environment: { DELIVER_CONCURRENCY: '2', DELIVERY_TIMEOUT_MS: '2000' },
} as const

describeInstallation('a process that delivers events', SETUP, ({ context, receiver, running }) => {
  const hanging = openForSuite(startReceiver)

  it('logs its limits by what they limit, the requests first', () => {
    const [started] = running.processes[0]?.log().filter(({ msg }) => msg === 'process.started') ?? []
    expect(started).to.include({ requests: 2, endpoints: 4 }).and.not.to.have.property('concurrency')
  })

  it('gives each endpoint its turn, even if more hang than it works on at a time', async () => {
    hanging.answerWith(() => undefined)
    for (let n = 0; n < 7; n += 1) {
      await receiveManyForDelivery(context, await createLine(context, { outgoingUrl: hanging.url }), 6)
    }
    await until('its places are taken', () => hanging.requests.length >= 2)
    await receiveForDelivery(context, await createLine(context, { outgoingUrl: receiver.url }))
    await until('the last one gets its event', () => receiver.requests.length === 1)
    expect(hanging.requests.length, 'two of each at most').to.be.below(15)
    hanging.answerWith((response) => response.end())
    await until('all are delivered', async () => {
      const [left] = await context.db('deliveries').whereNot({ status: 'delivered' }).limit(1)
      return left === undefined
    })
  })
})
