import { expect } from 'chai'
import { Unavailable } from '../../../../src/errors.js'
import type { Context } from '../../../../src/domain/context.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { describeContext } from '../../../helpers/context.js'
import { failure } from '../../../helpers/failure.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { loseWorker, messageRow, queueMessage, sendWhenDue, UNLIMITED, withCarrier } from '../../fixtures.js'
import { sweep } from '../../../../src/domain/sweep.js'

describeContext('a worker that is late', (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, UNLIMITED)
  })

  /** Between the claim and its answer something happens. */
  function afterClaim(what: (id: string) => Promise<unknown>): Context {
    const claimMessage: Context['batched']['claimMessage'] = async (request) => {
      const answer = await context.batched.claimMessage(request)
      await what(request.id)
      return answer
    }
    const carrierless = withCarrier(context, () => {
      throw new Error('the carrier was called')
    })
    return { ...carrierless, batched: { ...context.batched, claimMessage } }
  }

  it('because it was stopped after its claim gives the message back unsent, also when its lease is over', async () => {
    const id = await queueMessage(context, line)
    const realNow = performance.now.bind(performance)
    const stopped = afterClaim(async () => {
      await loseWorker(context, 'messages', [id])
      await sweep(context)
      expect(await messageRow(context, id)).to.include({ status: 'unknown' })
      performance.now = () => realNow() + 30_000
    })
    try {
      expect(await sendMessage(stopped, id)).to.deep.equal({ kind: 'wait', ms: 0, reason: 'too_late' })
    } finally {
      performance.now = realNow
    }
    expect(await messageRow(context, id)).to.include({
      status: 'queued',
      attempt_count: 0,
      handed_over_at: null,
    })
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
  })

  it('leaves it unknown when the next one to the number was sent meanwhile: it would come out of order', async () => {
    const [first, second] = [await queueMessage(context, line), await queueMessage(context, line)]
    const realNow = performance.now.bind(performance)
    const stopped = afterClaim(async () => {
      await loseWorker(context, 'messages', [first])
      await sweep(context)
      expect(await sendMessage(context, second)).to.deep.equal({ kind: 'sent' })
      performance.now = () => realNow() + 30_000
    })
    try {
      expect(await sendMessage(stopped, first)).to.include({ reason: 'too_late' })
    } finally {
      performance.now = realNow
    }
    expect(await messageRow(context, first)).to.include({ status: 'unknown', error: 'worker_lost' })
  })

  it('because the answer to its claim was lost gives the message back', async () => {
    const id = await queueMessage(context, line)
    const lost = afterClaim(() => Promise.reject(new Unavailable('Postgres is not available')))
    expect(await failure(sendMessage(lost, id))).to.be.instanceOf(Unavailable)
    expect(await messageRow(context, id)).to.include({ status: 'queued', attempt_count: 0 })
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
  })

  it('does not take a message that another one has claimed since', async () => {
    const id = await queueMessage(context, line)
    let taken = ''
    const late = afterClaim(async () => {
      const { claim_id: claim } = await messageRow(context, id)
      const back = { id, claim: claim!, status: 'queued' } as const
      await context.batched.settleMessage(back)
      taken = (await sendWhenDue(context, id)).kind
      throw new Unavailable('Postgres is not available')
    })
    await failure(sendMessage(late, id))
    expect(taken).to.equal('sent')
    expect(await messageRow(context, id)).to.include({ status: 'sent' })
  })

  it('or early does nothing with a message whose time has not come by Postgres’s clock', async () => {
    const id = await queueMessage(context, line, {
      not_before: context.db.raw(`now() + interval '1 minute'`),
    })
    const outcome = await sendMessage(context, id)
    if (outcome.kind !== 'wait') throw new Error(outcome.kind)
    expect(outcome).to.include({ reason: 'early' })
    expect(outcome.ms).to.be.within(50_000, 60_000)
    expect(await messageRow(context, id)).to.include({ status: 'queued', attempt_count: 0 })
  })
})
