import { expect } from 'chai'
import { MAX_LOST, CRASH_WAIT_MS, MAX_CRASHES } from '../../src/domain/crashes.js'
import { createContext } from '../../src/domain/open-context.js'
import { deliver } from '../../src/domain/endpoints/deliveries/deliver.js'
import { createLeases, LEASE_MS, stopLeases } from '../../src/domain/leases.js'
import { sendMessage, countMessageCrash } from '../../src/domain/messages/send.js'
import { sweep } from '../../src/domain/sweep.js'
import { newId } from '../../src/ids.js'
import { whenReady } from '../../src/kit/redis/redis.js'
import { renewLeases } from '../../src/database/claims.js'
import { recordDeliveryCrash } from '../../src/database/endpoints/deliveries/stranded.js'
import { openHolder } from '../database/hold.js'
import { describeContext } from '../helpers/context.js'
import { lineForEachTest } from '../helpers/factories.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import {
  ahead,
  changeRows,
  UNLIMITED,
  attemptRows,
  claimDelivery,
  claimMessage,
  countWaitingForLocks,
  deliveryRow,
  hasDeliveryJob,
  hasMessageJob,
  loseWorker,
  messageRow,
  queueMessages,
  receiveForDelivery,
  withCarrier,
  BEN,
  queueMessage,
  addCopies,
  ago,
  createWithoutRedis,
} from './fixtures.js'
import { openings } from '../helpers/openings.js'

/** The claim of a row that was claimed once. */
const firstOf = ({ id }: { id: string }) => ({ id, attempt: 1 })

