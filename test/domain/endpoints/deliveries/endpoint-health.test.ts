import { expect } from 'chai'
import {
  disableConnection,
  enableConnection,
  setLineEndpointUrl,
} from '../../../../src/domain/lines/connections.js'
import { enableEndpoint as enableRow, setEndpointUrl } from '../../../../src/database/endpoints/endpoints.js'
import { DatabaseUnavailable } from '../../../../src/database/outage.js'
import type { Context } from '../../../../src/domain/context.js'
import { enableEndpoint } from '../../../../src/domain/endpoints/endpoints.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { openHolder } from '../../../database/hold.js'
import { describeContext } from '../../../helpers/context.js'
import { lineForEachTest, own } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { ago, attemptRows, changeRows, deliveryRow, receiveForDelivery, untilLocked } from '../../fixtures.js'
import { openings } from '../../../helpers/openings.js'

interface Health {
  failing_since: Date | null
  consecutive_failure_count: number
  disabled_at: Date | null
  disabled_reason: string | null
}

const HEALTHY: Health = {
  failing_since: null,
  consecutive_failure_count: 0,
  disabled_at: null,
  disabled_reason: null,
}

describeContext('the health of an endpoint', (context) => {
  const open = openings()
  const receiver = openForEachTest(startReceiver)

  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))

  async function health(): Promise<Health> {
    return context
      .db('endpoints')
      .where({ user_id: line.userId })
      .first<Health>('failing_since', 'consecutive_failure_count', 'disabled_at', 'disabled_reason')
  }

  async function attemptOne(by = context): Promise<string> {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    return (await deliver(by, id, endpointId)).kind
  }

  const answer = (status: number) => {
    receiver.answerWith((response) => response.writeHead(status).end())
  }

  const failingSince = (interval: string) =>
    changeRows(context, 'endpoints', line.endpointId, { failing_since: ago(context, interval) })

  it('notes when an event was first sent to its URL, whatever came of it', async () => {
    const calledAt = async () => {
      const endpoints = context.db('endpoints').where({ user_id: line.userId })
      return (await endpoints.pluck<(Date | null)[]>('called_at'))[0]
    }
    expect(await calledAt()).to.equal(null)
    await attemptOne()
    const first = await calledAt()
    expect(first).to.be.a('date')
    await attemptOne()
    expect(await calledAt()).to.deep.equal(first)
    await setLineEndpointUrl(context, line.userId, line.lineId, receiver.url.replace('events', 'others'))
    expect(await calledAt()).to.equal(null)
    answer(500)
    await attemptOne()
    expect(await calledAt()).to.be.a('date')
  })

  it('notes when it began to fail and how often it did', async () => {
    answer(500)
    await attemptOne()
    const { failing_since: since } = await health()
    expect(since).to.be.a('date')
    await attemptOne()
    expect(await health()).to.deep.equal({ ...HEALTHY, failing_since: since, consecutive_failure_count: 2 })
  })

  it('notes time-outs as every other failure, and is over when there is nothing else for 5 days', async () => {
    const impatient = { ...context, config: { ...context.config, deliveryTimeoutMs: 250 } }
    receiver.answerWith(() => undefined)
    await attemptOne(impatient)
    expect(await health()).to.include({ consecutive_failure_count: 1, disabled_at: null })
    await failingSince('5 days 1 minute')
    await attemptOne(impatient)
    expect(await health()).to.include({ consecutive_failure_count: 2, disabled_reason: 'failing' })
  })

  it('stays when it is enabled although it is not disabled', async () => {
    answer(500)
    await attemptOne()
    const failing = await health()
    expect(failing).to.include({ consecutive_failure_count: 1 })
    await enableEndpoint(context, ...own(line))
    await enableConnection(context, line.userId, line.lineId)
    expect(await health()).to.deep.equal(failing)
  })

  it('is good again after one success', async () => {
    answer(500)
    await attemptOne()
    answer(200)
    await attemptOne()
    expect(await health()).to.deep.equal(HEALTHY)
  })

  it('disables the endpoint when it has only failed for 5 days', async () => {
    answer(500)
    await attemptOne()
    await failingSince('5 days 1 minute')
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    await deliver(context, id, endpointId)
    expect(await deliveryRow(context, id)).to.include({ status: 'held', last_failure: 'http_500' })
    const { disabled_at: at, disabled_reason: reason } = await health()
    expect(at).to.be.a('date')
    expect(reason).to.equal('failing')
    expect(await receiveForDelivery(context, line)).to.include({ status: 'held' })
  })

  it('holds an event that fails after the endpoint was disabled, although its attempt was under way then', async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    receiver.answerWith((response) => {
      void changeRows(context, 'endpoints', line.endpointId, { disabled_at: new Date() }).then(() =>
        response.writeHead(500).end(),
      )
    })
    await deliver(context, id, endpointId)
    expect(await deliveryRow(context, id)).to.include({ status: 'held', last_failure: 'http_500' })
    expect(await attemptRows(context, id)).to.containSubset([{ failure: 'http_500', next_attempt_at: null }])
  })

  it('does not disable it before', async () => {
    answer(500)
    await failingSince('4 days 23 hours')
    await attemptOne()
    expect(await health()).to.include({ disabled_at: null, disabled_reason: null })
  })

  it('ends at once with 410: the endpoint is disabled and the event is held', async () => {
    answer(410)
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    expect(await deliver(context, id, endpointId)).to.deep.equal({ kind: 'held' })
    const { disabled_at: at, disabled_reason: reason } = await health()
    expect(at).to.be.a('date')
    expect(reason).to.equal('gone')
    expect(await deliveryRow(context, id)).to.include({ status: 'held', last_failure: 'http_410' })
    const [attempt] = await attemptRows(context, id)
    expect(attempt).to.include({ response_status: 410, failure: 'http_410', next_attempt_at: null })
    expect(await receiveForDelivery(context, line)).to.include({ status: 'held' })
  })

  it('keeps the first reason for which it was disabled', async () => {
    const disabled = { disabled_at: new Date('2026-01-01T00:00:00Z'), disabled_reason: 'failing' }
    receiver.answerWith((response) => {
      void changeRows(context, 'endpoints', { user_id: line.userId }, disabled).then(() =>
        response.writeHead(410).end(),
      )
    })
    expect(await attemptOne()).to.equal('held')
    expect(await health()).to.include({ disabled_reason: 'failing' })
    expect((await health()).disabled_at).to.deep.equal(disabled.disabled_at)
  })

  it('is not spoilt by what a former URL did', async () => {
    const next = await open(startReceiver())
    receiver.answerWith((response) => {
      void setLineEndpointUrl(context, line.userId, line.lineId, next.url).then(() =>
        response.writeHead(410).end(),
      )
    })
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    expect(await deliver(context, id, endpointId)).to.include({ kind: 'retry', ms: 0 })
    expect(await health()).to.deep.equal(HEALTHY)
    expect(await deliver(context, id, endpointId), 'to the new URL').to.deep.equal({ kind: 'delivered' })
    expect(next.requests).to.have.length(1)
  })

  it('is not spoilt either if the URL is changed while the result is recorded', async () => {
    answer(410)
    const trx = await openHolder(context.db)
    await setEndpointUrl(trx, line.endpointId, 'https://example.com/next')
    const attempted = attemptOne()
    await untilLocked(context)
    await trx.commit()
    await attempted
    expect(await health()).to.deep.equal(HEALTHY)
  })

  it('is that of an endpoint that somebody enables while a failure is recorded', async () => {
    const trx = await openHolder(context.db)
    receiver.answerWith((response) => {
      const disabled = { disabled_at: new Date(), disabled_reason: 'failing' }
      void changeRows(context, 'endpoints', line.endpointId, disabled)
        .then(() => failingSince('5 days 1 minute'))
        .then(() => enableRow(trx, line.endpointId))
        .then(() => response.writeHead(500).end())
    })
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    const delivering = deliver(context, id, endpointId)
    await untilLocked(context)
    await trx.commit()
    await delivering
    expect(await health()).to.include({ disabled_at: null, disabled_reason: null })
    expect(await deliveryRow(context, id)).to.include({ status: 'pending', last_failure: 'http_500' })
  })

  it('counts a failure once, if the answer to the statement that records it is lost', async () => {
    answer(500)
    let lost = 0
    const forgetful: Context = {
      ...context,
      batched: {
        ...context.batched,
        deliverNext: async (step) => {
          const answered = await context.batched.deliverNext(step)
          if (step.result === undefined || lost > 0) return answered
          lost += 1
          throw new DatabaseUnavailable('lost', new Error('no answer'))
        },
      },
    }
    await attemptOne(forgetful)
    expect(lost).to.equal(1)
    expect(await health()).to.include({ consecutive_failure_count: 1 })
  })

  describe('when the endpoint takes no events', () => {
    it('holds a delivery that was pending before it was disabled, without an attempt', async () => {
      const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
      await changeRows(context, 'endpoints', endpointId, {
        disabled_at: context.db.fn.now(),
        disabled_reason: 'failing',
      })
      expect(await deliver(context, id, endpointId)).to.deep.equal({ kind: 'held' })
      expect(await deliveryRow(context, id)).to.include({
        status: 'held',
        attempt_count: 0,
        round_attempt_count: 0,
        lease_until: null,
      })
      expect(receiver.requests).to.deep.equal([])
      expect(await attemptRows(context, id)).to.deep.equal([])
    })

    it('holds a delivery when the developer connection was disabled in between', async () => {
      const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
      await disableConnection(context, line.userId, line.lineId)
      expect(await deliver(context, id, endpointId)).to.deep.equal({ kind: 'held' })
      expect(await deliveryRow(context, id)).to.include({ status: 'held', attempt_count: 0 })
      expect(receiver.requests).to.deep.equal([])
    })
  })
})
