import { expect } from 'chai'
import { setLineStatus } from '../../../../src/domain/lines/lines.js'
import { getMessage } from '../../../../src/domain/messages/get-message.js'
import { sendMessageAgain } from '../../../../src/domain/messages/send-again.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { Unavailable } from '../../../../src/errors.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { until } from '../../../helpers/until.js'
import { ANNA, countRows, hasMessageJob, queueMessage, takenMessages } from '../../fixtures.js'
import { refusal } from '../../refusal.js'

const NOT_AGAIN = { status: 409, message: 'only a message that failed or is unknown can be sent again' }

describeContext('sending a message again', { environment: { MAX_QUEUED_PER_LINE: '3' } }, (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context)
  })

  const again = (id: string, key = newId(), userId = line.userId) =>
    sendMessageAgain(context, userId, id, key, 'console')

  for (const status of ['failed', 'unknown']) {
    it(`makes a new message of one that is ${status}, and leaves that as it is`, async () => {
      const id = await queueMessage(context, line, {
        status,
        error: 'expired',
      })
      const before = await getMessage(context, line.userId, id)
      const made = await again(id)
      expect(made).to.include({
        direction: 'outbound',
        source: 'console',
        type: 'text',
        fromNumber: line.number,
        toNumber: ANNA,
        text: 'Hello',
        mediaUrl: null,
        status: 'queued',
        error: null,
        attemptCount: 0,
        againOf: id,
      })
      expect(await getMessage(context, line.userId, id)).to.deep.equal(before)
      await until('it has a job', () => hasMessageJob(context, made.id, 0))
      expect(await sendMessage(context, made.id)).to.deep.equal({ kind: 'sent' })
      expect(await takenMessages(context)).to.include(made.id)
    })
  }

  it('makes one message for one key, also when both come at the same moment', async () => {
    const id = await queueMessage(context, line, { status: 'failed' })
    const count = await countRows(context, 'messages')
    const key = newId()
    const made = await Promise.all([again(id, key), again(id, key)])
    expect((await again(id, key)).id).to.equal(made[0].id)
    expect(made[1].id).to.equal(made[0].id)
    expect(await countRows(context, 'messages')).to.equal(count + 1)
  })

  it('makes another message for another key', async () => {
    const id = await queueMessage(context, line, { status: 'failed' })
    expect((await again(id)).id).not.to.equal((await again(id)).id)
  })

  it('takes the same key for another message as another request', async () => {
    const key = newId()
    const first = await again(await queueMessage(context, line, { status: 'failed' }), key)
    const second = await again(await queueMessage(context, line, { status: 'failed' }), key)
    expect(second.id).not.to.equal(first.id)
  })

  for (const status of ['queued', 'sending', 'sent', 'delivered']) {
    it(`is refused for a message that is ${status}`, async () => {
      const id = await queueMessage(context, line, { status })
      expect(await refusal(again(id))).to.deep.equal(NOT_AGAIN)
    })
  }

  it('is refused for a message that was received', async () => {
    const id = await queueMessage(context, line, { status: 'failed', direction: 'inbound' })
    expect(await refusal(again(id))).to.deep.equal(NOT_AGAIN)
  })

  it('is refused for another user’s message, and for none', async () => {
    const id = await queueMessage(context, line, { status: 'failed' })
    const { userId } = await createLine(context)
    for (const wrong of [() => again(id, newId(), userId), () => again(newId()), () => again('x')]) {
      expect(await refusal(wrong())).to.deep.equal({ status: 404, message: 'no such message' })
    }
  })

  it('is refused while the line is disabled', async () => {
    const id = await queueMessage(context, line, { status: 'failed' })
    await setLineStatus(context, line.userId, line.lineId, 'disabled')
    expect(await refusal(again(id))).to.include({ status: 409 })
  })

  it('is refused where the line may not send any more', async () => {
    const id = await queueMessage(context, line, { status: 'failed' })
    await context
      .db('lines')
      .where({ id: line.lineId })
      .update({ allowed_countries: ['GB'] })
    expect(await refusal(again(id))).to.deep.equal({ status: 403, message: 'Destination is not allowed' })
  })

  for (const key of ['', 'x'.repeat(256)]) {
    it(`needs a key, unlike one of ${key.length} characters`, async () => {
      const id = await queueMessage(context, line, { status: 'failed' })
      expect(await refusal(again(id, key))).to.include({ status: 400 })
    })
  }

  it('has to come later while too many messages of the line wait', async () => {
    const id = await queueMessage(context, line, { status: 'failed' })
    for (let n = 0; n < 3; n += 1) await queueMessage(context, line)
    const thrown: unknown = await again(id).catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(Unavailable)
  })
})
