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

  it('comes back to an endpoint when its next event is due, whatever job it came by', async () => {
    // It comes again in an hour, and so not before this test wants it.
    receiver.answerWith((response) => response.writeHead(503, { 'retry-after': '3600' }).end())
    const delivery = await receiveForDelivery(
      context,
      await createLine(context, { outgoingUrl: receiver.url }),
    )
    await until('the first attempt has failed', async () => {
      const [row] = await context
        .db('deliveries')
        .where({ id: delivery.id })
        .select('status', 'attempt_count')
      return row.status === 'pending' && row.attempt_count === 1
    })
    receiver.answerWith((response) => response.end())
    const { deliverEvent } = context.queues
    await until('it has its job', async () => (await deliverEvent.getDelayedCount()) > 0)
    // As if its timed job had come early, while the lane was at work: it has ended with nothing to do.
    for (const job of await deliverEvent.getDelayed()) await job.remove()
    await context
      .db('deliveries')
      .where({ id: delivery.id })
      .update({ due_at: context.db.raw(`clock_timestamp() + interval '1 second'`) })
    await context.queues.wakeLanes([{ endpointId: delivery.endpoint_id, id: delivery.id }])
    await until('it is delivered', async () => {
      const [row] = await context.db('deliveries').where({ id: delivery.id }).select('status')
      return row.status === 'delivered'
    })
    receiver.requests.splice(0)
  })

  it('gives each endpoint its turn, even if more hang than it works on at a time', async () => {
    hanging.answerWith(() => undefined)
    for (let n = 0; n < 7; n += 1) {
      await receiveManyForDelivery(context, await createLine(context, { outgoingUrl: hanging.url }), 6)
    }
    await until('its places are taken', () => hanging.requests.length >= 2)
    const line = await createLine(context, { outgoingUrl: receiver.url })
    let begun = Infinity
    let begunMeanwhile: number | undefined
    receiver.answerWith((response) => {
      begunMeanwhile ??= hanging.requests.length - begun
      response.end()
    })
    await receiveForDelivery(context, line)
    begun = hanging.requests.length
    await until('the last one gets its event', () => begunMeanwhile !== undefined)
    expect(begunMeanwhile, 'two of each at most').to.be.below(15)
    hanging.answerWith((response) => response.end())
    await until('all are delivered', async () => {
      const left = context.db('deliveries').whereNot({ status: 'delivered' })
      // What failed several times, on a busy machine, would be tried again only in minutes.
      await left.clone().where({ status: 'pending' }).update({ due_at: context.db.fn.now() })
      const lanes = await left
        .clone()
        .distinctOn('endpoint_id')
        .select<{ id: string; endpointId: string }[]>({
          ...{ id: 'id', endpointId: 'endpoint_id' },
        })
      await context.queues.wakeLanes(lanes)
      return lanes.length === 0
    })
  })
})
