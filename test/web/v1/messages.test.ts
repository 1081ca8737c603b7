import { expect } from 'chai'
import { CARRIER_REASONS } from '../../../src/carrier-reasons.js'
import { newId } from '../../../src/ids.js'
import { describeWith } from '../../helpers/suite.js'
import { ANNA, BEN, inboundText, queueMessage } from '../../domain/fixtures.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { createOwner, expectAnswer, expectProblem, ownerForEachTest, serveApi } from './support.js'

interface Message {
  id: string
  createdAt: string
  [field: string]: unknown
}

describeWith('/v1/messages', serveApi, (api) => {
  const { line, client } = ownerForEachTest(api)

  const list = async (query = '') => expectAnswer(await client.get(`/v1/messages${query}`)) as Message[]
  const idsOf = async (query: string) => (await list(query)).map(({ id }) => id)
  const queue = (overrides: Record<string, unknown> = {}) => queueMessage(api.context, line, overrides)

  it('are returned as CSV, all matching rows instead of a page, if the client accepts only CSV', async () => {
    const hostile = await queue({ text: '=cmd()', to_number: BEN })
    const ids = [hostile]
    for (let n = 0; n < 3; n += 1) ids.unshift(await queue({ to_number: BEN }))
    await queue({ to_number: ANNA })
    const asked = `/v1/messages?number=${encodeURIComponent(BEN)}&limit=1`
    const { status, text, headers } = await client.get(asked, { Accept: 'text/csv' })
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/csv; charset=utf-8'])
    expect(headers.get('content-disposition')).to.match(/filename="linehook-messages-[\d-]+\.csv"/)
    const [head, ...rows] = text.trim().split('\n')
    expect(head).to.match(/^id,lineId,/)
    expect(rows.map((row) => row.split(',')[0])).to.deep.equal(ids)
    expect(rows.at(-1))
      .to.include("'=cmd()")
      .and.match(/,\d{4}-\d\d-\d\dT[\d:.]+Z,/)
    for (const accept of ['*/*', 'application/json, text/csv']) {
      expect((await client.get(asked, { Accept: accept })).headers.get('content-type')).to.match(/json/)
    }
    const wrong = await client.get('/v1/messages?limit=0', { Accept: 'text/csv' })
    expect(wrong.status).to.equal(400)
  })

  it('are returned in full', async () => {
    const id = await queue({ text: '<script>' })
    const message = expectAnswer(await client.get(`/v1/messages/${id}`)) as Message
    expect(message).to.deep.equal({
      id,
      lineId: line.lineId,
      direction: 'outbound',
      source: 'webhook',
      applicationId: null,
      type: 'text',
      fromNumber: line.number,
      toNumber: ANNA,
      text: '<script>',
      encoding: 'GSM-7',
      segmentCount: 1,
      mediaUrl: null,
      mediaUrls: [],
      media: [],
      status: 'queued',
      error: null,
      carrierCode: null,
      carrierCodeMeaning: null,
      attemptCount: 0,
      carrierMessageId: null,
      carrierAccount: null,
      carrierOptions: null,
      carrierSegmentCount: null,
      price: null,
      currency: null,
      passedOver: null,
      againOf: null,
      clientRef: null,
      sendAt: null,
      expiresAt: null,
      createdAt: message.createdAt,
      sentAt: null,
      receiptAt: null,
    })
    expect(Date.parse(message.createdAt)).to.be.closeTo(Date.now(), 60_000)
    expect(await list()).to.deep.equal([message])
  })

  it('explain a known carrier code, by the account that reported it', async () => {
    const { db } = api.context
    await db('carrier_accounts').insert({ id: newId(), name: 'twilio-main', kind: 'twilio' })
    const failed = (carrier: string | null, carrier_code: string | null) =>
      queue({ status: 'failed', error: 'unreachable', carrier, carrier_code })
    const meanings = await Promise.all(
      [
        await failed('twilio-main', '30003'),
        await failed('twilio-main', '39999'),
        await failed('simulator', '30003'),
        await failed(null, '30003'),
        await failed('twilio-main', null),
      ].map(
        async (id) => (expectAnswer(await client.get(`/v1/messages/${id}`)) as Message).carrierCodeMeaning,
      ),
    )
    expect(meanings).to.deep.equal([
      { reason: 'unreachable', text: CARRIER_REASONS.unreachable.text },
      ...[null, null, null, null],
    ])
    // Without the name of an account it went by that of its line.
    await db('lines').where({ id: line.lineId }).update({ carrier: 'twilio-main' })
    const id = await failed(null, '30007')
    const [message] = await list()
    expect(message).to.deep.include({ id, carrierCode: '30007' })
    expect(message?.carrierCodeMeaning).to.include({ reason: 'blocked_by_carrier' })
  })

  it('have the segment count from acceptance, as caps and usage do', async () => {
    const shown = async (overrides: Record<string, unknown>) =>
      expectAnswer(await client.get(`/v1/messages/${await queue(overrides)}`)) as Message
    expect(await shown({ text: 'Hi', segment_count: 3 })).to.include({ encoding: 'GSM-7', segmentCount: 3 })
    expect(await shown({ text: null, segment_count: 1 })).to.include({ encoding: null, segmentCount: null })
  })

  it('are listed newest first, and filtered by line, direction, status, type, number and time', async () => {
    const toAnna = await queue()
    const failed = await queue({ to_number: BEN, status: 'failed', error: 'rejected' })
    await receiveMessage(api.context, inboundText(line))
    const [fromAnna = ''] = await idsOf('?direction=inbound')
    const { createdAt } = expectAnswer(await client.get(`/v1/messages/${fromAnna}`)) as Message
    for (const [query, expected] of [
      ['', [fromAnna, failed, toAnna]],
      [`?lineId=${line.lineId}`, [fromAnna, failed, toAnna]],
      [`?lineId=${newId()}`, []],
      ['?direction=outbound', [failed, toAnna]],
      ['?status=failed', [failed]],
      ['?status=received&direction=inbound', [fromAnna]],
      ['?status=received&direction=outbound', []],
      ['?type=text', [fromAnna, failed, toAnna]],
      ['?type=voicemail', []],
      [`?number=${encodeURIComponent(ANNA)}`, [fromAnna, toAnna]],
      [`?number=${BEN}&status=&type=`, [failed]],
      [`?until=${new Date(Date.now() + 60_000).toISOString()}`, [fromAnna, failed, toAnna]],
      [`?from=${new Date(Date.now() + 60_000).toISOString()}`, []],
      [`?from=${createdAt}&until=${createdAt}`, []],
      ['?from=1900-01-01T00:00:00Z&until=9999-12-31T23:59:59%2B02:00', [fromAnna, failed, toAnna]],
      ['?until=9999-12-31T23:59:59-02:00', [fromAnna, failed, toAnna]],
      ['?from=9999-12-31T23:59:59-02:00', []],
      ['?from=2020-01-01T00:00:00+02:00', [fromAnna, failed, toAnna]],
      ['?until=1900-01-01T00:00:00.123456Z', []],
    ] as const) {
      expect(await idsOf(query), query).to.deep.equal(expected)
    }
  })

  for (const [query, detail] of [
    ['lineId=7', /^lineId must be an ID/],
    ['before=7', /^before must be an ID/],
    ['limit=0', /^limit must be a whole number from 1 to 100/],
    ['limit=101', /^limit must be/],
    ['limit=-1', /^limit must be/],
    ['limit=1e1', /^limit must be/],
    ['limit=ten', /^limit must be/],
    ['direction=sideways', /^direction must be one of outbound, inbound/],
    ['type=inboundText', /^type must be one of text, media, voicemail/],
    ['status=pending', /^status must be one of scheduled, /],
    ['number=nobody', /^number must be a phone number/],
    ['number=%00', /^number must be a phone number/],
    ['from=yesterday', /^from must be a time such as/],
    ['from=2026-11-21', /^from must be a time/],
    ['until=2026-11-21T25:00:00Z', /^until must be a time/],
    ['until=2026-11-21T12:00:00', /^until must be a time/],
    ['from=0', /^from must be a time/],
    ['until=2026-11-31T12:00:00Z', /^until must be a time .*: there is no 2026-11-31 in the calendar$/],
    ['limit=1&limit=2', /^limit can be given only once/],
    ['lineId=a&lineId=b', /^lineId can be given only once/],
  ] as const) {
    it(`refuse ?${query}`, async () => {
      expectProblem(await client.get(`/v1/messages?${query}`), 400, detail)
    })
  }

  it('name every wrong parameter at once', async () => {
    const { body } = await client.get('/v1/messages?limit=0&from=x&status=y')
    expect((body as { detail: string }).detail.split('; ')).to.have.length(3)
  })

  it('are sent again, once for each Idempotency-Key and each time without one', async () => {
    const again = (id: string, headers?: Record<string, string>) =>
      client.post(`/v1/messages/${id}/send-again`, undefined, headers)
    const id = await queue({ status: 'failed', error: 'timeout' })
    const first = expectAnswer(await again(id, { 'Idempotency-Key': 'a' })) as Message
    expect(first).to.include({ status: 'queued', text: 'Hello', toNumber: ANNA, againOf: id, error: null })
    expect(expectAnswer(await again(id, { 'Idempotency-Key': 'a' }))).to.have.property('id', first.id)
    const second = expectAnswer(await again(id)) as Message
    const third = expectAnswer(await again(id)) as Message
    expect(await idsOf('')).to.deep.equal([third.id, second.id, first.id, id])
    expectProblem(await again(id, { 'Idempotency-Key': '' }), 400, /^Idempotency-Key is empty/)
    expectProblem(await again(first.id), 409, /failed or unknown/)
  })

  describe('/v1/segments', () => {
    it('counts segments, units and characters', async () => {
      const text = '😀'.repeat(36)
      expect(expectAnswer(await client.post('/v1/segments', { text }))).to.deep.equal({
        ...{ encoding: 'UCS-2', segmentCount: 2, unitCount: 72, characterCount: 36 },
        ...{ language: null, room: { single: 70, part: 67 } },
      })
    })

    it('counts with the line’s carrier account, and answers 404 for other users’ lines', async () => {
      const { db } = api.context
      await db('carrier_accounts').insert({
        id: newId(),
        name: 'ankara',
        kind: 'smpp',
        languages: ['turkish'],
      })
      await db('lines').where({ id: line.lineId }).update({ carrier: 'ankara' })
      const text = `${'a'.repeat(160)}ş`
      const count = (lineId?: string) => client.post('/v1/segments', { text, lineId })
      expect(expectAnswer(await count())).to.include({ encoding: 'UCS-2', segmentCount: 3, language: null })
      expect(expectAnswer(await count(line.lineId))).to.deep.include({
        ...{ encoding: 'GSM-7', segmentCount: 2, unitCount: 162, language: 'turkish' },
        room: { single: 155, part: 149 },
      })
      const other = await createOwner(api)
      expectProblem(await count(other.line.lineId), 404, /No such line/)
    })

    it('refuses a text that could not be sent', async () => {
      expectProblem(await client.post('/v1/segments', { text: 'x'.repeat(1601) }), 400, /^Text is too long$/)
      expectProblem(await client.post('/v1/segments', {}), 400, /^text is required$/)
      expectProblem(await client.post('/v1/segments', { text: 5 }), 400, /^text must be text$/)
    })
  })
})
