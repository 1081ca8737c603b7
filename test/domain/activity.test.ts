import { expect } from 'chai'
import { findActivity, idOf, type ActivityFilter } from '../../src/domain/activity.js'
import { receiveMessage } from '../../src/domain/messages/receive.js'
import { describeContext } from '../helpers/context.js'
import { keepMedia } from '../../src/domain/simulator/media.js'
import { copyMedia } from '../helpers/media.js'
import { MEDIA } from './media-samples.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { ANNA, BEN, inboundText, queueMessage, receiveForDelivery } from './fixtures.js'

describeContext('activity', (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/' })
  })

  const find = (filter: ActivityFilter = {}, page: { before?: string; limit: number } = { limit: 50 }) =>
    findActivity(context, line.userId, filter, page)

  async function kinds(filter: ActivityFilter): Promise<string[]> {
    return (await find(filter)).map(({ kind }) => kind)
  }

  it('is messages and deliveries in one list, newest first', async () => {
    await queueMessage(context, line)
    await receiveForDelivery(context, line)
    await queueMessage(context, line)
    expect(await kinds({})).to.deep.equal(['message', 'delivery', 'message', 'message'])
  })

  it('is the user’s only', async () => {
    const other = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/' })
    await receiveForDelivery(context, other)
    expect(await find()).to.deep.equal([])
    expect(await find({ lineId: other.lineId })).to.deep.equal([])
  })

  it('goes on page by page over both kinds, with nothing twice and nothing left out', async () => {
    for (let n = 0; n < 5; n += 1) {
      await receiveForDelivery(context, line)
      await queueMessage(context, line)
    }
    const all = (await find()).map(idOf)
    expect(all).to.have.length(15)
    expect(all).to.deep.equal(all.toSorted().reverse())
    const seen: string[] = []
    let page = await find({}, { limit: 4 })
    while (page.length > 0) {
      seen.push(...page.map(idOf))
      page = await find({}, { before: seen.at(-1)!, limit: 4 })
    }
    expect(seen).to.deep.equal(all)
  })

  it('is of one kind only when that is asked for', async () => {
    await receiveForDelivery(context, line)
    expect(await kinds({ kind: 'message' })).to.deep.equal(['message'])
    expect(await kinds({ kind: 'delivery' })).to.deep.equal(['delivery'])
  })

  it('with a direction has messages only, as a delivery has none', async () => {
    await receiveForDelivery(context, line)
    await queueMessage(context, line)
    expect(await kinds({ direction: 'inbound' })).to.deep.equal(['message'])
    expect(await kinds({ direction: 'inbound', kind: 'delivery' })).to.deep.equal([])
  })

  it('of a type has the messages and the deliveries of their events', async () => {
    await receiveForDelivery(context, line)
    const url = await keepMedia(context, 'picture', MEDIA.picture.png!)
    const outcome = await receiveMessage(
      context,
      inboundText(line, { content: { type: 'inboundMedia', url } }),
    )
    if (outcome.kind === 'received') await copyMedia(context, outcome.messageId)
    const found = await find({ type: 'media' })
    expect(
      found.map((each) => (each.kind === 'message' ? each.message.type : each.delivery.type)),
    ).to.deep.equal(['inboundMedia', 'media'])
  })

  it('of a status has whichever kind can have it', async () => {
    await queueMessage(context, line, { status: 'delivered' })
    const { id } = await receiveForDelivery(context, line)
    await context.db('deliveries').where({ id }).update({ status: 'delivered' })
    expect(await kinds({ status: 'delivered' })).to.deep.equal(['delivery', 'message'])
    expect(await kinds({ status: 'received' })).to.deep.equal(['message'])
    expect(await kinds({ status: 'held' })).to.deep.equal([])
  })

  it('of a number has what was sent to it, what came from it, and where that went', async () => {
    await receiveForDelivery(context, line)
    await queueMessage(context, line, { to_number: ANNA })
    await queueMessage(context, line, { to_number: BEN })
    expect(await kinds({ number: ANNA })).to.deep.equal(['message', 'delivery', 'message'])
  })
})
