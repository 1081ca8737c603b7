import { expect } from 'chai'
import { transaction } from '../../../src/database/connection.js'
import { upsertContact } from '../../../src/database/lines/contacts.js'
import { listAudit } from '../../../src/domain/operating/audit.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { newId } from '../../../src/ids.js'
import {
  ANNA,
  BEN,
  CLEO,
  countRows,
  countWaitingForLocks,
  inboundText,
  mediaAt,
} from '../../domain/fixtures.js'
import { describeWith } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import {
  askPlainly,
  createOwner,
  expectAnswer,
  expectProblem,
  ownerForEachTest,
  serveApi,
} from './support.js'

interface Contact {
  id: string
  name: string | null
  phoneNumber: string
  lineIds: string[]
  blocked: boolean
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

describeWith(
  '/v1/contacts',
  () => serveApi({ PUBLIC_URL: 'https://linehook.example' }),
  (api) => {
    const { line, client } = ownerForEachTest(api, { outgoingUrl: 'http://127.0.0.1:9/events' })

    const save = async (fields: object) => expectAnswer(await client.post('/v1/contacts', fields)) as Contact
    const list = async (query = '') => expectAnswer(await client.get(`/v1/contacts${query}`)) as Contact[]
    const inPath = (number: string) => `/v1/contacts/${encodeURIComponent(number)}`

    it('accepts fields in the body, as JSON or a form, or in the query, and an ID or a number in the path', async () => {
      const anna = await save({ phoneNumber: '+1 500 555-0101', name: 'Anna' })
      expect(anna).to.include({ name: 'Anna', phoneNumber: ANNA, blocked: false })
      expect(anna.lineIds).to.deep.equal([line.lineId])
      // As `curl -d` and clients of the original write them; none of these is in the OpenAPI description.
      const form = new URLSearchParams({ phoneNumber: BEN, name: 'Ben', lineIds: newId() }).toString()
      const plain = async (method: string, path: string, body: string | null = null) =>
        (await askPlainly(api, client, path, { method, headers: body === null ? {} : FORM, body })).body
      const ben = (await plain('POST', '/v1/contacts', form)) as Contact
      expect(ben).to.include({ name: 'Ben', phoneNumber: BEN })
      expect(await plain('PUT', `/v1/contacts/${ben.id}?blocked=true&name=Benny`)).to.include({
        name: 'Benny',
        blocked: true,
      })
      expect(await plain('PUT', inPath(BEN), 'blocked=false')).to.include({ name: 'Benny', blocked: false })
      expect(await plain('POST', `/v1/contacts?phoneNumber=${CLEO}&name=Cleo`)).to.include({
        phoneNumber: CLEO,
      })

      expect(await save({ phoneNumber: ANNA, blocked: true })).to.include({ id: anna.id, name: 'Anna' })
      expect(expectAnswer(await client.put(inPath(ANNA), { name: '' }))).to.include({
        name: null,
        blocked: true,
      })
      expect(expectAnswer(await client.put(`/v1/contacts/${anna.id}`, { phoneNumber: '70123' }))).to.include({
        phoneNumber: '70123',
      })
    })

    it('lists contacts page by page: all, blocked or unblocked', async () => {
      const numbers = async (query = '') => (await list(query)).map(({ phoneNumber }) => phoneNumber)
      for (const phoneNumber of [ANNA, BEN, 'SHOP']) await save({ phoneNumber, blocked: phoneNumber !== BEN })
      expect(await numbers()).to.deep.equal([ANNA, BEN, 'SHOP'])
      expect(await numbers('?blocked=true')).to.deep.equal([ANNA, 'SHOP'])
      const first = await client.get('/v1/contacts?blocked=true&pageSize=1')
      expect(first.headers.get('link')).to.equal(
        '<https://linehook.example/v1/contacts?blocked=true&pageSize=1&page=2>; rel="next"',
      )
      const second = await client.get('/v1/contacts?blocked=true&pageSize=1&page=2')
      expect(expectAnswer(second)).to.have.length(1)
      expect(second.headers.get('link')).to.equal(null)
    })

    it('explains errors', async () => {
      const { id } = await save({ phoneNumber: ANNA, name: 'Anna' })
      await save({ phoneNumber: BEN })
      const posts: [unknown, RegExp][] = [
        [{}, /^phoneNumber is a required field/],
        [{ phoneNumber: '+1500' }, /^phoneNumber must be a phone number in E.164 format/],
        [{ phoneNumber: '(500) 555-0101', blocked: true }, /^phoneNumber lacks its country code/],
        [{ phoneNumber: '0151 23456789' }, /^phoneNumber lacks its country code/],
        [{ phoneNumber: CLEO, blocked: 'perhaps' }, /^blocked must be true or false/],
        [{ phoneNumber: CLEO, name: 5 }, /^name must be text/],
        [{ phoneNumber: CLEO, name: 'x'.repeat(101) }, /^name must have 1 to 100 characters/],
      ]
      for (const [body, detail] of posts) expectProblem(await client.post('/v1/contacts', body), 400, detail)
      expectProblem(await client.put(`/v1/contacts/${id}`, {}), 400, /^Give name, phoneNumber or blocked/)
      expectProblem(await client.put(`/v1/contacts/${id}`, { phoneNumber: BEN }), 409, /another contact/)
      expectProblem(await client.get('/v1/contacts?page=0'), 400, /^page must be/)
      for (const nobody of [newId(), CLEO, '+1'])
        expectProblem(
          await client.put(inPath(nobody), { name: 'x' }),
          404,
          /No contact has this ID or number/,
        )
      expect((await list()).map(({ name }) => name)).to.deep.equal(['Anna', null])
    })

    it('refuses a number that another contact gets at the same moment', async () => {
      const { context } = api
      const { id } = await save({ phoneNumber: ANNA })
      const { changing } = await transaction(context.db, async (trx) => {
        await trx.raw('set local idle_in_transaction_session_timeout = 0')
        await upsertContact(trx, { id: newId(), userId: line.userId, number: BEN }, {})
        const begun = client.put(`/v1/contacts/${id}`, { phoneNumber: BEN })
        await until('it waits', async () => (await countWaitingForLocks(context)) === 1)
        return { changing: begun }
      })
      expectProblem(await changing, 409, /another contact/)
      expect((await list()).map(({ phoneNumber }) => phoneNumber)).to.deep.equal([ANNA, BEN])
    })

    it('keeps messages from a blocked number without an event until it is unblocked', async () => {
      const { context } = api
      const receive = (fromNumber: string, text = 'Hi') =>
        receiveMessage(context, inboundText(line, { fromNumber, content: { type: 'inboundText', text } }))
      const media = () =>
        receiveMessage(context, inboundText(line, { content: mediaAt('http://127.0.0.1:9/x.png') }))
      const events = () => countRows(context, 'events')
      await save({ phoneNumber: ANNA, blocked: true })
      const other = await createOwner(api)
      expectAnswer(await other.client.post('/v1/contacts', { phoneNumber: BEN, blocked: true }))
      const before = await events()
      // All of one batch.
      const outcomes = await Promise.all([receive(ANNA), receive(BEN), media(), receive(ANNA, 'STOP')])
      expect(outcomes.map((each) => each.kind === 'received' && each.deliveryCount)).to.deep.equal([
        0, 1, 0, 0,
      ])
      expect(await events()).to.equal(before + 1)
      const kept = context.db('messages').where({ line_id: line.lineId, from_number: ANNA })
      expect(await kept.clone().pluck('status')).to.deep.equal(['received', 'received', 'received'])
      const optedOut = (await client.get(`/v1/lines/${line.lineId}/opt-outs`)).body as { number: string }[]
      expect(optedOut.map(({ number }) => number)).to.deep.equal([ANNA])
      expectAnswer(await client.put(inPath(ANNA), { blocked: false }))
      expect(await receive(ANNA)).to.include({ deliveryCount: 1 })
      const rows = await listAudit(
        context,
        { userId: line.userId, actions: ['contact.blocked', 'contact.unblocked'] },
        { limit: 5 },
      )
      expect(rows.map(({ action }) => action)).to.deep.equal(['contact.unblocked', 'contact.blocked'])
      expect(JSON.stringify(rows)).not.to.include(ANNA.slice(1))
    })
  },
)
