import { expect } from 'chai'
import { notePhone } from '../../../../src/domain/carriers/accounts/phones.js'
import { addCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { pauseCountry } from '../../../../src/database/messages/country-guard.js'
import { NOTICE_KINDS } from '../../../../src/domain/operating/notices/kinds.js'
import { describeNoticeInText } from '../../../../src/domain/operating/notices/describe.js'
import { notifyOfTroubles } from '../../../../src/domain/operating/notices/watch.js'
import { deleteOldCauses, takeMoment } from '../../../../src/database/operating/notice-causes.js'
import { noteCharges } from '../../../../src/database/messages/charges.js'
import { setMonthlyCap } from '../../../../src/domain/messages/spending/monthly-caps.js'
import { setSpendCap } from '../../../../src/domain/messages/spending/spend-caps.js'
import { setLineEndpointUrl } from '../../../../src/domain/lines/connections.js'
import { describeContext, joinService } from '../../../helpers/context.js'
import { createLine, lineForEachTest, type TestLine } from '../../../helpers/factories.js'
import { ago, changeRows, ANNA, queueMessage } from '../../fixtures.js'
import { createApplication } from '../../applications/applications.js'
import { createPerson } from '../../people/people.js'
import { forgetNotices, kindsTold, letTimePass, setEndpoint, toldNotices } from './fixtures.js'

const URL_WITH_SECRET = 'https://hooks.example.com/secret-path?token=secret-token'

describeContext('what people are told of', (context) => {
  const other = joinService(context)

  /** Queues have no workers here, which is not what these tests are about. */
  const line = lineForEachTest(context, { name: 'Front desk' })
  beforeEach(async () => {
    await context.db('messages').delete()
    await context.db('endpoints').update({ removed_at: context.db.fn.now() })
    await forgetNotices(context)
    await setUrl(line)
  })

  async function setUrl({ userId, lineId }: TestLine) {
    await setLineEndpointUrl(context, userId, lineId, 'http://127.0.0.1:9/hook')
    await changeRows(context, 'endpoints', { user_id: userId }, { url: URL_WITH_SECRET })
  }

  const look = () => notifyOfTroubles(context)
  const set = (columns: Parameters<typeof setEndpoint>[2]) => setEndpoint(context, line.userId, columns)
  const forEndpoint = async () => (await kindsTold(context)).filter((kind) => kind.startsWith('endpoint.'))

  describe('of endpoints', () => {
    it('is nothing before the fourth failure in a row', async () => {
      await set({ failing: '1 minute', failures: 3 })
      await look()
      expect(await forEndpoint()).to.deep.equal([])
    })

    it('is a failing one, with its host, its owner and how long, and neither its path nor a number', async () => {
      const endpointId = await set({ failing: '2 minutes', failures: 4 })
      await look()
      const [notice] = await toldNotices(context, 'endpoint.failing')
      expect(notice).to.include({ subject: endpointId, user_id: line.userId })
      expect(notice?.details).to.include({
        endpointId,
        host: 'hooks.example.com',
        lineId: line.lineId,
        lineName: 'Front desk',
        failureCount: 4,
        lastFailure: null,
      })
      expect(notice?.details.failingForMs).to.be.within(119_000, 130_000)
      expect(JSON.stringify(notice)).to.not.match(/secret|\+1555/)
    })

    it('comes once, however often and by however many processes one looks', async () => {
      await set({ failing: '2 minutes', failures: 4 })
      await Promise.all(Array.from({ length: 12 }, (_, n) => notifyOfTroubles(n % 2 === 0 ? context : other)))
      await look()
      expect(await forEndpoint()).to.deep.equal(['endpoint.failing'])
    })

    it('comes again after an hour of failures, a day before it is disabled, and when it is', async () => {
      await set({ failing: '2 minutes', failures: 4 })
      await look()
      for (const [failing, passed] of [
        ['59 minutes', '57 minutes'],
        ['61 minutes', '4 minutes'],
        ['1 day', '1 day'],
        ['97 hours', '3 days'],
      ] as const) {
        await set({ failing, failures: 9 })
        await letTimePass(context, passed)
        await look()
        await look()
      }
      await set({ failing: '5 days', failures: 20, disabled: 'failing' })
      await look()
      expect(await forEndpoint()).to.deep.equal([
        'endpoint.failing',
        'endpoint.failing',
        'endpoint.failing',
        'endpoint.disabled',
      ])
    })

    it('is one that works again, once, after it was told that it failed', async () => {
      await set({ failing: '2 minutes', failures: 4 })
      await look()
      await set({})
      await look()
      await look()
      expect(await forEndpoint()).to.deep.equal(['endpoint.failing', 'endpoint.recovered'])
    })

    it('is not that it works again where nobody was told that it failed', async () => {
      await set({ failing: '1 minute', failures: 3 })
      await look()
      await set({})
      await look()
      expect(await forEndpoint()).to.deep.equal([])
    })

    it('is not more than one of each kind in an hour when it fails now and then', async () => {
      for (let n = 0; n < 5; n += 1) {
        await set({ failing: '2 minutes', failures: 4 })
        await look()
        await set({})
        await look()
        await letTimePass(context, '11 minutes')
      }
      expect(await forEndpoint()).to.deep.equal(['endpoint.failing', 'endpoint.recovered'])
      await letTimePass(context, '5 minutes')
      await set({ failing: '2 minutes', failures: 4 })
      await look()
      expect(await forEndpoint()).to.have.length(3)
    })

    it('waits with the good news until the hour after the last is over', async () => {
      const becomes = async (columns: Parameters<typeof set>[0], passed: string) => {
        await letTimePass(context, passed)
        await set(columns)
        await look()
        return (await forEndpoint()).length
      }
      const failing = { failing: '2 minutes', failures: 4 }
      expect(await becomes(failing, '0 minutes')).to.equal(1)
      expect(await becomes({}, '50 minutes')).to.equal(2)
      expect(await becomes(failing, '15 minutes')).to.equal(3)
      expect(await becomes({}, '5 minutes')).to.equal(3)
      expect(await becomes({}, '41 minutes')).to.equal(4)
      expect((await forEndpoint()).at(-1)).to.equal('endpoint.recovered')
    })

    it('is not good news when a person has enabled it, before an event has arrived', async () => {
      await set({ failing: '5 days', failures: 20, disabled: 'gone' })
      await look()
      await set({ isCalled: false })
      await look()
      expect(await forEndpoint()).to.deep.equal(['endpoint.disabled'])
      await set({ isCalled: true })
      await look()
      expect(await forEndpoint()).to.deep.equal(['endpoint.disabled', 'endpoint.recovered'])
    })

    it('is one of an application, for whoever has registered it', async () => {
      const webhookUrl = 'http://127.0.0.1:9/secret-path'
      const application = await createApplication(context, { name: 'Auto Reply', webhookUrl })
      const endpointId = await setEndpoint(context, application.userId, { failing: '2 minutes', failures: 4 })
      await look()
      const [notice] = await toldNotices(context, 'endpoint.failing')
      expect(notice).to.include({ subject: endpointId, user_id: application.userId })
      expect(notice?.details).to.include({
        applicationId: application.id,
        applicationName: 'Auto Reply',
        lineId: null,
        host: '127.0.0.1:9',
      })
    })

    it('is not that it goes on failing while somebody has paused it', async () => {
      await set({ failing: '2 minutes', failures: 4 })
      await look()
      await changeRows(context, 'endpoints', { user_id: line.userId }, { paused_at: context.db.fn.now() })
      await set({ failing: '2 hours', failures: 4 })
      await letTimePass(context, '2 hours')
      await look()
      expect(await forEndpoint()).to.deep.equal(['endpoint.failing'])
    })

    it('is neither one whose user an operator has disabled, nor one that has no URL any more', async () => {
      await set({ failing: '2 minutes', failures: 9, disabled: 'owner_disabled' })
      await look()
      await set({ failing: '2 minutes', failures: 9 })
      await context.db('endpoints').update({ removed_at: context.db.fn.now() })
      await look()
      expect(await forEndpoint()).to.deep.equal([])
    })
  })

  describe('of messages', () => {
    const addUnknown = (age: string) =>
      queueMessage(context, line, {
        status: 'unknown',
        to_number: ANNA,
        text: 'a text that nobody else reads',
        claimed_at: context.db.raw('now() - ?::interval', [age]),
      })
    const told = async () =>
      (await toldNotices(context, 'messages.unknown')).map(({ details }) => details.count)

    it('is how many became unknown, without their texts and numbers', async () => {
      await addUnknown('3 minutes')
      await addUnknown('4 minutes')
      await look()
      const [notice] = await toldNotices(context, 'messages.unknown')
      expect(notice).to.include({ subject: line.userId, user_id: line.userId })
      expect(notice?.details).to.deep.equal({ userId: line.userId, count: 2 })
      const { text } = NOTICE_KINDS['messages.unknown']
      expect(text({ userId: line.userId, count: 2 })).to.include('may have sent them, so they are not')
      expect(text({ userId: line.userId, count: 1 })).to.include('may have sent it, so it is not')
    })

    it('waits for what a carrier may still say, and for nothing older than a day', async () => {
      await addUnknown('1 minute')
      await addUnknown('25 hours')
      await look()
      expect(await told()).to.deep.equal([])
    })

    it('is not twice in an hour of what is over at once, although its row is a week old', async () => {
      const take = () => takeMoment(context.db, 'endpoint.recovered', line.endpointId)
      expect(await take()).to.be.true
      await context
        .db('notice_causes')
        .where({ subject: line.endpointId })
        .update({
          told_at: ago(context, '2 hours'),
          ended_at: ago(context, '8 days'),
        })
      expect(await take()).to.be.true
      await deleteOldCauses(context.db)
      expect(await take()).to.be.false
    })

    it('counts none twice, and those of an hour together', async () => {
      await addUnknown('10 minutes')
      await look()
      await addUnknown('5 minutes')
      await look()
      await addUnknown('4 minutes')
      await look()
      expect(await told()).to.deep.equal([1])
      await letTimePass(context, '1 hour')
      await look()
      await look()
      expect(await told()).to.deep.equal([1, 2])
    })
  })

  it('tells the owner of a spend cap from 80% on, once a day, and again when it was changed', async () => {
    const cap = (part: object) => changeRows(context, 'spend_caps', { owner_id: line.lineId }, part)
    await setSpendCap(context, { of: 'line', id: line.lineId, userId: line.userId }, 5)
    await cap({ used: 3 })
    await look()
    expect(await toldNotices(context, 'cap.near')).to.deep.equal([])
    await cap({ used: 4 })
    await Promise.all([look(), notifyOfTroubles(other)])
    await look()
    const [notice, ...others] = await toldNotices(context, 'cap.near')
    expect(others).to.deep.equal([])
    expect(notice).to.include({ subject: line.lineId, user_id: line.userId })
    expect(describeNoticeInText({ kind: 'cap.near', details: notice?.details }).title).to.equal(
      'Daily segment cap at 80%: Front desk',
    )
    await setSpendCap(context, { of: 'user', id: line.userId }, 10)
    await changeRows(context, 'spend_caps', { owner_id: line.userId }, { used: 10 })
    await cap({ segments_per_day: 6, used: 5 })
    await letTimePass(context, '1 hour')
    await look()
    expect((await toldNotices(context, 'cap.near')).map(({ subject }) => subject)).to.have.members([
      line.lineId,
      line.lineId,
      line.userId,
    ])
  })

  it('tells the owner of a monthly cap from 80% on, once a month', async () => {
    const money = { amount: '5', currency: 'USD' }
    await setMonthlyCap(context, { of: 'line', id: line.lineId, userId: line.userId }, money)
    const spend = async (price: string) => {
      const id = await queueMessage(context, line, { status: 'sent', handed_over_at: new Date() })
      await noteCharges(context.db, [{ id, price, currency: 'USD' }])
      await look()
    }
    await spend('3.99')
    expect(await toldNotices(context, 'monthly_cap.near')).to.deep.equal([])
    await spend('0.02')
    await spend('0.5')
    const [notice, ...others] = await toldNotices(context, 'monthly_cap.near')
    expect(others).to.deep.equal([])
    expect(notice).to.deep.include({ subject: line.lineId, user_id: line.userId })
    expect(describeNoticeInText({ kind: 'monthly_cap.near', details: notice?.details }).text).to.match(
      /^4\.01 of 5\.00 USD spent this month/,
    )
  })

  it('tells the owner of a country that the guard has paused, once for each pause', async () => {
    const rise = { userId: line.userId, country: 'JM', accepted: 340, usual: 12 }
    await pauseCountry(context.db, rise)
    await look()
    await look()
    const [notice, ...others] = await toldNotices(context, 'country.paused')
    expect(others).to.deep.equal([])
    expect(notice).to.deep.include({ user_id: line.userId, details: rise })
    expect(describeNoticeInText({ kind: 'country.paused', details: rise })).to.deep.include({
      title: 'Messages to Jamaica are refused',
    })
  })

  it('tells the owners of any number of full caps and paused countries, and each once', async () => {
    const { db } = context
    const many = 450
    const { rows: users } = await db.raw<{ rows: { id: string }[] }>(
      `insert into users (id, email, name)
       select lowest_id_at(now() + n * interval '1 ms'), 'cap-' || n || '@example.com', 'Ada' from generate_series(1, ?) n
       returning id`,
      [many],
    )
    const ids = users.map(({ id }) => id)
    await db.raw(
      `insert into spend_caps (owner_id, segments_per_day, used, amount_per_month, currency)
       select id, 5, 5, 1, 'USD' from unnest(?::uuid[]) id`,
      [ids],
    )
    await db.raw(
      `insert into spending (line_id, user_id, month, currency, message_count, amount)
       select id, id, date_trunc('month', clock_timestamp() at time zone 'UTC')::date, 'USD', 1, 1 from unnest(?::uuid[]) id`,
      [ids],
    )
    await db.raw(
      `insert into country_pauses (user_id, country, accepted, usual) select id, 'JM', 340, 12 from unnest(?::uuid[]) id`,
      [ids],
    )
    const told = async (kind: string) => {
      const subjects = (await toldNotices(context, kind)).map(({ subject }) => subject.slice(0, 36))
      return subjects.filter((id) => ids.includes(id)).length
    }
    // Some are over, and by an hour others could be told again.
    for (let n = 0; n < 4; n += 1) await look()
    await db('country_pauses').whereIn('user_id', ids.slice(0, 50)).update({ resumed_at: db.fn.now() })
    await changeRows(context, 'spend_caps', { owner_id: ids[0] }, { used: 0 })
    await letTimePass(context, '2 hours')
    for (let n = 0; n < 4; n += 1) await look()
    for (const kind of ['cap.near', 'monthly_cap.near', 'country.paused'])
      expect(await told(kind), kind).to.equal(many)
    await db('spend_caps').whereIn('owner_id', ids).delete()
    await db('users').whereIn('id', ids).delete()
  })

  describe('of queues and carriers', () => {
    it('is what has been so for a minute, for operators only', async () => {
      await look()
      expect(await toldNotices(context, 'queue.stuck')).to.deep.equal([])
      await letTimePass(context, '1 minute')
      await look()
      const stuck = await toldNotices(context, 'queue.stuck')
      expect(stuck.map(({ subject }) => subject)).to.include.members(['send-message', 'deliver-event'])
      expect(stuck.every(({ user_id: userId }) => userId === null)).to.equal(true)
      expect(stuck[0]?.details.why).to.match(/process is running. Start one/)
    })

    it('is a carrier that cannot be reached, and that it works again', async () => {
      const waiting = await queueMessage(context, line, { error: 'carrier_unavailable' })
      await look()
      await letTimePass(context, '1 minute')
      await look()
      await context.db('messages').where({ id: waiting }).delete()
      await look()
      const notices = (await toldNotices(context)).filter(({ kind }) => kind.startsWith('carrier.'))
      expect(notices.map(({ kind, details }) => [kind, details.name, details.state])).to.deep.equal([
        ['carrier.down', 'simulator', 'unreachable'],
        ['carrier.recovered', 'simulator', notices[1]?.details.state],
      ])
    })

    it('is nothing that was over within the minute', async () => {
      const waiting = await queueMessage(context, line, { error: 'carrier_unavailable' })
      await look()
      await context.db('messages').where({ id: waiting }).delete()
      await look()
      await letTimePass(context, '2 minutes')
      await look()
      expect((await kindsTold(context)).filter((kind) => kind.startsWith('carrier.'))).to.deep.equal([])
    })
  })

  it('is a phone that has not been heard of for 10 minutes, and that it is back', async () => {
    const settings = { username: 'sms', password: 'p', signingKey: 'k', apiUrl: 'http://127.0.0.1:9' }
    const account = await addCarrierAccount(context, { name: 'phone', kind: 'smsgate', settings })
    const heardBefore = (minutes: number) =>
      notePhone(context, account, {
        ...{ id: 'one', awayAfterMs: 600_000, isCharging: true },
        contactAt: new Date(Date.now() - minutes * 60_000),
      })
    const toldOfPhone = async () =>
      (await toldNotices(context)).filter(({ kind }) => kind.startsWith('phone.'))
    const lookTwice = async () => {
      await look()
      await letTimePass(context, '1 minute')
      await look()
    }
    await heardBefore(11)
    await lookTwice()
    expect(await toldOfPhone(), 'no line sends by it').to.deep.equal([])

    await createLine(context, { carrierAccount: 'phone' })
    await heardBefore(9)
    // What comes late does not make it older.
    await heardBefore(11)
    await lookTwice()
    expect(await toldOfPhone()).to.deep.equal([])

    await changeRows(context, 'carrier_accounts', { id: account.id }, { phones: '{}' })
    await heardBefore(11)
    await lookTwice()
    await look()
    await heardBefore(0)
    await look()
    const told = await toldOfPhone()
    expect(told.map(({ kind, details }) => [kind, details.name, details.awayCount])).to.deep.equal([
      ['phone.away', 'phone', 1],
      ['phone.back', 'phone', 0],
    ])
    expect(describeNoticeInText(told[0]!).text).to.match(
      /^Last contact: \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Messages wait/,
    )
  })

  it('goes out by no mail and no webhook where none is configured', async () => {
    await createPerson(context, { role: 'operator' })
    await set({ failing: '2 minutes', failures: 4 })
    await look()
    expect(await forEndpoint()).to.have.length(1)
    expect(await context.db('dispatches').select()).to.deep.equal([])
  })
})
