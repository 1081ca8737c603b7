import { expect } from 'chai'
import { findEvents } from '../../../src/domain/endpoints/deliveries/delivery-history.js'
import { newId } from '../../../src/ids.js'
import { deliveryRow, receiveForDelivery } from '../../domain/fixtures.js'
import { createLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { expectAnswer, expectProblem, ownerForEachTest, serveApi } from './support.js'
import { messageOfEvent } from '../support.js'

describeWith('POST /v1/lines/…/events/attempts', serveApi, (api) => {
  const { line, client } = ownerForEachTest(api, { outgoingUrl: 'http://127.0.0.1:9/' })

  const path = () => `/v1/lines/${line.lineId}/events/attempts`
  const given = (eventId: string, more = {}) => ({
    ...{ eventId, startedAt: '2026-01-31T12:00:00.123Z', durationMs: 12, responseStatus: 418 },
    ...more,
  })
  const record = async (...attempts: object[]) => expectAnswer(await client.post(path(), { attempts }))

  it('records a listener’s response once, and changes nothing else', async () => {
    const delivery = await receiveForDelivery(api.context, line)
    const { event_id: eventId, id } = delivery
    const messageId = await messageOfEvent(api.context, eventId)
    const failed = given(eventId, {
      ...{ startedAt: '2026-01-31T12:00:01Z', responseStatus: null, failure: 'ECONNREFUSED' },
    })
    expect(await record(given(eventId), failed)).to.deep.equal({ recorded: 2 })
    expect(await record(given(eventId))).to.deep.equal({ recorded: 0 })
    const [event] = await findEvents(api.context, line.userId, messageId)
    const [first, second] = event?.listenerAttempts ?? []
    expect(first).to.deep.equal({
      ...{ eventId, durationMs: 12, responseStatus: 418, failure: null },
      startedAt: new Date('2026-01-31T12:00:00.123Z'),
    })
    expect(second).to.include({ responseStatus: null, failure: 'ECONNREFUSED' })
    expect(await deliveryRow(api.context, id)).to.deep.equal(delivery)
  })

  it('ignores events of other lines and unknown events', async () => {
    const stranger = await createLine(api.context, { outgoingUrl: 'http://127.0.0.1:9/' })
    const { event_id: foreign } = await receiveForDelivery(api.context, stranger)
    expect(await record(given(foreign), given(newId()))).to.deep.equal({ recorded: 0 })
  })

  it('explains errors', async () => {
    const id = newId()
    for (const [body, said] of [
      [{}, /attempts must be a list of 1 to 100/],
      [{ attempts: 'x' }, /attempts must be a list/],
      [{ attempts: [] }, /attempts must be a list/],
      [{ attempts: ['x'] }, /attempts must be a list/],
      [{ attempts: Array.from({ length: 101 }, () => given(id)) }, /attempts must be a list/],
      [{ attempts: [given('x')] }, /eventId must be the ID of an event/],
      [{ attempts: [given(id, { startedAt: 'noon' })] }, /startedAt must be a time such as/],
      [{ attempts: [given(id, { durationMs: -1 })] }, /durationMs must be a whole number/],
      [{ attempts: [given(id, { responseStatus: 99 })] }, /responseStatus must be a whole number/],
      [{ attempts: [given(id, { failure: 'a b' })] }, /failure must be a name/],
    ] as const) {
      expectProblem(await client.post(path(), body), 400, said)
    }
  })
})
