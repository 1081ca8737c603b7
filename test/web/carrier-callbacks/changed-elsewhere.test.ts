import { expect } from 'chai'
import { getCarrierAccount, removeCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { changeCarrierAccount } from '../../../src/domain/carriers/accounts/change.js'
import { newSid } from '../../carriers/twilio/stand-in.js'
import { messageRow, queueMessage } from '../../domain/fixtures.js'
import { createJoinedContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { describeWith, openForSuite } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { newNumber } from '../support.js'
import { addTwilio, serveTwilio, type Called, type TwilioSide } from './support.js'

const OLD = '0'.repeat(32)
const NEW = '1'.repeat(32)

/** `web` remembers accounts: what one process changes must hold in every other from the next request on. */
describeWith('an account at Twilio that another process has changed', serveTwilio, (side) => {
  const elsewhere = openForSuite(() => createJoinedContext(side.context))
  let name: string
  let accountId: string
  let line: TestLine
  let count = 0

  beforeEach(async () => {
    count += 1
    name = `changed-${count}`
    const account = await addTwilio(elsewhere, name, { authToken: OLD })
    accountId = account.id
    line = await createLine(elsewhere, { carrierAccount: name })
    expect(await bring(OLD)).to.include({ status: 200 })
    expect(side.context.callingAccounts.remembered(accountId)).not.to.equal(undefined)
  })

  const message = () => ({ MessageSid: newSid('SM'), From: newNumber(), To: line.number, Body: 'Hi' })
  const bring = (authToken: string, fields: Record<string, string> = message()): Promise<Called> =>
    side.call('message', fields, { accountId, authToken })
  const received = () =>
    side.context.db('messages').where({ line_id: line.lineId, direction: 'inbound' }).pluck('id')
  const change = async (settings: Record<string, unknown>) =>
    changeCarrierAccount(elsewhere, await getCarrierAccount(elsewhere, name), { settings })
  const remove = async () => {
    await elsewhere.db('lines').where({ id: line.lineId }).update({ carrier: 'simulator' })
    await removeCarrierAccount(elsewhere, await getCarrierAccount(elsewhere, name))
  }
  /** A message of the line that was handed over, and nobody has heard of since. */
  const report = (messageId: string, authToken: string) =>
    side.call(
      `status?messageId=${messageId}`,
      { MessageSid: newSid('SM'), MessageStatus: 'delivered' },
      { accountId, authToken },
    )
  const queueUnknown = () => queueMessage(side.context, line, { status: 'unknown' })
  const statusOf = async (id: string) => (await messageRow(side.context, id)).status

  it('takes in nothing by an old auth token once its change is answered, while it is busy', async () => {
    let isChanged = false
    let isOver = false
    const taken = { before: 0, afterwards: 0, new: 0 }
    let refused = 0
    const bringOften = async () => {
      while (!isOver) {
        const isOld = isChanged
        const { status } = await bring(OLD)
        if (status === 200) taken[isOld ? 'afterwards' : 'before'] += 1
        else {
          expect(status).to.equal(403)
          refused += 1
        }
        if (isOld) {
          expect(await bring(NEW)).to.include({ status: 200 })
          taken.new += 1
        }
      }
    }
    const bringing = Array.from({ length: 4 }, () => bringOften())
    await until('it is busy', () => taken.before > 30)
    await change({ authToken: NEW })
    isChanged = true
    await until('it has answered since', () => taken.new > 30)
    isOver = true
    await Promise.all(bringing)
    expect(taken.afterwards).to.equal(0)
    expect(refused).to.be.greaterThan(20)
    expect(await received()).to.have.length(1 + taken.before + taken.new)
  })

  it('takes the new auth token at once, and the old one no more', async () => {
    await change({ authToken: NEW })
    expect(await bring(NEW)).to.include({ status: 200 })
    expect(await bring(OLD)).to.include({ status: 403 })
    expect(await received()).to.have.length(2)
  })

  it('refuses the old auth token before it says anything else', async () => {
    const id = await queueUnknown()
    await change({ authToken: NEW })
    const known = () => side.context.callingAccounts.remembered(accountId)
    const believed = { ...known() }
    for (const [what, fields] of [
      ['message', message()],
      ['message', { ...message(), Body: 'STOP' }],
      ['message', { ...message(), To: '+15005550666' }],
      ['message', {}],
      ['voice', message()],
      ['voice?ended=1', message()],
      ['status', {}],
      [`status?messageId=${id}`, { MessageSid: newSid('SM'), MessageStatus: 'delivered' }],
      ['recording', {}],
      [
        `recording?from=%2B1500&to=${encodeURIComponent(line.number)}`,
        { RecordingSid: newSid('RE'), RecordingUrl: 'https://x/y', RecordingStatus: 'completed' },
      ],
    ] as [Parameters<TwilioSide['call']>[0], Record<string, string>][]) {
      // Each of them finds what this process believed before the change.
      Object.assign(known() ?? {}, believed)
      expect(known(), what).to.have.nested.property('settings.authToken', OLD)
      expect(await side.call(what, fields, { accountId, authToken: OLD }), what).to.include({ status: 403 })
    }
    expect(await received()).to.have.length(1)
    expect(await statusOf(id)).to.equal('unknown')
    expect(await elsewhere.db('carrier_message_ids').where({ message_id: id })).to.deep.equal([])
  })

  it('takes a report by the new auth token, and none by the old one', async () => {
    const id = await queueUnknown()
    await change({ authToken: NEW })
    expect(await report(id, OLD)).to.include({ status: 403 })
    expect(await statusOf(id)).to.equal('unknown')
    expect(await report(id, NEW)).to.include({ status: 200 })
    expect(await statusOf(id)).to.equal('delivered')
  })

  it('goes on with the same auth token when something else was changed', async () => {
    await change({ greeting: 'Say it' })
    expect(await bring(OLD)).to.include({ status: 200 })
    const voice = await side.call('voice', message(), { accountId, authToken: OLD })
    expect(voice.text).to.contain('<Say>Say it</Say>')
    expect(await received()).to.have.length(2)
  })

  it('and removed answers 404', async () => {
    await remove()
    expect(await bring(OLD)).to.include({ status: 404 })
    expect(await side.call('voice', message(), { accountId, authToken: OLD })).to.include({ status: 404 })
    expect(await report(await queueUnknown(), OLD)).to.include({ status: 404 })
    expect(await received()).to.have.length(1)
  })

  it('and removed, with another of its name since, answers 404', async () => {
    await remove()
    await addTwilio(elsewhere, name, { authToken: OLD })
    await elsewhere.db('lines').where({ id: line.lineId }).update({ carrier: name })
    expect(await bring(OLD)).to.include({ status: 404 })
    expect(await received()).to.have.length(1)
  })

  it('takes in nothing for a line that was moved to another account', async () => {
    const other = await addTwilio(elsewhere, `${name}-other`, { authToken: NEW })
    await elsewhere.db('lines').where({ id: line.lineId }).update({ carrier: other.name })
    const answer = await bring(OLD)
    expect(answer).to.include({ status: 404 })
    expect(answer.text).to.contain(`No line of ${name} has this number`)
    expect(await received()).to.have.length(1)
    expect(await side.call('message', message(), { accountId: other.id, authToken: NEW })).to.include({
      status: 200,
    })
    expect(await received()).to.have.length(2)
  })
})
