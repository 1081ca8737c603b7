import { expect } from 'chai'
import { endAuthorizations } from '../../../../src/domain/applications/authorizations.js'
import { changeConnection } from '../../../../src/domain/lines/connections.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { addUser } from '../../../../src/domain/people/users.js'
import { newId } from '../../../../src/ids.js'
import { connect, createApplication } from '../../../domain/applications/applications.js'
import {
  addUndelivered,
  ANNA,
  BEN,
  changeRows,
  deliveryRow,
  inboundText,
  queueMessage,
  queueMessages,
  receiveForDelivery,
} from '../../../domain/fixtures.js'
import { listTasks } from '../../../../src/database/operating/tasks.js'
import { goOn } from '../../../domain/operating/tasks.js'
import { expectFault, expectSentTo } from '../support.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createLine } from '../../../helpers/factories.js'
import { forEachTest } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import { listen, livePathOf } from './activity/listen.js'
import { describeConsole, wordsAt, wordsOf } from '../lines/line/line-page.js'

const PATH = '/console/activity'

describeConsole('the activity page', (site) => {
  const { context, web, receiver, openLine } = site
  const line = forEachTest(() => openLine({ name: 'Office', outgoingUrl: receiver.url }))

  const page = async (query = '') => (await line.browser.get(PATH + query)).text
  /** What the rows are about, newest first. */
  const rowsOf = (html: string) =>
    [...html.matchAll(/<li id="activity-([\w-]+)">(.*?)<\/li>/gs)].map(([, id, row]) => ({
      id,
      words: wordsOf(row ?? '').trim(),
    }))

  it('shows a row for each message, newest first, with the outcome of its events', async () => {
    const sent = await queueMessage(context, line, { text: 'Your code is 1' })
    await receiveForDelivery(context, line)
    const html = await page()
    const [received, queued, ...others] = rowsOf(html)
    expect(others).to.deep.equal([])
    expect(queued).to.deep.equal({
      id: sent,
      words: `just now Office To ${ANNA} Conversation Your code is 1 queued`,
    })
    expect(received?.words).to.match(
      new RegExp(
        `^just now Office From \\${ANNA} Conversation Hi there Text to 127.0.0.1:\\d+ pending received$`,
      ),
    )
    expect(html).to.include(`href="/console/messages/${sent}"`)
    expect(wordsOf(html)).to.include('2 messages.')
  })

  it('explains failures in words', async () => {
    const id = await queueMessage(context, line, { to_number: '+15005550001' })
    await sendMessage(context, id)
    const delivery = await receiveForDelivery(context, line)
    const exhausted = { status: 'exhausted', attempt_count: 9, last_failure: 'dns' }
    await changeRows(context, 'deliveries', delivery.id, exhausted)
    const rows = rowsOf(await page())
    expect(rows.at(-1)?.words).to.match(/The carrier rejected it: simulator: .* failed$/)
    expect(rows[0]?.words).to.match(/exhausted after 9 attempts Host not found\./)
  })

  it('retries a failed event from its row, and all that match a filter as a background task', async () => {
    const deliveries = await Promise.all([1, 2, 3].map(() => receiveForDelivery(context, line)))
    const [first, second, third] = deliveries
    const set = (id: string, columns: object) => changeRows(context, 'deliveries', id, columns)
    const statusesNow = async () =>
      Promise.all(deliveries.map(async ({ id }) => (await deliveryRow(context, id)).status))
    expect(await page()).not.to.include('Retry')
    await set(first!.id, { status: 'exhausted', last_failure: 'http_500' })
    await set(second!.id, { last_failure: 'http_500', due_at: new Date(Date.now() + 3_600_000) })
    await set(third!.id, { status: 'exhausted', last_failure: 'timeout' })
    const html = await page('?status=exhausted')
    const [action = ''] = /\/console\/messages\/[\w-]+\/deliveries\/[\w-]+\/send-again/.exec(html) ?? []
    expect(html).to.include('name="back" value="/console/activity?status=exhausted"')
    const done = await line.browser.submit(action, { back: '/console/activity?status=exhausted' })
    expectSentTo(done, '/console/activity?status=exhausted&done=tried-now')
    await set(first!.id, { status: 'exhausted', last_failure: 'http_500' })
    await set(third!.id, { status: 'exhausted', last_failure: 'timeout' })
    const ofStars = '/console/activity?text=2*3'
    expectSentTo(await line.browser.submit(action, { back: ofStars }), `${ofStars}&done=tried-now`)
    expect((await statusesNow()).filter((status) => status === 'exhausted')).to.have.length(1)
    await set(first!.id, { status: 'exhausted', last_failure: 'http_500' })
    await set(third!.id, { status: 'exhausted', last_failure: 'timeout' })

    const retry = (query: string) => line.browser.submit(`${PATH}/retry${query}`)
    expectSentTo(await retry('?reason=timeout'), '/console/tasks?done=retry-started')
    const [task] = await listTasks(context.db, line.userId, { limit: 1 })
    expect(task).to.include({ kind: 'retry', totalCount: 1 })
    expect(await goOn(context, task!)).to.include({ status: 'done', doneCount: 1 })
    expect(await statusesNow()).to.deep.equal(['exhausted', 'pending', 'pending'])
    expect((await deliveryRow(context, second!.id)).due_at.getTime()).to.be.greaterThan(Date.now())
    expectSentTo(await retry(''), '/console/tasks?done=retry-started')
    const [all] = await listTasks(context.db, line.userId, { limit: 1 })
    expect(await goOn(context, all!)).to.include({ status: 'done', doneCount: 3, totalCount: 3 })
    expect((await deliveryRow(context, second!.id)).due_at.getTime()).to.be.at.most(Date.now())
    expectFault(await retry('?status=exhausted'), 409, 'No undelivered event matches this filter')
  })

  it('says before and after a retry that it takes 5,000 events', async () => {
    const row = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', row.id, { status: 'exhausted', last_failure: 'http_500' })
    expect(wordsOf(await page('?status=exhausted'))).to.include('Retry all undelivered events in this view')
    await addUndelivered(context, row, 5000)
    expect(wordsOf(await page('?status=exhausted'))).to.include(
      'Retry up to 5,000 of the newest undelivered events in this view',
    )
    const done = await line.browser.submit(`${PATH}/retry?status=exhausted`)
    expectSentTo(done, '/console/tasks?done=retry-started-full')
    expect((await line.browser.get('/console/tasks?done=retry-started-full')).text).to.include(
      'Retrying the newest 5,000 undelivered events, which is the maximum at a time.',
    )
  })

  it('shows when a scheduled message will be sent', async () => {
    await queueMessage(context, line, { status: 'scheduled', due_at: new Date('2030-01-02T03:04:05Z') })
    expect(wordsOf(await page())).to.include('Sends 2030-01-02 03:04:05 UTC')
    const thread = await line.browser.get(`${line.path}/conversations/${encodeURIComponent(ANNA)}`)
    expect(wordsOf(thread.text)).to.include('sends 2030-01-02 03:04:05 UTC')
  })

  it('shows that an application was told of a line that was disconnected', async () => {
    const application = await createApplication(context, {
      webhookUrl: receiver.url,
      optInEvents: ['lineDisconnected'],
    })
    await connect(context, application, line)
    await endAuthorizations(context, line.userId, application.id, line.lineId)
    const [row, ...others] = rowsOf(await page())
    expect(others).to.deep.equal([])
    expect(row?.words.replace(/\s+/g, ' ')).to.include('Line disconnected to Auto Reply')
    expect(row?.words).not.to.include(' From ')
  })

  it('filters messages by the type of their events', async () => {
    const { userId, lineId } = line
    await changeConnection(context, userId, lineId, {
      outgoingWebhookUrl: receiver.url,
      optInEvents: ['messageStatus'],
    })
    await sendMessage(context, await queueMessage(context, line))
    await queueMessage(context, line)
    expect(rowsOf(await page())).to.have.length(2)
    const [row, ...others] = rowsOf(await page('?type=messageStatus'))
    expect(others).to.deep.equal([])
    expect(row?.words).to.match(/To \+15005550101 .* Message status to 127\.0\.0\.1:\d+ pending/)
    expect(rowsOf(await page('?type=optOut'))).to.deep.equal([])
  })

  it('groups rows by day, in the time zone of the list', async () => {
    const id = await queueMessage(context, line)
    await context.db('messages').where({ id }).update({ created_at: '2026-01-31T23:30:00Z' })
    const days = async (query: string) =>
      [...(await page(query)).matchAll(/<li class="day">([^<]+)</g)].map(([, day]) => day)
    expect(await days('?zone=UTC')).to.deep.equal(['Saturday, 31 January 2026'])
    expect(await days('?zone=Europe/Berlin')).to.deep.equal(['Sunday, 1 February 2026'])
  })

  it('cuts a long text, between whole characters', async () => {
    await queueMessage(context, line, { text: '😀'.repeat(141) })
    expect(rowsOf(await page())[0]?.words).to.include(` ${'😀'.repeat(140)}… `)
  })

  describe('is read page by page', () => {
    it('of 25, with a link to what is older and one back', async () => {
      const ids = (await queueMessages(context, line, 26)).reverse()
      const first = await page('?direction=outbound')
      expect(rowsOf(first).map(({ id }) => id)).to.deep.equal(ids.slice(0, 25))
      expect(first).not.to.include('Newest')
      const older = `${PATH}?direction=outbound&amp;before=${ids[24]}`
      expect(first).to.include(`<a href="${older}" rel="next">Older</a>`)
      const second = await page(`?direction=outbound&before=${ids[24]}`)
      expect(rowsOf(second).map(({ id }) => id)).to.deep.equal(ids.slice(25))
      expect(second).not.to.include('>Older<')
      const { id } = await receiveForDelivery(context, line)
      await changeRows(context, 'deliveries', id, { status: 'exhausted', last_failure: 'http_500' })
      const back = `${PATH}?line=${line.lineId}&before=${newId()}`
      const html = await page(back.slice(PATH.length))
      expect(html).to.include(`name="back" value="${back.replace('&', '&amp;')}"`)
      expect(second).to.include(`<a href="${PATH}?direction=outbound">Newest</a>`)
    })

    it('and only the first page is live', async () => {
      const id = await queueMessage(context, line)
      expect(livePathOf(await page('?status=queued'))).to.equal(`${PATH}/live?status=queued`)
      expect(livePathOf(await page(`?before=${id}`))).to.equal(undefined)
    })
  })

  describe('is filtered', () => {
    it('by every field, and the form keeps what was chosen', async () => {
      const sister = await createLine(context, { userId: line.userId, name: 'Shop' })
      const wanted = await queueMessage(context, sister, {
        ...{ to_number: BEN, status: 'failed', text: 'Thank you', error: 'cut off' },
      })
      await queueMessage(context, sister, { to_number: BEN, status: 'sent' })
      await queueMessage(context, line, { to_number: BEN, status: 'failed' })
      const query =
        `?line=${sister.lineId}&direction=outbound&type=text&status=failed&number=${BEN}&reason=cut&text=you` +
        '&from=2020-01-01T00:00&until=2099-01-01T00:00'
      const html = await page(query)
      expect(rowsOf(html).map(({ id }) => id)).to.deep.equal([wanted])
      for (const value of [sister.lineId, 'outbound', 'text', 'failed']) {
        expect(html).to.match(new RegExp(`<option value="${value}" selected`))
      }
      for (const [name, value] of [
        ['number', BEN],
        ['reason', 'cut'],
        ['text', 'you'],
      ] as const) {
        expect(html).to.include(`name="${name}" value="${value}"`)
      }
      // Each is named, too, with the way to the list without it.
      expect(wordsOf(html))
        .to.include(`Line: Shop (${sister.number})`)
        .and.include('Status: failed')
        .and.include('Text: you')
      expect(html).to.match(/<a href="[^"]*status=failed[^"]*" title="Remove filter: Text">/)
      expect(html).to.include('type="datetime-local" name="from" value="2020-01-01T00:00"')
    })

    it('by a time in UTC', async () => {
      const id = await queueMessage(context, line)
      const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString().slice(0, 16)
      expect(
        rowsOf(await page(`?from=${minutes(-2)}&until=${minutes(2)}`)).map((row) => row.id),
      ).to.deep.equal([id])
      expect(rowsOf(await page(`?from=${minutes(2)}`))).to.deep.equal([])
      expect(rowsOf(await page(`?until=${minutes(-2)}`))).to.deep.equal([])
    })

    it('by a time in the zone that is chosen, in which the list and its next pages are then shown, too', async () => {
      const id = await queueMessage(context, line)
      const [at = new Date()] = await context.db('messages').where({ id }).pluck<Date[]>('created_at')
      // Kathmandu has no summer time: always 5 h 45 min ahead.
      const shown = (minutes: number) =>
        new Date(at.getTime() + (345 + minutes) * 60_000).toISOString().slice(0, 19)
      const zoned = (minutes: number) => `?zone=Asia/Kathmandu&from=${shown(minutes)}`
      const html = await page(zoned(-2))
      expect(rowsOf(html).map((row) => row.words)).to.match(new RegExp(`^${shown(0).slice(11)} GMT\\+5:45 `))
      expect(wordsOf(html)).to.include('Times in Asia/Kathmandu')
      expect(html)
        .to.match(/<option value="Asia\/Kathmandu" selected/)
        .and.include('data-zone="Asia/Kathmandu"')
        .and.not.include('data-zone="own"')
      expect(livePathOf(html)).to.include('zone=Asia%2FKathmandu')
      expect(rowsOf(await page(zoned(2)))).to.deep.equal([])
    })

    it('by a time in UTC where the address has no zone, and then the list is in UTC, too', async () => {
      await queueMessage(context, line)
      expect(await page('?from=2020-01-01T00:00'))
        .to.include('data-zone="UTC"')
        .and.not.include('data-zone="own"')
      const html = await page()
      expect(html).to.include('<select name="zone" data-zone="own">').and.not.include('data-zone="UTC"')
      expect(wordsOf(html)).to.include('Times in UTC')
    })

    it('by nothing when the form is sent empty', async () => {
      await queueMessage(context, line)
      const names = ['line', 'reason', 'text', 'direction', 'type', 'status', 'number', 'from', 'until']
      expect(rowsOf(await page(`?${names.map((name) => `${name}=`).join('&')}`))).to.have.length(1)
    })

    for (const [query, fault] of [
      ['line=x', 'line must be an ID (a UUID)'],
      [`text=${'x'.repeat(101)}`, 'text must have at most 100 characters'],
      ['direction=x', 'direction must be one of outbound, inbound'],
      ['type=x', 'type must be one of text, media, voicemail'],
      [
        'status=x',
        'status must be one of scheduled, queued, sending, sent, delivered, failed, unknown, received, pending, delivering, exhausted, held',
      ],
      [
        'number=x',
        'number must be a phone number such as +15551234567, at least 3 digits of one, or a short code or name in quotes',
      ],
      [
        'number=12',
        'number must be a phone number such as +15551234567, at least 3 digits of one, or a short code or name in quotes',
      ],
      ['from=x', 'from must be a date and time in UTC, such as 2026-11-21T13:00'],
      ...['2026-13-40', '2026-11-31', '2026-02-29'].map(
        (day) =>
          [
            `until=${day}T00:00`,
            `until must be a date and time in UTC, such as 2026-11-21T13:00: there is no ${day} in the calendar`,
          ] as const,
      ),
      ['zone=Berlin', 'zone must be a time zone, such as Europe/Berlin'],
      [
        'from=x&zone=Europe/Berlin',
        'from must be a date and time in Europe/Berlin, such as 2026-11-21T13:00',
      ],
      ['before=x', 'before must be an ID (a UUID)'],
      ['status=sent&status=failed', 'status can be given only once'],
    ] as const) {
      it(`by what it can be, unlike ${query}`, async () => {
        const answer = await line.browser.get(
          `${PATH}?number=abc&${query}`.replace(/number=abc&(number)/, '$1'),
        )
        expect(answer.status).to.equal(400)
        expect(wordsOf(answer.text)).to.include(fault)
        expect(livePathOf(answer.text)).to.equal(undefined)
        if (!query.startsWith('number')) expect(answer.text).to.include('value="abc"')
        expect((await line.browser.get(`${PATH}/live?${query}`)).status).to.equal(400)
      })
    }
  })

  describe('when it is empty', () => {
    it('says what to do first on an empty list', async () => {
      const words = wordsOf(await page())
      expect(words).to.include('No activity yet.')
      expect(words).to.match(/curl .* phone simulator/)
      expect(await page()).to.include(`href="/console/lines/${line.lineId}/send"`)
    })

    it('says so if the user has no lines', async () => {
      const { id } = await addUser(context, { email: `${newId()}@example.com` })
      const browser = await browse(context, web, id)
      expect(await wordsAt(browser, PATH)).to.include('because you have no lines')
    })

    it('says that no messages match the filter', async () => {
      await queueMessage(context, line)
      expect(wordsOf(await page('?status=held'))).to.include('No messages match this filter. Clear filters')
    })

    it('says that there are no older messages', async () => {
      const id = await queueMessage(context, line)
      expect(wordsOf(await page(`?before=${id}`))).to.include('No older messages.')
    })
  })

  it('updates automatically, within its filter', async () => {
    const heard = await listen(site, line, livePathOf(await page('?direction=inbound'))!)
    await until('the empty list', () => heard.text.includes('No messages match this filter.'))
    await queueMessage(context, line, { text: 'not this one' })
    const text = 'this\none'
    await receiveMessage(context, inboundText(line, { content: { type: 'inboundText', text } }))
    await until('the text', () => heard.text.includes('this\ndata: one'))
    expect(heard.text).not.to.include('not this one')
    await heard.close()
  })
})
