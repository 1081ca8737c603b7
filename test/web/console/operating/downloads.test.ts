import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { CARRIER_REASONS } from '../../../../src/carrier-reasons.js'
import { transaction } from '../../../../src/database/connection.js'
import { listAudit } from '../../../../src/domain/operating/audit.js'
import { createApiToken, removeApiToken } from '../../../../src/domain/people/api-tokens.js'
import { disableUser, enableUser } from '../../../../src/domain/people/disabled-users.js'
import { newId } from '../../../../src/ids.js'
import { createPerson, PASSWORD } from '../../../domain/people/people.js'
import { ANNA, BEN, queueMessage, receiveForDelivery } from '../../../domain/fixtures.js'
import { browse, type BrowserSession } from '../../../helpers/web/browser-session.js'
import { createLine, lineForEachTest, type TestLine } from '../../../helpers/factories.js'
import { until } from '../../../helpers/until.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { readZip } from '../../../helpers/zip.js'
import { browseAs, expectPage, expectSentTo, loseFreshness, signedInForEachTest } from '../support.js'

describeWeb('the console, of downloads', ({ context, web }) => {
  const { person, browser: owning } = signedInForEachTest(context, web)
  const line = lineForEachTest(context, () => ({
    ...{ userId: person.id, outgoingUrl: 'http://127.0.0.1:9/events' },
  }))

  const zipAt = async (browser: BrowserSession, path: string) => {
    const response = await fetch(web.url + path, { headers: { Cookie: browser.cookie() } })
    expect(response.status).to.equal(200)
    expect(response.headers.get('content-type')).to.equal('application/zip')
    return readZip(Buffer.from(await response.arrayBuffer()))
  }
  const newestAct = async (action: 'user.activity.exported' | 'line.exported') =>
    (await listAudit(context, { actions: [action] }, { limit: 1 }))[0]

  /** The cells of a CSV whose texts have no commas. */
  const rowsOf = (text: string): Record<string, string>[] => {
    const [head = '', ...rows] = text.trimEnd().split('\n')
    const names = head.split(',')
    return rows.map((row) => Object.fromEntries(row.split(',').map((cell, n) => [names[n] ?? '', cell])))
  }

  describe('the activity as CSV', () => {
    it('has messages and deliveries of the reader, newest first, with numbers that are no formulas', async () => {
      await queueMessage(context, await createLine(context), { text: 'of somebody else' })
      const id = await queueMessage(context, line, { text: '=1+1' })
      const delivery = await receiveForDelivery(context, line)
      const answer = await owning.get('/console/activity.csv')
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
      expect(answer.headers.get('content-disposition')).to.match(
        /^attachment; filename="linehook-activity-\d{4}-\d\d-\d\d\.csv"$/,
      )
      const rows = rowsOf(answer.text)
      expect(rows.map(({ kind }) => kind)).to.deep.equal(['message', 'delivery', 'message'])
      expect(rows[1]).to.include({ id: delivery.id, status: 'pending' })
      expect(rows.at(-1)).to.include({
        id,
        text: `'=1+1`,
        toNumber: `'${ANNA}`,
        lineNumber: `'${line.number}`,
      })
    })

    it('explains a carrier’s code if it is known', async () => {
      await context.db('carrier_accounts').insert({ id: newId(), name: 'twilio-main', kind: 'twilio' })
      const failed = { status: 'failed', error: 'late', carrier: 'twilio-main' }
      await queueMessage(context, line, { ...failed, carrier_code: '39999' })
      await queueMessage(context, line, { ...failed, carrier_code: '30036' })
      const rows = rowsOf((await owning.get('/console/activity.csv')).text)
      expect(rows[0]).to.include({
        ...{ carrierCode: '30036', carrierReason: 'expired' },
        carrierCodeMeaning: CARRIER_REASONS.expired.text,
      })
      expect(rows[1]).to.include({ carrierCode: '39999', carrierReason: '', carrierCodeMeaning: '' })
    })

    it('contains the rows that match the page’s filter', async () => {
      await queueMessage(context, line, { to_number: BEN, text: 'to Ben' })
      await queueMessage(context, line, { text: 'to Anna' })
      const query = `?direction=outbound&number=${encodeURIComponent(BEN)}`
      const page = await owning.get(`/console/activity${query}`)
      expect(page.text).to.include(`href="/console/activity.csv${query.replaceAll('&', '&amp;')}"`)
      expect(
        rowsOf((await owning.get(`/console/activity.csv${query}`)).text).map(({ text }) => text),
      ).to.deep.equal(['to Ben'])
      expectPage(await owning.get('/console/activity.csv?status=lost'), 400)
    })

    it('is recorded in the audit log, with its filter but without a number', async () => {
      await owning.get(`/console/activity.csv?status=failed&number=${encodeURIComponent(BEN)}`)
      expect(await newestAct('user.activity.exported')).to.deep.include({
        actorId: line.userId,
        userId: line.userId,
        after: { status: 'failed', isOfOneNumber: true },
      })
    })

    describe('of a long list', () => {
      const PAGES = 40

      /** By its time alone an id of one line could be that of another. */
      const fill = (of: TestLine) =>
        transaction(context.db, async (trx) => {
          await trx.raw('set local statement_timeout = 0')
          await trx.raw(
            `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status)
           select (left(lowest_id_at(now() - make_interval(secs => n))::text, 24) || substr(md5(random()::text), 1, 12))::uuid, ?, ?, 'outbound', 'api', ?, ?, repeat('x', 1000), 'sent'
           from generate_series(1, ${PAGES * 500}) n`,
            [of.userId, of.lineId, of.number, ANNA],
          )
        })

      const userIds: string[] = []
      const readers: BrowserSession[] = []
      before(async () => {
        for (let n = 0; n < 3; n += 1) {
          const of = await createLine(context)
          await fill(of)
          userIds.push(of.userId)
          readers.push(await browse(context, web, of.userId))
        }
      })
      after(() => context.db('messages').delete())

      /** It takes the head and then nothing. */
      const takeNothing = (reader = 0): Promise<IncomingMessage> =>
        takeNothingOf('/console/activity.csv', { Cookie: readers[reader]!.cookie() })
      const takeNothingOf = async (path: string, headers: Record<string, string>) => {
        const request = get(web.url + path, { headers, agent: false })
        const [response] = (await once(request, 'response')) as [IncomingMessage]
        return response.pause()
      }

      /** Of the downloads that are possible at once. */
      const takeAll = async () => [...(await Promise.all([1, 1, 2, 2].map(takeNothing))), await takeNothing()]
      const hasRoomAgain = () =>
        until('there is room again', async () => (await ask('?direction=inbound')).status === 200)
      const ask = (query = '') => readers[0]!.get(`/console/activity.csv${query}`)

      it('allows two downloads per user at a time, leaving room for others', async () => {
        const asked = await Promise.allSettled(Array.from({ length: 5 }, () => takeNothing()))
        const answers = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
        expect(answers.map(({ statusCode }) => statusCode).sort()).to.deep.equal([200, 200, 429, 429, 429])
        const refused = await ask()
        expectPage(refused, 429)
        expect(refused.text).to.include('You have 2 downloads running')
        expect(refused.headers.get('retry-after')).to.equal('60')
        const other = await takeNothing(1)
        expect(other.statusCode).to.equal(200)
        for (const response of [...answers, other]) response.destroy()
        await hasRoomAgain()
      })

      it('is read as fast as it is taken, and no further', async () => {
        let readCount = 0
        const count = ({ sql }: { sql: string }) => {
          if (sql.includes('as "deliveryId" from lines')) readCount += 1
        }
        context.db.on('query', count)
        const stalled = await takeNothing()
        // Meanwhile another reader takes all of it: who did not wait for its reader would have read all of it, too.
        const { text } = await ask()
        expect(text.length).to.be.above(PAGES * 500 * 1000)
        expect(readCount).to.be.within(PAGES, PAGES * 1.75)
        let bytes = 0
        for await (const chunk of stalled as AsyncIterable<Buffer>) bytes += chunk.length
        context.db.removeListener('query', count)
        expect(bytes).to.equal(Buffer.byteLength(text))
      })

      it('is broken off when the token of its reader is revoked', async () => {
        const userId = userIds[0]!
        const { id, token } = await createApiToken(context, userId, 'a program')
        const headers = { Accept: 'text/csv', Authorization: `Bearer ${token}` }
        const stalled = await Promise.all([1, 2].map(() => takeNothingOf('/v1/messages', headers)))
        expectPage(await ask(), 429)
        await removeApiToken(context, userId, id)
        await hasRoomAgain()
        for (const response of stalled) response.destroy()
      })

      it('is broken off when its reader is disabled', async () => {
        const stalled = await takeAll()
        expectPage(await ask(), 503)
        await disableUser(context, userIds[1]!, 'goes_on')
        await hasRoomAgain()
        for (const response of stalled) response.destroy()
        await enableUser(context, userIds[1]!)
        readers[1] = await browse(context, web, userIds[1]!)
      })

      it('allows a few downloads at a time, and tells further users to try again', async () => {
        const stalled = await takeAll()
        const refused = await ask()
        expectPage(refused, 503)
        expect(refused.headers.get('retry-after')).to.equal('60')
        for (const response of stalled) response.destroy()
        await hasRoomAgain()
      })
    })
  })

  it('of a line as a zip are only for its owner', async () => {
    const path = `/console/lines/${line.lineId}/export.zip`
    expect((await owning.get(`/console/lines/${line.lineId}`)).text).to.include(`href="${path}"`)
    expect([...(await zipAt(owning, path)).keys()]).to.include('messages.jsonl')
    expect(await newestAct('line.exported')).to.include({ subjectId: line.lineId, actorId: line.userId })
    const stranger = await browseAs(context, web, 'operator')
    expectPage(await stranger.get(path), 404)
  })

  it('of an account as a zip want a recent password', async () => {
    const { id: userId } = await createPerson(context)
    const { number } = await createLine(context, { userId })
    const own = await browse(context, web, userId)
    const path = '/console/settings/export.zip'
    await loseFreshness(context)
    expectSentTo(await own.get(path), `/console/confirm?next=${encodeURIComponent(path)}`)
    const asking = `/console/confirm?next=${encodeURIComponent(path)}`
    // A browser that downloads stays where it is: not at a form that was sent already.
    expectSentTo(await own.submit('/console/confirm', { next: path, password: PASSWORD }), asking)
    const started = await own.get(asking)
    expect([started.headers.get('refresh'), started.text.includes('name="password"')]).to.deep.equal([
      `0; url=${path}`,
      false,
    ])
    expect(started.text).to.include('<a href="/console/settings">Go back</a>')
    // A header holds no such letter.
    expectPage(await own.get(`/console/confirm?next=${encodeURIComponent('/console/日/export.zip')}`))
    const files = await zipAt(own, path)
    expect([...files.keys()]).to.include.members(['account.json', `lines/${number}/messages.jsonl`])
  })
})
