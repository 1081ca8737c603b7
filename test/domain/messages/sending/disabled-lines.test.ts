import { expect } from 'chai'
import { transaction } from '../../../../src/database/connection.js'
import { addCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { setLineStatus } from '../../../../src/domain/lines/lines.js'
import { endOnDisabledLines } from '../../../../src/domain/messages/send/end-on-disabled-lines.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { COMMAND_LINE, pauseLine } from '../../../../src/domain/operating/pauses.js'
import { disableUser, enableUser } from '../../../../src/domain/people/disabled-users.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { BIRDS } from '../../../helpers/services/parrot.js'
import { until } from '../../../helpers/until.js'
import { BEN, messageRow, queueMessage, queueMessages, UNLIMITED } from '../../fixtures.js'

const TOMORROW = { status: 'scheduled', send_at: new Date(Date.now() + 86_400_000) }
const ENDED = { status: 'failed', error: 'line_disabled' }

describeContext('messages that wait when their line is disabled', { carrierKinds: BIRDS }, (context) => {
  let line: TestLine
  const disable = () => setLineStatus(context, line.userId, line.lineId, 'disabled')
  const enable = () => setLineStatus(context, line.userId, line.lineId, 'active')

  beforeEach(async () => {
    line = await createLine(context)
  })

  async function expectAll(ids: readonly string[], columns: object): Promise<void> {
    for (const id of ids) expect(await messageRow(context, id)).to.include(columns)
  }

  it('end, those of a pause and scheduled ones too, and those of other lines go on', async () => {
    await pauseLine(context, COMMAND_LINE, { id: line.lineId, userId: line.userId })
    const [stopped] = await queueMessages(context, line, 1)
    expect(await sendMessage(context, stopped!)).to.deep.equal({ kind: 'stopped' })
    const ids = [stopped!, await queueMessage(context, line), await queueMessage(context, line, TOMORROW)]
    const sending = await queueMessage(context, line, { to_number: BEN, status: 'sending' })
    const another = await queueMessage(context, await createLine(context))
    await disable()
    await endOnDisabledLines(context)
    await expectAll(ids, ENDED)
    await expectAll([sending], { status: 'sending' })
    await expectAll([another], { status: 'queued' })
    expect(await context.db('lines').whereNotNull('disabled_at').pluck('id')).to.deep.equal([])
  })

  it('end in batches', async () => {
    await queueMessages(context, line, 501)
    await disable()
    await endOnDisabledLines(context)
    const statuses = context.db('messages').where({ line_id: line.lineId }).distinct('status', 'error')
    expect(await statuses).to.deep.equal([ENDED])
  })

  it('end before the line is enabled, if no process did it until then', async () => {
    const ids = [await queueMessage(context, line), await queueMessage(context, line, TOMORROW)]
    await disable()
    await enable()
    await expectAll(ids, ENDED)
    const next = await queueMessage(context, line)
    await endOnDisabledLines(context)
    expect(await sendMessage(context, next)).to.deep.equal({ kind: 'sent' })
  })

  it('end with those of all lines of a user that is stopped', async () => {
    const ids = [await queueMessage(context, line), await queueMessage(context, line, TOMORROW)]
    await disableUser(context, line.userId, 'stops')
    await endOnDisabledLines(context)
    await expectAll(ids, ENDED)
  })

  it('end before the user is enabled, if no process did it until then', async () => {
    const id = await queueMessage(context, line)
    await disableUser(context, line.userId, 'stops')
    await enableUser(context, line.userId)
    await expectAll([id], ENDED)
  })

  const again: [what: string, off: () => Promise<void>, on: () => Promise<void>][] = [
    ['the line', disable, enable],
    ['the user', () => disableUser(context, line.userId, 'stops'), () => enableUser(context, line.userId)],
  ]
  for (const [what, off, on] of again) {
    it(`end before ${what} is enabled, also those that somebody has locked at that moment`, async () => {
      const locked = await queueMessage(context, line)
      await off()
      const { enabling } = await transaction(context.db, async (trx) => {
        await trx('messages').where({ id: locked }).forUpdate().select('id')
        let isEnabled = false
        const begun = on().then(() => (isEnabled = true))
        // One after the other, so that it has looked again while the first is locked.
        for (let n = 0; n < 3; n += 1) {
          const free = await queueMessage(context, line)
          const hasEnded = async () => isEnabled || (await messageRow(context, free)).status === 'failed'
          await until('it has ended', hasEnded)
        }
        return { enabling: begun }
      })
      await enabling
      await expectAll([locked], ENDED)
    })
  }

  it('end later if somebody has locked them', async () => {
    const id = await queueMessage(context, line)
    await disable()
    await transaction(context.db, async (trx) => {
      await trx('messages').where({ id }).forUpdate().select('id')
      await endOnDisabledLines(context)
    })
    await expectAll([id], { status: 'queued' })
    await endOnDisabledLines(context)
    await expectAll([id], ENDED)
  })

  it('give their places back', async () => {
    const carrierAccount = 'finch-of-two'
    await addCarrierAccount(context, {
      ...{ name: carrierAccount, kind: 'finch', settings: { pin: 'x' } },
      ...{ messagesPerSecond: 0.001, messagesPerSecondPerLine: null },
    })
    line = await createLine(context, { carrierAccount, ...UNLIMITED })
    const another = await createLine(context, { carrierAccount, ...UNLIMITED })
    const sent = await queueMessage(context, line)
    expect(await sendMessage(context, sent)).to.deep.equal({ kind: 'sent' })
    const waits = await queueMessage(context, line)
    const behind = await queueMessage(context, another)
    for (const id of [waits, behind]) expect(await sendMessage(context, id)).to.include({ kind: 'wait' })
    await disable()
    await endOnDisabledLines(context)
    await until('it asks earlier', async () => (await messageRow(context, behind)).job_generation === 1)
  })
})
