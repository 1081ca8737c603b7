import { expect } from 'chai'
import { addCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { sweep } from '../../../src/domain/sweep.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import { makeOverdue, submit, hasMessageJob, messageRow } from '../fixtures.js'

describeContext('what waits to be sent', (context) => {
  let smpp: TestLine
  let accountId: string
  let taken: string[]
  let nextNumber = 1000
  let lane: { close(): Promise<void> } | undefined

  before(async () => {
    const settings = { host: '127.0.0.1', port: 9, systemId: 'linehook' }
    accountId = (await addCarrierAccount(context, { name: 'smsc', kind: 'smpp', settings })).id
    smpp = await createLine(context, { carrierAccount: 'smsc' })
  })
  beforeEach(async () => {
    // What earlier tests left becomes overdue.
    await context.db('messages').delete()
    await context.redis.flushdb()
    taken = []
  })
  afterEach(async () => {
    await lane?.close()
    lane = undefined
  })

  const submitTo = async ({ lineId }: TestLine) => {
    const { messageId } = await submit(context, lineId, { toNumber: `+1415555${nextNumber++}` })
    return messageId ?? ''
  }
  const serve = async () => {
    lane = context.accountLanes.work(accountId, {
      concurrency: 10,
      take: (id) => {
        taken.push(id)
        return Promise.resolve({ wasSent: true })
      },
    })
    await until('it is served', () => context.accountLanes.put(accountId, []))
  }
  const sweepOverdue = async (id: string) => {
    await makeOverdue(context, 'messages', [id])
    return sweep(context)
  }

  it('has a job on a line whose account every worker can send by', async () => {
    const id = await submitTo(await createLine(context))
    await until('it has its job', () => hasMessageJob(context, id, 0))
  })

  it('is in the lane of an account with sessions, and needs no job', async () => {
    await serve()
    const id = await submitTo(smpp)
    await until('it is taken', () => taken.includes(id))
    expect(await hasMessageJob(context, id, 0)).to.be.false
  })

  it('has a job too while no process holds the sessions, so that somebody says so', async () => {
    const id = await submitTo(smpp)
    await until('it has its job', () => hasMessageJob(context, id, 0))
    await serve()
    await until('it is taken', () => taken.includes(id))
  })

  it('comes again by the sweep when Redis has lost the lane, and is left alone while it is there', async () => {
    await serve()
    const id = await submitTo(smpp)
    await until('it is taken', () => taken.includes(id))
    expect(await sweepOverdue(id)).to.equal(1)
    await until('it is taken again', () => taken.length === 2)
    await context.accountLanes.put(accountId, [id], 60_000)
    expect(await sweepOverdue(id)).to.equal(0)
    expect(await messageRow(context, id)).to.include({ status: 'queued', job_generation: 1 })
  })
})
