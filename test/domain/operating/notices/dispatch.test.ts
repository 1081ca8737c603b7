import { expect } from 'chai'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Context } from '../../../../src/domain/context.js'
import { claimOfOne, endDispatches } from '../../../../src/database/operating/dispatches.js'
import { sendMails } from '../../../../src/domain/operating/notices/dispatch.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { addEndpoint } from '../../../../src/domain/endpoints/endpoints.js'
import { countReplay } from '../../../../src/domain/endpoints/deliveries/replay.js'
import { createTail } from '../../../../src/domain/endpoints/tail.js'
import { changePolicy } from '../../../../src/domain/endpoints/policies.js'
import { sendTestEvent } from '../../../../src/domain/endpoints/test-event.js'
import { eventSchema } from '../../../../src/web/openapi/event-types.js'
import { notifyOfTroubles } from '../../../../src/domain/operating/notices/watch.js'
import { setNoticeMails } from '../../../../src/domain/operating/notices.js'
import { timeOfId } from '../../../../src/ids.js'
import { disableUser } from '../../../../src/domain/people/disabled-users.js'
import { createMailer } from '../../../../src/mail.js'
import { scrape } from '../../../../src/telemetry/metrics.js'
import { describeContext, joinService } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { lowestIdAt } from '../../../helpers/lowest-id.js'
import { findMetric, parseMetrics } from '../../../helpers/metrics.js'
import { memoryLog } from '../../../helpers/process/log.js'
import { startMailServer } from '../../../helpers/services/mail-server.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { changeRows, ahead, ago, verifyEvent } from '../../fixtures.js'
import { createPerson, type Person } from '../../people/people.js'
import { forgetNotices, losingAnswers, setEndpoint, toldNotices } from './fixtures.js'
import { expectRefusal } from '../../refusal.js'

const MAIL_FROM = 'Acme Lines <lines@acme.example>'

const ENVIRONMENT = {
  PUBLIC_URL: 'https://lines.acme.example',
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM,
}

interface DispatchRow {
  kind: string
  user_id: string | null
  status: string
  attempt_count: number
  last_failure: string | null
  due_at: Date
}

