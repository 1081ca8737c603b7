import { expect } from 'chai'
import { transaction } from '../../../../src/database/connection.js'
import { addLine, setLineStatus } from '../../../../src/domain/lines/lines.js'
import { addUser } from '../../../../src/domain/people/users.js'
import {
  addUndelivered,
  BEN,
  changeRows,
  mediaAt,
  queueMessage,
  queueMessages,
  receiveForDelivery,
  receiveNew,
} from '../../../domain/fixtures.js'
import { idAt } from '../../../domain/operating/retention/past.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { copyMedia } from '../../../helpers/media.js'
import { createLine, messageBody } from '../../../helpers/factories.js'
import { describeWeb, serveApp } from '../../../helpers/web/web.js'
import { browseAs, expectSentTo } from '../support.js'
import { wordsAt, wordsOf } from './line/line-page.js'

describeWeb("the console's list of lines", ({ context, web }) => {
  const linesOf = async (userId: string) => (await (await browse(context, web, userId)).get('/console')).text

  it('shows name, number, state and last activity of the own lines, each a link, below four figures', async () => {
    const line = await createLine(context, { name: 'Support' })
    const other = await createLine(context, { name: 'Of somebody else' })
    const quiet = await addLine(context, {
      userId: line.userId,
      number: '+15558880001',
      carrierAccount: 'simulator',
    })
    await setLineStatus(context, line.userId, quiet.id, 'disabled')
    expect((await web.post(line.webhookPath, messageBody())).status).to.equal(200)
    const html = await linesOf(line.userId)
    expect(html).to.include(`href="/console/lines/${line.lineId}"`)
    expect(html).to.include(`href="/console/lines/${quiet.id}"`)
    expect(html).not.to.include(other.number).and.not.include('Of somebody else')
    const words = wordsOf(html)
    expect(words).to.match(new RegExp(`Support \\${line.number} healthy No endpoint just now`))
    expect(words).to.include('+15558880001 No name yet disabled No endpoint None yet')
    expect(words).to.include('Accepted, 24 h 1 Delivered 0')
    expect(words).to.include('Needs attention 1 disabled +15558880001 Open line')
  })

  it('links each figure to a list of as many messages', async () => {
    const line = await createLine(context)
    const before = new Date(Date.now() - 2 * 86_400_000)
    for (const [status, now, then] of [
      ['failed', 1, 3],
      ['queued', 2, 5],
      ['sent', 3, 7],
    ] as const) {
      for (let n = 0; n < now; n++) await queueMessage(context, line, { status })
      for (let n = 0; n < then; n++) {
        await queueMessage(context, line, { status, id: idAt(before), created_at: before })
      }
    }
    const browser = await browse(context, web, line.userId)
    for (const page of ['/console', `/console/lines/${line.lineId}`]) {
      const [list = ''] = /<ul class="figures".*?<\/ul>/s.exec((await browser.get(page)).text) ?? []
      expect(wordsOf(list)).to.match(/Accepted, 24 h 6 Delivered 0 Failed 1 .* Waiting 7/)
      const totals: string[] = []
      for (const [, href = ''] of list.matchAll(/href="([^"]+)"/g)) {
        const { text } = await browser.get(href.replaceAll('&amp;', '&'))
        totals.push(/(\d+) messages?\./.exec(wordsOf(text))?.[1] ?? '0')
      }
      expect(totals).to.deep.equal(['6', '0', '1', '7'])
    }
  })

  it('writes a plus at a figure of which only the newest messages were searched, and the list says so', async () => {
    const line = await createLine(context)
    await queueMessages(context, line, 26, { status: 'sent' })
    await transaction(context.db, async (trx) => {
      await trx.raw('set local statement_timeout = 0')
      await trx.raw(
        `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status)
         select lowest_id_at(now() - make_interval(secs => 60 + n)), ?, ?, 'inbound', 'carrier', ?, ?, 'Vote', 'received'
         from generate_series(1, 20_000) n`,
        [line.userId, line.lineId, BEN, line.number],
      )
    })
    const browser = await browse(context, web, line.userId)
    expect(await wordsAt(browser, '/console')).to.include('Accepted, 24 h 26+ Delivered 0+ Failed 0 ')
    const list = await wordsAt(browser, '/console/activity?direction=outbound')
    expect(list).to.include('26 messages among the newest messages searched.')
  })

  it('says how the endpoint of each does, draws its last 24 hours, and names the lines that need somebody', async () => {
    const line = await createLine(context, { name: 'Front desk', outgoingUrl: 'http://127.0.0.1:9/' })
    const set = (columns: object) => context.db('endpoints').where({ user_id: line.userId }).update(columns)
    const words = async () => wordsOf(await linesOf(line.userId))
    expect(await words())
      .to.include('healthy')
      .and.to.not.include('Needs attention')
    const [delivered, failed] = [
      await receiveForDelivery(context, line),
      await receiveForDelivery(context, line),
    ]
    await context.db('deliveries').where({ id: delivered.id }).update({ status: 'delivered' })
    await context.db('deliveries').where({ id: failed.id }).update({ last_failure: 'http_500' })
    await set({ called_at: new Date() })
    expect(await words()).to.include(`${line.number} healthy`)
    expect(await linesOf(line.userId)).to.include('Newest events in 24 h: 1 delivered, 1 failed')
    for (const [columns, state, need] of [
      [
        { paused_at: new Date() },
        'events paused',
        'paused Front desk Endpoint is paused · 127.0.0.1:9 Started just now',
      ],
      [
        { failing_since: new Date(), last_failure: 'http_500', consecutive_failure_count: 4 },
        'HTTP 500',
        'HTTP 500 Front desk 127.0.0.1:9 Started just now 4 failures in a row',
      ],
      [
        { last_failure: 'connect' },
        'connection refused',
        'connection refused Front desk 127.0.0.1:9 Started just now 4 failures in a row',
      ],
      [
        { last_failure: 'tls_expired' },
        'certificate error',
        'certificate error Front desk Endpoint has an expired certificate · 127.0.0.1:9 Started just now 4 failures in a row',
      ],
      [
        { disabled_at: new Date(), disabled_reason: 'gone' },
        'endpoint disabled',
        'disabled Front desk Endpoint is disabled: HTTP 410 Gone · 127.0.0.1:9 Started just now',
      ],
    ] as const) {
      await set(columns)
      expect(await words())
        .to.include(`${line.number} ${state}`)
        .and.to.include(`Needs attention 1 ${need} Open endpoint`)
    }
    await set({ paused_at: null, failing_since: null, disabled_at: null, disabled_reason: null })
    await context.db('deliveries').where({ id: failed.id }).update({ status: 'held' })
    expect(await words()).to.include('held events Front desk 127.0.0.1:9 Open endpoint')
  })

  it('writes a plus at the events of a day of which only the newest 500 are counted', async () => {
    const line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/' })
    const row = await receiveForDelivery(context, line)
    const browser = await browse(context, web, line.userId)
    const shown = () =>
      Promise.all(
        ['', `/lines/${line.lineId}`, `/endpoints/${row.endpoint_id}`].map(async (path) => {
          const { text } = await browser.get(`/console${path}`)
          const [count = text] =
            /(?<=<span class="spark">.*<span>)[^<]+|<figcaption>.*?<\/figcaption>/s.exec(text) ?? []
          return wordsOf(count).trim()
        }),
      )
    await context.db('deliveries').update({ status: 'exhausted', last_failure: 'http_500' })
    await addUndelivered(context, row, 499)
    expect(await shown()).to.deep.equal(['500', '500 events 500 failed', '500 events 500 failed'])
    await addUndelivered(context, row, 1)
    const ofChart = '500+ events 500 failed Only those among the newest 500 are shown.'
    expect(await shown()).to.deep.equal(['500+', ofChart, ofChart])
  })

  it('names messages with an unknown outcome and media without a copy, also on the line and in Notifications', async () => {
    const line = await createLine(context, { name: 'Front desk', outgoingUrl: 'http://127.0.0.1:9/' })
    const browser = await browse(context, web, line.userId)
    const linePath = `/console/lines/${line.lineId}`
    const html = async () =>
      (await Promise.all(['/console', linePath, '/console/notices'].map((path) => browser.get(path)))).map(
        ({ text }) => text,
      )
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    // It may still be settled, and one of two days ago is history.
    for (const minutes of [0, 3000]) {
      await queueMessage(context, line, { status: 'unknown', claimed_at: minutesAgo(minutes) })
    }
    for (const text of await html()) expect(wordsOf(text)).to.not.include('Needs attention')

    for (const [count, words] of [
      [1, '1 message'],
      [2, '2 messages'],
    ] as const) {
      await queueMessage(context, line, { status: 'unknown', claimed_at: minutesAgo(5) })
      for (const text of await html()) {
        const need = `unknown outcome Front desk Line has ${words} with an unknown outcome Started 5 minutes ago Show messages`
        expect(wordsOf(text), String(count)).to.include(need)
        expect(text).to.include(
          `<a href="/console/activity?status=unknown&amp;line=${line.lineId}">Show messages</a>`,
        )
      }
    }
    expect(wordsOf((await html())[0] ?? '')).to.include(`${line.number} unknown outcome`)

    const content = mediaAt('http://127.0.0.1:9/picture.jpg')
    const messageId = await receiveNew(context, line, { content })
    for (const text of await html()) expect(wordsOf(text)).to.not.include('could not be copied')
    expect(await copyMedia(context, messageId)).to.include({ kind: 'retry' })
    for (const text of await html()) {
      expect(wordsOf(text)).to.include(
        'Line has 1 received picture or file that could not be copied yet Started just now',
      )
      expect(text).to.include(`<a href="/console/messages/${messageId}">Open message</a>`)
    }
    await context.db('media').where({ message_id: messageId }).update({ status: 'stored' })
    for (const text of await html()) expect(wordsOf(text)).to.not.include('could not be copied')
  })

  it('says equal causes once, names a line that nobody hears, and tries again in place', async () => {
    const line = await createLine(context, { name: 'First', outgoingUrl: 'http://127.0.0.1:9/' })
    const of = { userId: line.userId }
    for (const name of ['Second', 'Third', 'Fourth']) {
      await createLine(context, { ...of, name, outgoingUrl: 'http://127.0.0.1:9/' })
    }
    const deaf = await createLine(context, { ...of, name: 'Deaf' })
    await receiveNew(context, deaf)
    await receiveForDelivery(context, line)
    const failing = { failing_since: new Date(), last_failure: 'http_500', called_at: new Date() }
    await changeRows(context, 'endpoints', { user_id: line.userId }, failing)
    const browser = await browse(context, web, line.userId)
    for (const path of ['/console', '/console/notices']) {
      const { text } = await browser.get(path)
      expect(wordsOf(text))
        .to.include('HTTP 500 4 endpoints 127.0.0.1:9 Started just now Show all')
        .and.to.include(
          'no endpoint Deaf Line receives messages and has no endpoint Started just now Add endpoint',
        )
    }
    const [endpointId] = await context.db('endpoints').where({ line_id: line.lineId }).pluck<string[]>('id')
    const tried = await browser.submit(`/console/endpoints/${endpointId}/try-now`, { back: '/console' })
    expectSentTo(tried, '/console?done=events-tried-now')
    const elsewhere = await browser.submit(`/console/endpoints/${endpointId}/try-now`, {
      back: '//evil.example',
    })
    expectSentTo(elsewhere, `/console/endpoints/${endpointId}?done=events-tried-now`)
  })

  it('is searched, filtered, sorted and has pages, with 200 lines', async () => {
    const { id: userId } = await addUser(context, { email: 'many@example.com' })
    for (let n = 0; n < 200; n += 1) {
      const number = `+1777${String(n).padStart(7, '0')}`
      await addLine(context, {
        userId,
        number,
        name: `Shop ${String(n).padStart(3, '0')}`,
        carrierAccount: 'simulator',
      })
    }
    const browser = await browse(context, web, userId)
    const namesAt = async (query: string) => {
      const { text } = await browser.get(`/console${query}`)
      return { text, names: [...text.matchAll(/>(Shop \d+)</g)].map(([, name]) => name) }
    }
    const first = await namesAt('?sort=name')
    expect([first.names.length, first.names[0]]).to.deep.equal([50, 'Shop 000'])
    expect(first.text)
      .to.include('Page 1 of 4, 200 total')
      .and.to.include('href="/console?sort=name&amp;page=2"')
    expect((await namesAt('?sort=name&page=4')).names.at(-1)).to.equal('Shop 199')
    expect((await namesAt('?q=shop%20042')).names).to.deep.equal(['Shop 042'])
    expect((await namesAt('?q=7770000042')).names).to.deep.equal(['Shop 042'])
    expect((await namesAt(`?q=${encodeURIComponent('ＳＨＯＰ ０４２')}`)).names).to.deep.equal(['Shop 042'])
    expect((await namesAt('?state=disabled')).text).to.include('No lines match this filter.')
    await context.db('lines').where({ user_id: userId, name: 'Shop 007' }).update({ status: 'disabled' })
    const disabled = await namesAt('?sort=name&state=disabled')
    expect(disabled.names).to.include('Shop 007').and.not.include('Shop 008')
    expect(wordsOf(disabled.text)).to.include(
      'All 200 Needs attention 1 Healthy 199 Disabled 1 Not connected 200 Sort by',
    )
    expect(disabled.text)
      .to.include('href="/console?sort=name">All')
      .and.to.include('href="/console?state=disabled&amp;sort=name" aria-current="page">Disabled')
    expect(wordsOf((await namesAt('?q=shop%2000')).text)).to.include('All 10 Needs attention 1 Healthy 9')
  })

  it('tells an operator without lines where to add one', async () => {
    const { id } = await addUser(context, { email: 'operator@example.com', role: 'operator' })
    const html = await linesOf(id)
    expect(html).to.include(`href="/console/users/${id}"`)
    expect(wordsOf(html)).to.include('The phone simulator is on')
  })

  it('leads an operator to the form for a new line, which is open', async () => {
    const operator = await browseAs(context, web, 'operator')
    const [, href = ''] =
      /href="([^"]*\?new-line)#new-line"/.exec((await operator.get('/console')).text) ?? []
    expect((await operator.get(href)).text).to.match(/<details id="new-line" open/)
    expect((await operator.get(href.replace(/\?.*/, ''))).text).to.match(/<details id="new-line"(?! open)/)
  })

  it('tells a user without lines whom to ask', async () => {
    const { id } = await addUser(context, { email: 'nobody@example.com' })
    const html = await linesOf(id)
    expect(wordsOf(html)).to.include('Ask your operator to give you one')
    expect(html).not.to.include('/console/users')
  })

  it('says nothing of a simulator where there is none', async () => {
    const { id } = await addUser(context, { email: 'real@example.com' })
    const real = { ...context, config: { ...context.config, simulator: false } }
    const realWeb = await serveApp(real)
    const { text } = await (await browse(real, realWeb, id)).get('/console')
    await realWeb.close()
    expect(text).not.to.match(/simulator/i)
  })

  it('is at /console/lines too', async () => {
    const { userId } = await createLine(context)
    const { status, headers } = await (await browse(context, web, userId)).get('/console/lines')
    expect([status, headers.get('location')]).to.deep.equal([302, '/console'])
  })
})
