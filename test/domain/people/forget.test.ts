import { expect } from 'chai'
import { search } from '../../../src/domain/messages/search.js'
import { listAudit } from '../../../src/domain/operating/audit.js'
import { getCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { keepUnclearCallback } from '../../../src/domain/carriers/unclear-callbacks.js'
import { keepUpload } from '../../../src/domain/media/uploads.js'
import { saveContact } from '../../../src/domain/lines/contacts.js'
import type { Context } from '../../../src/domain/context.js'
import { sendDeliveryAgain } from '../../../src/domain/endpoints/deliveries/send-again.js'
import { sendMessageAgain } from '../../../src/domain/messages/send-again.js'
import { findPerson, forgetPerson, readPerson } from '../../../src/domain/people/forget.js'
import { queueListBatch, startTextList } from '../../../src/domain/messages/text-list/task.js'
import { exportPerson } from '../../../src/domain/operating/exports/exports.js'
import { getOwnLine } from '../../../src/domain/lines/lines.js'
import { claimTask, type ClaimedTask } from '../../../src/database/operating/tasks.js'
import { newId } from '../../../src/ids.js'
import { readZip } from '../../helpers/zip.js'
import { buffer } from 'node:stream/consumers'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { listLatestContacts } from '../../../src/database/messages/conversations/conversations.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, lineForEachTest } from '../../helpers/factories.js'
import { failure } from '../../helpers/failure.js'
import { logSteps, takenSteps } from '../../helpers/process/step-log.js'
import {
  changeRows,
  ANNA,
  BEN,
  claimDelivery,
  claimMessage,
  inboundText,
  messageRow,
  queueMessage,
  addCopies,
  countRows,
  ago,
  post,
  untilLocked,
} from '../fixtures.js'
import { MEDIA } from '../media-samples.js'
import { EVERYTHING, hasFile, insertPast, leftOf, monthAgo } from '../operating/retention/past.js'
import { expectRefusal } from '../refusal.js'

/** Every row in which a text stands, by table. */
async function findText({ db }: Context, text: string): Promise<string[]> {
  const { rows: tables } = await db.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname <> 'steps_taken' order by 1`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await db.raw<{ rows: unknown[] }>(
      `select 1 from ?? t where position(? in row_to_json(t)::text) > 0 limit 1`,
      [name, text],
    )
    if (rows.length > 0) found.push(name)
  }
  return found
}

const REASON = 'ticket 4711'

describeContext('forgetting a person', (context) => {
  before(() => logSteps(context.db))

  const line = lineForEachTest(context, { outgoingUrl: 'http://127.0.0.1:9/events' })

  afterEach(async () => {
    for (const table of ['messages', 'deliveries', 'events', 'media', 'line_peers', 'simulator_outbox']) {
      await context.db(table).delete()
    }
  })

  const receive = (text: string, fromNumber = ANNA) =>
    receiveMessage(context, inboundText(line, { fromNumber, content: { type: 'inboundText', text } }))

  it('erases the number, every text, medium and excerpt, everywhere, and keeps ids, states and counts', async () => {
    const past = await insertPast(context, line, monthAgo(2), {
      message: { error: `The number ${ANNA.slice(1)} is no mobile` },
    })
    await receive('my confession')
    await queueMessage(context, line, { status: 'sent', text: 'their confession' })
    await context.db('idempotency_keys').insert(
      ['0 hours', '1 hour', '90 minutes', '24 hours', '3 days'].map((age) => ({
        scope_id: line.userId,
        key: `reminder for ${ANNA}, ${age} ago`,
        request_hash: Buffer.alloc(32),
        message_id: past.messageId,
        created_at: ago(context, age),
      })),
    )
    await saveContact(context, line.userId, ANNA, { name: 'My confessor', blocked: true })
    const before = await context.db('messages').orderBy('id').select('id', 'status', 'direction', 'type')
    const found = await findPerson(context, ANNA)
    expect(found).to.deep.equal({
      messages: 3,
      media: 1,
      deliveries: 2,
      listed: 0,
      peers: 1,
      optOuts: 0,
      simulated: 1,
      named: 1,
    })

    expect(await forgetPerson(context, ANNA, REASON)).to.deep.equal(found)

    for (const text of [
      ANNA,
      ANNA.slice(1),
      'confession',
      'confessor',
      'See you at noon',
      'On my way',
      'thank you',
    ]) {
      expect(await findText(context, text), text).to.deep.equal([])
    }
    expect(await leftOf(context, past)).to.deep.equal(EVERYTHING.filter((each) => each !== 'file'))
    expect(await hasFile(context, past.storageKey)).to.equal(false)
    expect(
      await context.db('messages').orderBy('id').select('id', 'status', 'direction', 'type'),
    ).to.deep.equal(before)
    expect(Object.values(await findPerson(context, ANNA)).filter((count) => count > 0)).to.deep.equal([])
  })

  it('erases the options that the sender gave to the carrier, and the reference', async () => {
    await queueMessage(context, line, {
      ...{ status: 'sent', carrier_options: { name: 'Anna Miller' }, client_ref: 'Invoice of Anna Miller' },
    })
    await forgetPerson(context, ANNA, REASON)
    expect(await findText(context, 'Miller')).to.deep.equal([])
  })

  it('deletes the files that were uploaded for them', async () => {
    await post(context, line, { mediaUrl: await keepUpload(context, 'picture', MEDIA.picture.png!) })
    await forgetPerson(context, ANNA, REASON)
    expect(await countRows(context, 'uploads')).to.equal(0)
  })

  it('erases the number in the last error that charts keep of a minute', async () => {
    await context.db('traffic_counts').insert({
      ...{
        seconds: 60,
        begins_at: ago(context, '1 hour'),
        carrier: 'simulator',
        to_carrier: {},
        to_endpoint: {},
      },
      ...{ accepted: 1, sent: 0, delivered: 0, failed: 1, unknown: 0, received: 0 },
      ...{ events_delivered: 0, attempts_failed: 0, last_error: `${ANNA.slice(1)} is no mobile` },
    })
    await forgetPerson(context, ANNA, REASON)
    expect(await context.db('traffic_counts').pluck('last_error')).to.deep.equal(['forgotten is no mobile'])
  })

  it('deletes the requests that were not understood and have the number, however it is written', async () => {
    const account = await getCarrierAccount(context, 'simulator')
    const keep = (body: string, query = '') =>
      keepUnclearCallback(context, account, {
        why: 'no line',
        name: 'received',
        request: {
          method: 'POST',
          query: new URLSearchParams(query),
          body: Buffer.from(body),
          header: () => '',
        },
        isLogged: false,
      })
    await keep(`From=%2B${ANNA.slice(1)}&Body=secret`)
    await keep('secret', `from=${ANNA}`)
    // As SMPP and a modem have it, in hexadecimal.
    await keep(Buffer.from(`${ANNA.slice(1)}\0secret`).toString('hex'))
    await keep('040b915100550501f10000')
    await keep(`From=%2B${BEN.slice(1)}`)
    await forgetPerson(context, ANNA, REASON)
    const left = await context.db('unclear_callbacks').pluck<Buffer[]>('body')
    expect(left.map(String)).to.deep.equal([`From=%2B${BEN.slice(1)}`])
  })

  describe('whose row of a text list waits', () => {
    const startList = async () => {
      const id = newId()
      const file = { columns: ['phone', 'name'], rows: [{ line: 2, values: [ANNA, 'Anna'] }] }
      const own = await getOwnLine(context, line.userId, line.lineId)
      await startTextList(context, own, { file, text: 'Dear {{name}}', column: 'phone' }, id)
      return id
    }

    it('counts it, ends and erases it, and tells the owner of the list', async () => {
      await startList()
      expect(await findPerson(context, ANNA)).to.include({ listed: 1, messages: 0, peers: 0 })
      const files = await readZip(await buffer(await exportPerson(context, ANNA, REASON)))
      expect(String(files.get('text-lists.jsonl'))).to.include('Dear Anna')
      expect(await forgetPerson(context, ANNA, REASON)).to.include({ listed: 1 })
      expect(await findText(context, ANNA)).to.deep.equal([])
      expect(await findText(context, 'Dear Anna')).to.deep.equal([])
      const actions = ['user.person.exported', 'user.person.forgotten']
      expect(await listAudit(context, { userId: line.userId, actions }, { limit: 9 })).to.have.length(2)
    })

    it('sends nothing, even if the list is just queuing it', async () => {
      const id = await startList()
      const task = (await claimTask(context.db, id, 60_000)) as ClaimedTask
      const trx = await context.db.transaction()
      await trx.raw('select lock_line(?::uuid)', [line.lineId])
      const batch = queueListBatch(context, task)
      await untilLocked(context)
      await forgetPerson(context, ANNA, REASON)
      await trx.commit()
      await batch
      const left = await context.db('messages').select('status', 'error', 'text', 'to_number')
      expect(left).to.deep.equal([
        { status: 'failed', error: 'forgotten', text: null, to_number: 'forgotten' },
      ])
      expect(await findText(context, ANNA)).to.deep.equal([])
    })
  })

  it('leaves everybody else as they were', async () => {
    await receive('mine')
    const other = await insertPast(context, line, monthAgo(2), { number: BEN })
    const rows = async () => ({
      message: await messageRow(context, other.messageId),
      event: await context.db('events').where({ id: other.eventId }),
      attempt: await context.db('delivery_attempts').where({ id: other.attemptId }),
      media: await context.db('media').where({ id: other.mediaId }),
    })
    const before = await rows()
    await forgetPerson(context, ANNA, REASON)
    expect(await rows()).to.deep.equal(before)
    expect(await hasFile(context, other.storageKey)).to.equal(true)
  })

  it('is on the lines of all users', async () => {
    const theirs = await createLine(context)
    await queueMessage(context, line, { status: 'sent' })
    await queueMessage(context, theirs, { status: 'sent' })
    expect(await forgetPerson(context, ANNA, REASON)).to.include({ messages: 2 })
  })

  it('has what came a moment before, and what a process wrote whose clock is ahead', async () => {
    for (let n = 0; n < 40; n += 1) {
      await queueMessage(context, line, { status: 'sent' })
      expect(await forgetPerson(context, ANNA, REASON)).to.include({ messages: 1 })
    }
    const hourAhead = await context.db
      .raw<{ rows: [{ id: string }] }>(`select lowest_id_at(now() + interval '1 hour') as id`)
      .then(({ rows }) => rows[0].id)
    await queueMessage(context, line, { id: hourAhead, status: 'sent' })
    expect(await forgetPerson(context, ANNA, REASON)).to.include({ messages: 1 })
  })

  it('is found by nobody any more: no search, no phone of the simulator', async () => {
    await receive('hello')
    await forgetPerson(context, ANNA, REASON)
    const found = await search(context, { userId: line.userId, role: 'operator' }, ANNA)
    expect(found.messages).to.deep.equal([])
    expect(
      await listLatestContacts(context.db, line.userId, { carrier: 'simulator', limit: 3 }),
    ).to.deep.equal([])
  })

  it('leaves an opt-out under its number, and nothing else of the contact: it goes on to hold', async () => {
    await receive('STOP')
    await changeRows(
      context,
      'line_peers',
      { number: ANNA },
      { archived_at: new Date(), paused_until: new Date() },
    )
    await forgetPerson(context, ANNA, REASON)
    const contact: unknown = await context.db('line_peers').where({ number: ANNA }).first()
    expect(contact).to.deep.include({
      window_cleared_at: null,
      heard_at: [],
      help_answered_at: null,
      paused_until: null,
      unread_id: null,
      archived_at: null,
    })
    expect((await failure(post(context, line))).message).to.match(/opted out|STOP/)
    expect(await findPerson(context, ANNA)).to.include({ messages: 0, optOuts: 1 })
  })

  it('ends first what waits: texts fail, deliveries and copies end, and nobody is told', async () => {
    const queued = await queueMessage(context, line)
    const past = await insertPast(context, line, monthAgo(2), {
      delivery: { status: 'held' },
      media: { status: 'pending', storage_key: null },
    })
    const eventCount = (await context.db('events')).length
    await forgetPerson(context, ANNA, REASON)
    expect(await messageRow(context, queued)).to.include({ status: 'failed', error: 'forgotten', text: null })
    const delivery: unknown = await context.db('deliveries').where({ id: past.deliveryId }).first()
    expect(delivery).to.include({ status: 'exhausted', last_failure: 'forgotten', from_number: 'forgotten' })
    const media: unknown = await context.db('media').where({ id: past.mediaId }).first()
    expect(media).to.include({ status: 'failed', failure: 'media_gone', source_url: '' })
    expect((await context.db('events')).length).to.equal(eventCount)
    expect(await takenSteps(context.db, { isKnown: true })).to.include.members([
      'deliveries: held > exhausted (forgotten)',
      'media: pending > failed (media_gone)',
      'messages: queued > failed (forgotten)',
    ])
  })

  it('does not begin while a worker has a text or an event in its hands, and says so', async () => {
    const sending = await queueMessage(context, line)
    await claimMessage(context, sending)
    const words = /^1 messages, events or media of this number are being processed/
    await expectRefusal(forgetPerson(context, ANNA, REASON), 409, words)
    expect((await messageRow(context, sending)).text).to.equal('Hello')

    await changeRows(context, 'messages', sending, { status: 'sent', lease_until: null })
    await receive('hi')
    const [delivery] = await context.db('deliveries').pluck<string[]>('id')
    await claimDelivery(context, delivery ?? '')
    expect(await failure(forgetPerson(context, ANNA, REASON))).to.include({ status: 409 })
  })

  it('waits for workers as long as it is told to', async () => {
    const sending = await queueMessage(context, line)
    await claimMessage(context, sending)
    const forgetting = forgetPerson(context, ANNA, REASON, { patienceMs: 10_000 })
    await changeRows(context, 'messages', sending, { status: 'sent', lease_until: null })
    expect(await forgetting).to.include({ messages: 1 })
  })

  it('goes on where it was when a run before it broke off between a file and its row', async () => {
    const first = await insertPast(context, line, monthAgo(2))
    const second = await insertPast(context, line, monthAgo(2))
    let count = 0
    const remove = (key: string) => {
      count += 1
      if (count > 1) throw new Error('the process died')
      return context.storage.remove(key)
    }
    await failure(forgetPerson({ ...context, storage: { ...context.storage, remove } }, ANNA, REASON))
    expect(await findPerson(context, ANNA)).to.include({ messages: 2 })
    expect(await forgetPerson(context, ANNA, REASON)).to.include({ messages: 2, media: 2 })
    for (const { storageKey } of [first, second]) expect(await hasFile(context, storageKey)).to.equal(false)
    expect(await forgetPerson(context, ANNA, REASON)).to.include({ messages: 0 })
  })

  it('leaves nothing to send again', async () => {
    const failed = await queueMessage(context, line, { status: 'failed', error: 'rejected' })
    const past = await insertPast(context, line, monthAgo(1))
    const [own] = await context.db('endpoints').where({ user_id: line.userId }).pluck<string[]>('id')
    await changeRows(context, 'deliveries', past.deliveryId, { endpoint_id: own })
    await forgetPerson(context, ANNA, REASON)
    for (const again of [
      () => sendMessageAgain(context, line.userId, failed, 'key', 'console'),
      () => sendDeliveryAgain(context, line.userId, past.deliveryId),
    ])
      expect((await failure(again())).message).to.match(/was erased/)
  })

  it('is in the audit log, without the number, and so is a look before it', async () => {
    await receive('hi')
    await findPerson(context, ANNA)
    await forgetPerson(context, ANNA, REASON)
    const [row, look] = await listAudit(
      context,
      { actions: ['person.viewed', 'person.forgotten'] },
      { limit: 2 },
    )
    expect(look).to.include({ action: 'person.viewed', subjectId: null, after: null })
    expect(row).to.deep.include({ subjectId: null, userId: null })
    expect(row?.after).to.include({ messages: 1, deliveries: 1, reason: REASON })
    const [told] = await listAudit(
      context,
      { userId: line.userId, actions: ['user.person.forgotten'] },
      { limit: 1 },
    )
    expect(told?.after).to.deep.equal({ reason: REASON })
    await expectRefusal(forgetPerson(context, ANNA, ' why '), 400, /^reason must say in 5 to 300 characters/)
  })

  it('counts all deliveries of an event, even if they are more than it erases at once', async () => {
    const { eventId, deliveryId } = await insertPast(context, line, monthAgo(2))
    await changeRows(context, 'events', eventId, { message_id: null })
    await context.db('messages').delete()
    const id = `overlay(o.id::text placing lpad(to_hex(n), 8, '0') from 29)`
    await addCopies(context, 'deliveries', deliveryId, 200, { id })
    const { deliveries } = await findPerson(context, ANNA)
    expect(deliveries).to.equal(201)
    expect(await forgetPerson(context, ANNA, REASON)).to.include({ deliveries })
    expect(await findPerson(context, ANNA)).to.include({ deliveries: 0 })
  })

  it('takes a whole number only', () => {
    expect(readPerson(' +1 500 555-0101 ')).to.equal(ANNA)
    for (const written of ['', '5005550101', '+1500', 'anna', `+${'1'.repeat(100)}`]) {
      expect(() => readPerson(written), written).to.throw('number must be a phone number in E.164 format')
    }
  })
})
