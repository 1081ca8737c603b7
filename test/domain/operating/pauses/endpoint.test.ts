import { expect } from 'chai'
import { findConnection } from '../../../../src/database/lines/developer-connections.js'
import { MAX_LOST } from '../../../../src/domain/crashes.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { sendHeldEvents } from '../../../../src/domain/endpoints/deliveries/held-events.js'
import { getEndpoint, type Endpoint } from '../../../../src/domain/endpoints/endpoints.js'
import { runLane } from '../../../../src/domain/endpoints/deliveries/lane.js'
import { COMMAND_LINE, pauseEndpoint, resumeEndpoint } from '../../../../src/domain/operating/pauses.js'
import { sweep } from '../../../../src/domain/sweep.js'
import { describeContext } from '../../../helpers/context.js'
import { lineForEachTest, own } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForSuite } from '../../../helpers/suite.js'
import {
  changeRows,
  ago,
  attemptRows,
  claimDelivery,
  deliveryRow,
  hasLaneJob,
  makeOverdue,
  receiveForDelivery,
  receiveManyForDelivery,
} from '../../fixtures.js'

describeContext('while an endpoint is paused', (context) => {
  const receiver = openForSuite(startReceiver)
  let endpoint: Endpoint

  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))
  beforeEach(async () => {
    await context.db('deliveries').delete()
    await context.redis.flushdb()
    receiver.requests.length = 0
    receiver.answerWith((response) => response.end())
    endpoint = await getEndpoint(context, ...own(line))
    await pauseEndpoint(context, COMMAND_LINE, endpoint)
  })

  const resume = () => resumeEndpoint(context, COMMAND_LINE, endpoint)

  it('its events wait, use up no attempt, and their jobs are over', async () => {
    const { id } = await receiveForDelivery(context, line)
    expect(await runLane(context, endpoint.id, id)).to.equal(undefined)
    expect(await deliveryRow(context, id)).to.include({
      status: 'pending',
      attempt_count: 0,
      last_failure: null,
    })
    expect(await attemptRows(context, id)).to.deep.equal([])
    expect(receiver.requests).to.have.length(0)
  })

  it('the sweep leaves its lane alone', async () => {
    const { id } = await receiveForDelivery(context, line)
    await context.redis.flushdb()
    await makeOverdue(context, 'deliveries', [id])
    expect(await sweep(context)).to.equal(0)
    expect(await hasLaneJob(context, endpoint.id)).to.equal(false)
    await resume()
    expect(await sweep(context), 'soon after its end it wakes it').to.equal(1)
  })

  it('its end has the sweep wake the lane, which delivers all in order', async () => {
    const rows = await receiveManyForDelivery(context, line, 5)
    // More at once may overtake each other on the way.
    await changeRows(context, 'endpoints', endpoint.id, { policy: { requestsAtOnce: 1 } })
    await context.redis.flushdb()
    await makeOverdue(context, 'deliveries', [rows[0]!.id])
    await resume()
    expect(await sweep(context)).to.equal(1)
    await runLane(context, endpoint.id, rows[0]!.id)
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).to.deep.equal(
      rows.map(({ event_id: eventId }) => eventId),
    )
  })

  it('a request that is under way ends, and brings no next one', async () => {
    await resume()
    const [first, second] = await receiveManyForDelivery(context, line, 2)
    await changeRows(context, 'endpoints', endpoint.id, { places: 1 })
    receiver.answerWith((response) => {
      void pauseEndpoint(context, COMMAND_LINE, endpoint).then(() => response.end())
    })
    await runLane(context, endpoint.id, first!.id)
    expect(await deliveryRow(context, first!.id)).to.include({ status: 'delivered' })
    expect(await deliveryRow(context, second!.id)).to.include({ status: 'pending', attempt_count: 0 })
    expect(receiver.requests).to.have.length(1)
  })

  it('held events that are sent wait too', async () => {
    const { id } = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', id, { status: 'held' })
    expect(await sendHeldEvents(context, ...own(line))).to.equal(1)
    await runLane(context, endpoint.id, id)
    expect(await deliveryRow(context, id)).to.include({ status: 'pending', attempt_count: 0 })
  })

  it('the job of a suspect looks again later, because no lane would bring it, and starts no process until then', async () => {
    const { id } = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', id, { lost_count: MAX_LOST })
    expect(await deliver(context, id, endpoint.id)).to.deep.equal({ kind: 'early', ms: 30_000 })
    await resume()
    expect(await deliver(context, id, endpoint.id)).to.deep.equal({ kind: 'suspect' })
  })

  it('the time does not count for an endpoint that only fails', async () => {
    const daysAgo = (days: number) => context.db.raw(`now() - make_interval(days => ?)`, [days])
    await changeRows(context, 'endpoints', endpoint.id, { failing_since: daysAgo(6), paused_at: daysAgo(4) })
    await resume()
    const { endpointFailingSince } = (await findConnection(context.db, line.userId, line.lineId))!
    const days = (Date.now() - endpointFailingSince!.getTime()) / 86_400_000
    expect(days).to.be.within(1.9, 2.1)
  })

  it('a delivery of a lost worker waits too', async () => {
    await resume()
    const { id } = await receiveForDelivery(context, line)
    await claimDelivery(context, id)
    await pauseEndpoint(context, COMMAND_LINE, endpoint)
    await changeRows(context, 'deliveries', id, { lease_until: ago(context, '1 s') })
    await sweep(context)
    await runLane(context, endpoint.id, id)
    expect(await deliveryRow(context, id)).to.include({ status: 'pending', attempt_count: 1, lost_count: 1 })
    expect(receiver.requests).to.have.length(0)
  })
})