describeContext('the sweep for leases of lost workers', (context) => {
  const open = openings()
  const receiver = openForSuite(startReceiver)

  beforeEach(async () => {
    // What earlier tests left is nothing to sweep any more: leases end, and what is queued becomes overdue.
    await context.db('messages').delete()
    await context.db('deliveries').delete()
  })
  const line = lineForEachTest(context, () => ({ ...UNLIMITED, outgoingUrl: receiver.url }))

  it('makes a message unknown, because perhaps it was sent, and hands its number to the next', async () => {
    const [lost, next, last] = await queueMessages(context, line, 3)
    await claimMessage(context, lost!)
    expect(await sendMessage(context, next!)).to.deep.equal({ kind: 'behind' })
    await loseWorker(context, 'messages', [lost!])
    expect(await sweep(context)).to.equal(1)

    expect(await messageRow(context, lost!)).to.include({
      status: 'unknown',
      error: 'worker_lost',
      attempt_count: 1,
      lease_until: null,
    })
    expect(await hasMessageJob(context, lost!, 1)).to.equal(false)
    expect(await hasMessageJob(context, next!, 1)).to.equal(true)
    expect(await messageRow(context, last!)).to.include({ job_generation: 0 })
    expect(await sendMessage(context, lost!)).to.deep.equal({ kind: 'skipped' })
    expect(await sendMessage(context, next!)).to.deep.equal({ kind: 'sent' })
  })

  it('leaves a message alone whose lease lasts', async () => {
    const [sending] = await queueMessages(context, line, 1)
    await claimMessage(context, sending!)
    await sweep(context)
    const row = await messageRow(context, sending!)
    expect(row).to.include({ status: 'sending' })
    expect(row.lease_until!.getTime() - row.claimed_at!.getTime()).to.be.closeTo(LEASE_MS.messages, 100)
  })

  it('leaves a message alone whose carrier takes longer than a lease, since its worker renews it', async () => {
    const [id] = await queueMessages(context, line, 1)
    const leases = createLeases(context.db, context.log, { ...LEASE_MS, messages: 4000 })
    const slow = withCarrier({ ...context, leases }, async () => {
      // It is renewed each second: for 4 seconds, so that a renewal may come late on a busy machine.
      await changeRows(context, 'messages', id!, { lease_until: ahead(context, '3 seconds') })
      const { lease_until: first } = await messageRow(context, id!)
      await until('the first lease is over', () => Date.now() > first!.getTime() + 100)
      await sweep(context)
      expect(await messageRow(context, id!)).to.include({ status: 'sending' })
      return { carrierMessageId: newId() }
    })
    try {
      expect(await sendMessage(slow, id!)).to.deep.equal({ kind: 'sent' })
    } finally {
      await stopLeases(leases)
    }
  })

  it('renews none of an attempt that was lost: the next one of the row may be lost too', async () => {
    const row = await receiveForDelivery(context, line)
    await claimDelivery(context, row.id)
    const leaseEnd = async () => (await deliveryRow(context, row.id)).lease_until
    const first = await leaseEnd()
    await renewLeases(context.db, 'deliveries', [{ id: row.id, attempt: 0 }], 3_600_000)
    expect(await leaseEnd()).to.deep.equal(first)
    await renewLeases(context.db, 'deliveries', [firstOf(row)], 3_600_000)
    expect(await leaseEnd()).to.be.above(first!)
    await changeRows(context, 'deliveries', row.id, { status: 'delivered' })
  })

  it('renews those that nobody has locked before it waits for the others', async () => {
    const [locked, free] = [await receiveForDelivery(context, line), await receiveForDelivery(context, line)]
    for (const { id } of [locked, free]) await claimDelivery(context, id)
    const isRenewed = async ({ id }: { id: string }) =>
      (await deliveryRow(context, id)).lease_until!.getTime() > Date.now() + 60_000
    const trx = await openHolder(context.db)
    await trx('deliveries').where({ id: locked.id }).forUpdate().first('id')
    const renewing = renewLeases(context.db, 'deliveries', [locked, free].map(firstOf), 3_600_000)
    await until('it waits for the lock', async () => (await countWaitingForLocks(context)) === 1)
    const wasFreeRenewed = await isRenewed(free)
    await trx.commit()
    await renewing
    expect(wasFreeRenewed).to.equal(true)
    expect(await isRenewed(locked)).to.equal(true)
    for (const { id } of [locked, free]) await changeRows(context, 'deliveries', id, { status: 'delivered' })
  })

  it('renews the others again and again while one stays locked', async () => {
    const rows = [await receiveForDelivery(context, line), await receiveForDelivery(context, line)]
    for (const { id } of rows) await claimDelivery(context, id)
    const [locked, free] = rows
    const leases = createLeases(context.db, context.log, { ...LEASE_MS, deliveries: 4000 })
    let end: () => void = () => undefined
    const isOver = new Promise<void>((resolve) => (end = resolve))
    const trx = await openHolder(context.db)
    try {
      await trx('deliveries').where({ id: locked!.id }).forUpdate().first('id')
      for (const row of rows) void leases.deliveries.during(firstOf(row), () => isOver)
      // The first renewal comes after one or two beats of a second, and its lease ends 4 s later.
      const since = performance.now()
      await until('the first renewed lease would be over', () => performance.now() - since > 7000)
      const { lease_until: leaseEnd } = await deliveryRow(context, free!.id)
      expect(leaseEnd!.getTime()).to.be.greaterThan(Date.now())
    } finally {
      end()
      await trx.rollback()
      await stopLeases(leases)
    }
    for (const { id } of rows) await changeRows(context, 'deliveries', id, { status: 'delivered' })
  })

  it('puts a delivery back to pending, with the attempt on record, and delivers the same event', async () => {
    const delivery = await receiveForDelivery(context, line)
    await claimDelivery(context, delivery.id)
    await loseWorker(context, 'deliveries', [delivery.id])
    expect(await sweep(context)).to.equal(1)

    expect(await deliveryRow(context, delivery.id)).to.include({
      status: 'pending',
      attempt_count: 1,
      round_attempt_count: 0,
      crash_count: 0,
      lost_count: 1,
      last_failure: 'worker_lost',
      job_generation: 1,
      lease_until: null,
    })
    expect(await hasDeliveryJob(context, delivery.id, 1)).to.equal(true)
    expect(await deliver(context, delivery.id, delivery.endpoint_id)).to.deep.equal({ kind: 'delivered' })
    expect(receiver.requests.at(-1)!.headers['webhook-id']).to.equal(delivery.event_id)
    const attempts = await attemptRows(context, delivery.id)
    expect(attempts.map(({ attempt_number: number, failure }) => [number, failure])).to.deep.equal([
      [1, 'worker_lost'],
      [2, null],
    ])
  })

  it(`claims a delivery that has lost ${MAX_LOST} workers only where it is alone, and none of them counts as its crash`, async () => {
    const delivery = await receiveForDelivery(context, line)
    for (let n = 1; n <= MAX_LOST; n += 1) {
      expect(await claimDelivery(context, delivery.id)).to.include({ attemptNumber: n })
      await loseWorker(context, 'deliveries', [delivery.id])
      expect(await sweep(context)).to.equal(1)
    }
    expect(await deliver(context, delivery.id, delivery.endpoint_id)).to.deep.equal({ kind: 'suspect' })
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'pending', crash_count: 0 })

    const alone = open(createContext(context.config, { process: 'alone', isAlone: true }))
    await whenReady(alone.redis)
    expect(await deliver(alone, delivery.id, delivery.endpoint_id)).to.deep.equal({ kind: 'delivered' })
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'delivered', lost_count: 0 })
  })

  it('goes on batch after batch', async () => {
    const { id } = await receiveForDelivery(context, line)
    const lost = { status: 'delivering', attempt_count: 1, round_attempt_count: 1 }
    await changeRows(context, 'deliveries', id, { ...lost, lease_until: ago(context, '1 hour') })
    await addCopies(context, 'deliveries', id, 1499, { lease_until: 'now() - make_interval(secs => n)' })
    expect(await sweep(context)).to.equal(1500)
    expect(await context.db('deliveries').whereNot({ status: 'pending' })).to.deep.equal([])
  })

  it('goes on while Redis is down', async () => {
    const away = await open(createWithoutRedis(context))
    const [lost, next] = await queueMessages(context, line, 2)
    await claimMessage(context, lost!)
    const delivery = await receiveForDelivery(context, line)
    await claimDelivery(context, delivery.id)
    await loseWorker(context, 'messages', [lost!])
    await loseWorker(context, 'deliveries', [delivery.id])

    await sweep(away)
    expect(await messageRow(context, lost!)).to.include({ status: 'unknown' })
    expect(await messageRow(context, next!)).to.include({ status: 'queued', job_generation: 1 })
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'pending', job_generation: 1 })
  })

  describe('a row whose job crashes', () => {
    it(`is tried again ${MAX_CRASHES - 1} times; with the next crash a message fails`, async () => {
      const id = await queueMessage(context, line)
      for (let n = 1; n < MAX_CRASHES; n += 1) {
        expect(await countMessageCrash(context, id)).to.equal(false)
        expect(await messageRow(context, id)).to.include({ status: 'queued', crash_count: n, error: null })
      }
      expect(await countMessageCrash(context, id)).to.equal(true)
      expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'internal_error' })
    })

    it('gives the next message to its number a job when it is given up', async () => {
      const id = await queueMessage(context, line, { to_number: BEN, crash_count: MAX_CRASHES - 1 })
      const next = await queueMessage(context, line, { to_number: BEN })
      expect(await countMessageCrash(context, id)).to.equal(true)
      await until('the next has a job', () => hasMessageJob(context, next, 1))
    })

    it(`is tried again ${MAX_CRASHES - 1} times; with the next crash a delivery is exhausted`, async () => {
      const { id } = await receiveForDelivery(context, line)
      for (let n = 1; n < MAX_CRASHES; n += 1) {
        expect(await recordDeliveryCrash(context.db, { id }, MAX_CRASHES, CRASH_WAIT_MS)).to.equal(false)
        expect(await deliveryRow(context, id)).to.include({ status: 'pending', crash_count: n })
      }
      expect(await recordDeliveryCrash(context.db, { id }, MAX_CRASHES, CRASH_WAIT_MS)).to.equal(true)
      expect(await deliveryRow(context, id)).to.include({
        status: 'exhausted',
        last_failure: 'internal_error',
      })
    })

    for (const status of ['sending', 'sent', 'unknown', 'failed']) {
      it(`is left as it is when it is a message that is ${status}`, async () => {
        const id = await queueMessage(context, line, { status, crash_count: 4 })
        expect(await countMessageCrash(context, id)).to.equal(false)
        expect(await messageRow(context, id)).to.include({ status, crash_count: 4 })
      })
    }

    it('ends the attempt of a delivery that was under way', async () => {
      const { id } = await receiveForDelivery(context, line)
      await changeRows(context, 'deliveries', id, { status: 'delivering' })
      expect(await recordDeliveryCrash(context.db, { id }, MAX_CRASHES, CRASH_WAIT_MS)).to.equal(false)
      expect(await deliveryRow(context, id)).to.include({
        status: 'pending',
        crash_count: 1,
        lease_until: null,
      })
    })

    it('counts once, and ends no later attempt, if the attempt is known', async () => {
      const { id } = await receiveForDelivery(context, line)
      const crash = async (attemptNumber: number) =>
        recordDeliveryCrash(context.db, { id, attemptNumber }, MAX_CRASHES, 0)
      await claimDelivery(context, id)
      for (let n = 0; n < 2; n += 1) expect(await crash(1)).to.equal(false)
      expect(await deliveryRow(context, id)).to.include({ status: 'pending', crash_count: 1 })
      await claimDelivery(context, id)
      await crash(1)
      expect(await deliveryRow(context, id)).to.include({ status: 'delivering', crash_count: 1 })
    })

    for (const status of ['delivered', 'held']) {
      it(`is left as it is when it is a delivery that is ${status}`, async () => {
        const { id } = await receiveForDelivery(context, line)
        await changeRows(context, 'deliveries', id, { status, crash_count: 4 })
        expect(await recordDeliveryCrash(context.db, { id }, MAX_CRASHES, CRASH_WAIT_MS)).to.equal(false)
        expect(await deliveryRow(context, id)).to.include({ status, crash_count: 4, last_failure: null })
      })
    }
  })
})