describeContext('what goes out of a notice', { environment: ENVIRONMENT }, (plain) => {
  const other = joinService(plain, ENVIRONMENT)
  const server = openForEachTest(startMailServer)
  const receiver = openForEachTest(startReceiver)
  let log: ReturnType<typeof memoryLog>
  let operator: Person
  let owner: Person
  let line: TestLine
  let context: Context

  /** The servers of a test have ports of their own. */
  const withServers = (base: Context, patienceMs = 20_000): Context => ({
    ...base,
    log: log.log,
    mailer: createMailer(
      { url: server.url, from: MAIL_FROM },
      { connectMs: patienceMs, silentMs: patienceMs, totalMs: 2 * patienceMs },
    ),
  })

  beforeEach(async () => {
    await forgetNotices(plain)
    await plain.db('users').update({ disabled_at: plain.db.fn.now() })
    await plain.db('endpoints').update({ removed_at: plain.db.fn.now() })
    log = memoryLog()
    context = withServers(plain)
    operator = await createPerson(plain, { role: 'operator' })
    owner = await createPerson(plain)
    line = await addLine('Front desk')
  })

  const addLine = (name: string) =>
    createLine(plain, {
      name,
      userId: owner.id,
      outgoingUrl: 'http://127.0.0.1:9/secret-path?token=secret-token',
    })

  /** All endpoints of the owner fail, and that is told. */
  async function tell() {
    await setEndpoint(plain, line.userId, { failing: '2 minutes', failures: 4 })
    expect(await notifyOfTroubles(context)).to.be.above(0)
  }

  const rows = (kind: string) =>
    plain.db<DispatchRow>('dispatches').where({ kind }).orderBy('id').select<DispatchRow[]>()
  const rowOf = async (kind: string, person: Person | null = null) =>
    (await rows(kind)).find(({ user_id: userId }) => userId === (person?.id ?? null))
  const makeDue = () => plain.db('dispatches').update({ due_at: plain.db.fn.now() })
  const recipients = () => server.mails.flatMap(({ to }) => to)

  describe('by mail', () => {
    it('is one to the owner and one to each operator, in words, with a link and without anything secret', async () => {
      await tell()
      expect(await sendMails(context)).to.equal(2)
      expect(recipients()).to.have.members([owner.email, operator.email])
      const mail = server.mails.find(({ to }) => to.includes(owner.email))
      expect(mail?.subject).to.equal('[Acme Lines] The endpoint at 127.0.0.1:9 of the line Front desk fails')
      expect(mail?.text).to.include('The last 4 requests failed over 2 min.')
      expect(mail?.text).to.match(/https:\/\/lines\.acme\.example\/console\/notices#[0-9a-f-]{36}/)
      expect(mail?.raw).to.not.match(/secret|\+1555/)
      expect(await sendMails(context)).to.equal(0)
    })

    it('is not failed by a process that comes late, while another one tries again', async () => {
      await tell()
      const late = (await claimOfOne(plain.db, 1))!
      await makeDue()
      await plain.db('dispatches').whereNot({ user_id: late.to.userId }).delete()
      const again = (await claimOfOne(plain.db, 1))!
      await endDispatches(plain.db, late.dispatches, { status: 'failed', failure: 'timeout' })
      expect((await rows('mail'))[0]).to.include({ status: 'waiting', attempt_count: 2, last_failure: null })
      await endDispatches(plain.db, again.dispatches, { status: 'sent' })
      expect((await rows('mail'))[0]).to.include({ status: 'sent' })
    })

    it('is one to each, however many processes send', async () => {
      await tell()
      await Promise.all([context, withServers(other), context, withServers(other)].map((by) => sendMails(by)))
      expect(recipients()).to.have.members([owner.email, operator.email])
    })

    it('is one mail for all that came within a minute', async () => {
      await addLine('Back office')
      await tell()
      expect(await sendMails(context)).to.equal(2)
      const mail = server.mails.find(({ to }) => to.includes(owner.email))
      expect(mail?.subject).to.match(/, and 1 more$/)
      expect(mail?.text).to.include('Front desk fails').and.to.include('Back office fails')

      await addLine('Cellar')
      await tell()
      expect(await sendMails(context)).to.equal(0)
      await plain.db('dispatches').update({ settled_at: plain.db.raw(`settled_at - interval '1 minute'`) })
      expect(await sendMails(context)).to.equal(2)
      expect(server.mails.at(-1)?.subject).to.include('Cellar')
    })

    it('has a subject that fits, with whole characters and the number of the others', async () => {
      await changeRows(plain, 'lines', line.lineId, { name: '😀'.repeat(90) })
      await addLine('😀'.repeat(90))
      await tell()
      expect(await sendMails(context)).to.equal(2)
      const subject = server.mails.find(({ to }) => to.includes(owner.email))?.subject ?? ''
      expect(subject).to.match(
        /^\[Acme Lines\] The endpoint at 127\.0\.0\.1:9 of the line 😀+…, and 1 more$/u,
      )
      expect(subject.length).to.be.within(145, 150)
    })

    it('is what each has chosen', async () => {
      await setNoticeMails(plain, operator.id, 'own')
      await setNoticeMails(plain, owner.id, 'none')
      await tell()
      expect(await sendMails(context)).to.equal(0)
      expect(await rows('mail')).to.deep.equal([])
    })

    it('is one for an operator whose own line it is, also if they want no others', async () => {
      await changeRows(plain, 'users', owner.id, { role: 'operator' })
      await tell()
      expect((await rows('mail')).map(({ user_id: id }) => id)).to.have.members([owner.id, operator.id])
      await forgetNotices(plain)
      await setNoticeMails(plain, owner.id, 'own')
      await tell()
      expect((await rows('mail')).map(({ user_id: id }) => id)).to.have.members([owner.id, operator.id])
    })

    it('is none for a user who was disabled while it waited', async () => {
      await tell()
      await disableUser(context, owner.id, 'goes_on')
      expect(await sendMails(context)).to.equal(1)
      expect(recipients()).to.deep.equal([operator.email])
      expect(await rowOf('mail', owner)).to.include({ status: 'failed', last_failure: 'user_disabled' })
    })

    it('is none half a day later where no mail server is set any more, however soon one is set again', async () => {
      await tell()
      const without = { ...context, mailer: undefined }
      expect(await sendMails(without)).to.equal(0)
      expect((await rows('mail')).map(({ status }) => status)).to.deep.equal(['waiting', 'waiting'])
      const { id } = await plain.db('dispatches').where({ user_id: owner.id }).first<{ id: string }>('id')
      const old = lowestIdAt(new Date(Date.now() - 13 * 3_600_000))
      await plain.db('dispatches').where({ id }).update({ id: old })
      expect(await sendMails(without)).to.equal(0)
      expect(await rowOf('mail', owner)).to.include({ status: 'failed', last_failure: 'no_mail_server' })
      await sendMails(context)
      expect(recipients()).to.deep.equal([operator.email])
    })

    it('is left to the process that is sending it by one that has no mail server', async () => {
      await tell()
      const [mail] = (await claimOfOne(plain.db, 1))!.dispatches
      const id = lowestIdAt(new Date(Date.now() - 13 * 3_600_000))
      await plain.db('dispatches').where({ id: mail!.id }).update({ id })
      await sendMails({ ...context, mailer: undefined })
      await endDispatches(plain.db, [{ ...mail!, id }], { status: 'sent' })
      expect((await rows('mail'))[0]).to.include({ status: 'sent', last_failure: null })
    })

    it('is tried again later after a failure that may pass, and the others are not tried meanwhile', async () => {
      await tell()
      server.behave('hang')
      const startedAt = Date.now()
      expect(await sendMails(withServers(plain, 500))).to.equal(0)
      const endedAt = Date.now()
      // An alert is over when this rises, so it has to be there before.
      const samples = parseMetrics((await scrape()).text)
      const sent = { kind: 'mail', outcome: 'sent' }
      expect(findMetric(samples, 'linehook_dispatch_attempts_total', sent)).to.be.a('number')
      const tried = (await rows('mail')).filter(({ attempt_count: count }) => count > 0)
      expect(tried.map(({ status, last_failure: failure }) => [status, failure])).to.deep.equal([
        ['waiting', 'timeout'],
      ])
      expect(tried[0]!.due_at.getTime()).to.be.within(startedAt + 6000, endedAt + 13_000)
      // Its time does not come in this test.
      await plain
        .db('dispatches')
        .where('attempt_count', '>', 0)
        .update({ due_at: ahead(plain, '1 hour') })

      server.behave('take')
      expect(await sendMails(context)).to.equal(1)
      await makeDue()
      expect(await sendMails(context)).to.equal(1)
      expect(recipients()).to.have.members([owner.email, operator.email])
    })

    it('has the same id in each attempt, and another one if there is more to tell than in the last', async () => {
      await setNoticeMails(plain, operator.id, 'none')
      await tell()
      for (let n = 0; n < 2; n += 1) {
        await makeDue()
        await sendMails(losingAnswers(context))
      }
      await addLine('Back office')
      await tell()
      await makeDue()
      expect(await sendMails(context)).to.equal(1)
      expect(server.mails.at(-1)?.text).to.include('Front desk fails').and.to.include('Back office fails')
      const [first, second, last, ...others] = server.mails.map(({ headers }) => headers['message-id'])
      expect(others).to.deep.equal([])
      expect(second).to.equal(first)
      expect(last).to.not.equal(first)
    })

    it('is given up after 15 attempts', async () => {
      await setNoticeMails(plain, operator.id, 'none')
      await tell()
      server.behave('close')
      await plain.db('dispatches').update({ attempt_count: 13 })
      for (const status of ['waiting', 'failed']) {
        await makeDue()
        await sendMails(context)
        expect(await rowOf('mail', owner)).to.include({ status, last_failure: 'closed' })
      }
    })

    it('is given up for itself: what stands in the same mail and is newer is tried again', async () => {
      await setNoticeMails(plain, operator.id, 'none')
      await tell()
      await plain.db('dispatches').update({ attempt_count: 14 })
      await addLine('Back office')
      await tell()
      server.behave('refuse-later')
      await sendMails(context)
      const ends = (await rows('mail')).map(({ status, attempt_count: count }) => [status, count])
      expect(ends).to.have.deep.members([
        ['failed', 15],
        ['waiting', 1],
      ])
    })

    it('is not tried again where the mailbox is refused, and keeps no other waiting', async () => {
      await tell()
      server.behave('refuse-recipient')
      await sendMails(context)
      expect(
        (await rows('mail')).map(({ status, last_failure: failure }) => [status, failure]),
      ).to.deep.equal([
        ['failed', 'refused_550'],
        ['failed', 'refused_550'],
      ])
    })

    it('is taken over when the process that has it is gone', async () => {
      await tell()
      await plain.db('dispatches').update({ attempt_count: 1, due_at: ahead(plain, '1 minute') })
      expect(await sendMails(context)).to.equal(0)
      await makeDue()
      expect(await sendMails(context)).to.equal(2)
    })
  })

  describe('by operational webhooks', () => {
    const addWebhook = (person: Person, path = '/hook?key=secret-key') =>
      addEndpoint(context, person.id, { isOfAccount: true }, { url: new URL(path, receiver.url).href })
    const waiting = () =>
      plain
        .db('deliveries')
        .where({ line_id: null, status: 'pending' })
        .orderBy('id')
        .select<{ id: string; endpoint_id: string }[]>('id', 'endpoint_id')
    const deliverAll = async () => {
      for (const { id, endpoint_id: endpointId } of await waiting()) await deliver(context, id, endpointId)
    }
    beforeEach(() => plain.db('deliveries').where({ line_id: null }).delete())

    it('is a signed event for the owner and for each operator, of what it is about', async () => {
      const own = await addWebhook(owner, '/own?key=secret-key')
      await addWebhook(operator, '/operator')
      await addWebhook(await createPerson(plain), '/neighbour')
      await tell()
      await deliverAll()
      expect(receiver.requests.map(({ path }) => path.replace(/\?.*/, ''))).to.have.members([
        '/own',
        '/operator',
      ])
      const request = receiver.requests.find(({ path }) => path.startsWith('/own'))
      const [notice] = await toldNotices(plain)
      const body = verifyEvent(request, own.signingSecret)
      expect(body).to.deep.include({ type: 'endpoint.failing' })
      expect((body as { data: object }).data).to.include({
        endpointId: notice?.subject,
        userId: owner.id,
        lineId: line.lineId,
        host: '127.0.0.1:9',
        title: 'The endpoint at 127.0.0.1:9 of the line Front desk fails',
      })
      const schema = eventSchema('endpoint.failing', {
        publicUrl: 'https://x.example',
        vocabulary: context.vocabulary,
      })
      const ajv = new Ajv2020({ strict: false })
      addFormats.default(ajv)
      expect(ajv.validate(schema, body), ajv.errorsText()).to.be.true
      expect(request?.body).to.not.match(/secret|\+1555/)
      expect(await waiting()).to.deep.equal([])
    })

    it('is tried again with the same id and the same body, and a receiver that fails keeps nobody waiting', async () => {
      await addWebhook(owner, '/fails')
      await addWebhook(operator, '/takes')
      await tell()
      receiver.answerWith((response, { path }) => response.writeHead(path === '/fails' ? 503 : 200).end())
      await deliverAll()
      expect(await waiting()).to.have.length(1)
      receiver.answerWith((response) => response.end())
      await changeRows(plain, 'deliveries', { line_id: null }, { due_at: plain.db.fn.now() })
      await deliverAll()
      const [first, second] = receiver.requests.filter(({ path }) => path === '/fails')
      expect(second?.body).to.equal(first?.body)
      expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id'])
      expect(await waiting()).to.deep.equal([])
    })

    it('is none of a type that its policy declines, and none for who is disabled', async () => {
      const { endpoint } = await addWebhook(owner)
      await changePolicy(context, { userId: owner.id }, endpoint.id, { declinedEvents: ['endpoint.failing'] })
      await addWebhook(operator)
      await changeRows(plain, 'users', operator.id, { disabled_at: plain.db.fn.now() })
      await tell()
      expect(await waiting()).to.deep.equal([])
    })

    it('is told of itself when it fails, and has all that endpoints have: a test event, replay, a text for a chat', async () => {
      const { endpoint } = await addWebhook(owner)
      const caller = { userId: owner.id }
      expect(await sendTestEvent(context, caller, endpoint.id)).to.include({ delivered: true })
      await expectRefusal(sendTestEvent(context, caller, endpoint.id, 'inboundText'), 400)
      await changePolicy(context, caller, endpoint.id, { shape: 'slack' })
      await tell()
      await deliverAll()
      expect(receiver.requests.at(-1)?.body).to.include(
        'The endpoint at 127.0.0.1:9 of the line Front desk fails.',
      )
      const of = { of: 'endpoint', caller, endpointId: endpoint.id, userId: owner.id } as const
      const replay = { from: new Date(Date.now() - 60_000), until: new Date(), outcome: 'any' } as const
      expect(await countReplay(context, of, replay)).to.include({ count: 1 })
      await changeRows(plain, 'endpoints', endpoint.id, {
        failing_since: ago(plain, '2 hours'),
        consecutive_failure_count: 9,
      })
      await notifyOfTroubles(context)
      expect((await toldNotices(plain)).map(({ subject }) => subject)).to.include(endpoint.id)
    })

    it('is no event of any line: neither replayed with those of all lines nor followed as one', async () => {
      await addWebhook(owner)
      const tail = createTail(context, { last: 0 })
      await tail.next()
      await tell()
      const id = (await waiting())[0]!.id
      await deliverAll()
      expect((await tail.next()).steps.filter((step) => step.id === id)).to.deep.equal([])
      // A moment that no other test has made events in.
      const moment = timeOfId(id).getTime()
      const span = { from: new Date(moment), until: new Date(moment + 1), outcome: 'any' } as const
      for (const url of [undefined, `http://127.0.0.1:${receiver.port}/staging`]) {
        const counted = await countReplay(context, { of: 'all' }, { ...span, url })
        expect(counted, String(url)).to.include({ count: 0 })
      }
    })

    it('goes through the guarded door', async () => {
      const url = 'http://169.254.169.254/latest'
      await expectRefusal(addEndpoint(context, owner.id, { isOfAccount: true }, { url }), 400, /^url: /)
    })
  })

  it('leaves nothing secret in rows and in the log', async () => {
    await tell()
    server.behave('refuse-user')
    await sendMails(context)
    await makeDue()
    server.behave('take')
    await sendMails(context)
    const kept = JSON.stringify([await toldNotices(plain), await plain.db('dispatches').select(), log.lines])
    expect(log.lines.map(({ msg }) => msg)).to.include.members([
      'notice.told',
      'dispatch.put_off',
      'dispatch.sent',
    ])
    for (const secret of ['secret', server.password, '+1555', owner.email]) {
      expect(kept).to.not.include(secret)
    }
  })
})
