import { expect } from 'chai'
import {
  countActivities,
  findActivity,
  readActivity,
  type ActivityFilter,
} from '../../../src/domain/messages/activity.js'
import { keepUpload } from '../../../src/domain/media/uploads.js'
import { describeContext } from '../../helpers/context.js'
import { copyMedia } from '../../helpers/media.js'
import { createLine, lineForEachTest } from '../../helpers/factories.js'
import { receiveNew, changeRows, BEN, queueMessage, receiveForDelivery, addCopies } from '../fixtures.js'
import { MEDIA } from '../media-samples.js'
import { idAt } from '../operating/retention/past.js'

describeContext('activity', (context) => {
  const line = lineForEachTest(context, { outgoingUrl: 'http://127.0.0.1:9/' })

  const find = (filter: ActivityFilter = {}, page: { before?: string; limit: number } = { limit: 50 }) =>
    findActivity(context, line.userId, filter, page)

  /** Each row by its message's text, or by the events that it is of, and the states of its deliveries. */
  async function rows(filter: ActivityFilter = {}): Promise<string[]> {
    const { activities } = await find(filter)
    return activities.map(({ message, deliveries }) =>
      [message?.text ?? message?.type ?? deliveries[0]?.type, ...deliveries.map(({ status }) => status)].join(
        ' ',
      ),
    )
  }

  async function deliveryThat(text: string, columns: Record<string, unknown> = {}): Promise<string> {
    const { id, event_id: eventId } = await receiveForDelivery(context, line)
    const [messageId = ''] = await context.db('events').where({ id: eventId }).pluck<string[]>('message_id')
    await changeRows(context, 'messages', messageId, { text })
    await changeRows(context, 'deliveries', id, { attempt_count: 1, ...columns })
    return id
  }

  /** Rows of any age, as they would be found. */
  async function addOld(count: number, values: { text: string; status?: string }): Promise<void> {
    await context.db.raw(
      `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status)
       select overlay(
           lowest_id_at(now() - make_interval(secs => n))::text placing right(gen_random_uuid()::text, 12) from 25
         )::uuid, ?, ?, 'outbound', 'api', ?, ?, ?, ?
       from generate_series(1, ?::integer) n`,
      [line.userId, line.lineId, line.number, BEN, values.text, values.status ?? 'sent', count],
    )
  }

  it('is messages, newest first, each with its deliveries', async () => {
    await queueMessage(context, line, { text: 'one' })
    await deliveryThat('two')
    await queueMessage(context, line, { text: 'three' })
    expect(await rows()).to.deep.equal(['three', 'two pending', 'one'])
  })

  it('of a time range is what shows such a time, whatever the time in the id', async () => {
    const at = new Date(Date.now() - 3_600_000)
    const id = idAt(new Date(at.getTime() - 20_000))
    await queueMessage(context, line, { id, text: 'one', created_at: at })
    const until = new Date(at.getTime() + 1)
    for (const text of [undefined, 'one']) {
      const that = text === undefined ? {} : { text }
      expect(await rows({ ...that, from: at, until })).to.deep.equal(['one'])
      expect(await rows({ ...that, until: at })).to.deep.equal([])
      expect(await countActivities(context, line.userId, { ...that, from: at, until })).to.include({
        count: 1,
      })
    }
  })

  it('is the user’s only', async () => {
    const other = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/' })
    await receiveForDelivery(context, other)
    expect(await rows()).to.deep.equal([])
    expect(await rows({ lineId: other.lineId })).to.deep.equal([])
    expect(await rows({ lineId: other.lineId, status: 'pending' })).to.deep.equal([])
  })

  it('goes on page by page, with nothing twice and nothing left out', async () => {
    for (let n = 0; n < 5; n += 1) {
      await deliveryThat(`in ${n}`, { status: 'held' })
      await queueMessage(context, line, { text: `out ${n}` })
    }
    for (const [filter, count] of [
      [{}, 10],
      [{ status: 'held' }, 5],
    ] as const) {
      const all = (await find(filter)).activities.map(({ id }) => id)
      expect(all).to.have.length(count)
      expect(all).to.deep.equal(all.toSorted().reverse())
      const seen: string[] = []
      for (let before: string | null | undefined; before !== null;) {
        const page = await find(filter, { limit: 4, ...(before === undefined ? {} : { before }) })
        seen.push(...page.activities.map(({ id }) => id))
        before = page.older
      }
      expect(seen).to.deep.equal(all)
      expect(await countActivities(context, line.userId, filter)).to.deep.equal({ count, isInPart: false })
    }
  })

  it('of a direction, a type, a number or a part of one has the messages that fit', async () => {
    await deliveryThat('in')
    await queueMessage(context, line, { text: 'to Anna' })
    await queueMessage(context, line, { text: 'to Ben', to_number: BEN })
    const url = await keepUpload(context, 'picture', MEDIA.picture.png!)
    await copyMedia(
      context,
      await receiveNew(context, line, { content: { type: 'inboundMedia', urls: [url] } }),
    )
    expect(await rows({ direction: 'outbound' })).to.deep.equal(['to Ben', 'to Anna'])
    expect(await rows({ direction: 'inbound' })).to.deep.equal(['media pending', 'in pending'])
    expect(await rows({ type: 'media' })).to.deep.equal(['media pending'])
    expect(await rows({ type: 'text', direction: 'inbound' })).to.deep.equal(['in pending'])
    expect(await rows({ number: BEN })).to.deep.equal(['to Ben'])
    expect(await rows({ numberPart: BEN.slice(-3) })).to.deep.equal(['to Ben'])
    expect(await rows({ numberPart: '999999' })).to.deep.equal([])
    expect(await rows({ text: 'TO B' })).to.deep.equal(['to Ben'])
    expect(await rows({ text: '%' })).to.deep.equal([])
  })

  it('of a status has the messages that are in it, and those of whose deliveries one is, once', async () => {
    await queueMessage(context, line, { text: 'out', status: 'delivered' })
    const id = await deliveryThat('in', { status: 'delivered' })
    expect(await rows({ status: 'delivered' })).to.deep.equal(['in delivered', 'out'])
    expect(await rows({ status: 'received' })).to.deep.equal(['in delivered'])
    expect(await rows({ status: 'held' })).to.deep.equal([])
    await addCopies(context, 'deliveries', id, 1, { status: `'held'` })
    expect(await rows({ status: 'delivered' })).to.deep.equal(['in delivered held', 'out'])
    expect(await rows({ status: 'held', direction: 'inbound', text: 'in' })).to.deep.equal([
      'in delivered held',
    ])
    expect(await rows({ status: 'held', direction: 'outbound' })).to.deep.equal([])
  })

  it('of what was sent and delivered has the texts that arrived, not those whose event did', async () => {
    const arrived = await queueMessage(context, line, { text: 'arrived', status: 'delivered' })
    const sent = await queueMessage(context, line, { text: 'sent', status: 'sent' })
    for (const messageId of [arrived, sent]) {
      const { id, event_id: eventId } = await receiveForDelivery(context, line)
      await changeRows(context, 'events', eventId, { message_id: messageId, type: 'messageStatus' })
      await changeRows(context, 'deliveries', id, { type: 'messageStatus', status: 'delivered' })
    }
    const sentAnd = (filter: ActivityFilter) => rows({ direction: 'outbound', ...filter })
    expect(await sentAnd({ status: 'delivered' })).to.deep.equal(['arrived delivered'])
    expect(await sentAnd({ status: 'delivered', type: 'messageStatus' })).to.deep.equal([
      'sent delivered',
      'arrived delivered',
    ])
    expect(await sentAnd({ status: 'exhausted' })).to.deep.equal([])
    const counted = await countActivities(context, line.userId, {
      direction: 'outbound',
      status: 'delivered',
    })
    expect(counted.count).to.equal(1)
  })

  it('of a reason has what failed for it, of messages and of deliveries', async () => {
    await queueMessage(context, line, {
      text: 'refused',
      status: 'failed',
      error: 'simulator: no such number',
    })
    await deliveryThat('late', { status: 'exhausted', last_failure: 'timeout' })
    await deliveryThat('later', { status: 'pending', last_failure: 'timeout' })
    expect(await rows({ reason: 'timeout' })).to.deep.equal(['later pending', 'late exhausted'])
    expect(await rows({ reason: 'timeout', status: 'pending' })).to.deep.equal(['later pending'])
    expect(await rows({ reason: 'simulator: no' })).to.deep.equal(['refused'])
    expect(await rows({ reason: 'dns' })).to.deep.equal([])
  })

  it('looks through the newest ones for what has no index, says so, and goes on from there', async () => {
    await addOld(20_500, { text: 'plain' })
    await context
      .db('messages')
      .where({ line_id: line.lineId })
      .whereRaw('id = (select min(id::text)::uuid from messages)')
      .update({ text: 'needle', status: 'failed' })
    const first = await find({ text: 'needle' })
    expect(first.activities).to.deep.equal([])
    expect(first.isLookedThroughInPart).to.equal(true)
    const second = await find({ text: 'needle' }, { limit: 50, before: first.older! })
    expect(second.activities.map(({ message }) => message?.text)).to.deep.equal(['needle'])
    expect(second.older).to.equal(null)
    // What has an index is found at once, and is looked through whole.
    const failed = await find({ text: 'needle', status: 'failed' })
    expect(failed.activities.map(({ message }) => message?.text)).to.deep.equal(['needle'])
    expect(failed.isLookedThroughInPart).to.equal(false)
    expect(await countActivities(context, line.userId, {})).to.deep.equal({ count: 1001, isInPart: false })
    const texts = new Set<unknown>()
    for await (const { message } of readActivity(context, line.userId, { text: 'needle' }))
      texts.add(message?.text)
    expect([...texts], 'all of it, for a download').to.deep.equal(['needle'])
  })

  it('counts each line through its own share of rows, and says so if that was not all', async () => {
    const count = (filter: ActivityFilter) => countActivities(context, line.userId, filter)
    const quiet = await createLine(context, { userId: line.userId })
    await queueMessage(context, quiet, { text: 'seldom', id: idAt(new Date(Date.now() - 86_400_000)) })
    await addOld(9_999, { text: 'plain' })
    expect(await count({ text: 'seldom' })).to.deep.equal({ count: 1, isInPart: false })
    await addOld(1, { text: 'plain' })
    expect(await count({ text: 'seldom' })).to.deep.equal({ count: 1, isInPart: true })
    expect(await count({ text: 'seldom', lineId: quiet.lineId })).to.deep.equal({ count: 1, isInPart: false })
  })
})
