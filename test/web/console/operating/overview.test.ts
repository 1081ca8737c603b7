import { expect } from 'chai'
import { countNewestMinutes } from '../../../../src/domain/operating/overview/count-minutes.js'
import { ANNA, changeRows, queueMessage, receiveForDelivery } from '../../../domain/fixtures.js'
import { createPerson, PASSWORD, type Person } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createLine } from '../../../helpers/factories.js'
import { forAllTests, forEachTest } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { wordsAt, wordsOf } from '../lines/line/line-page.js'
import { browseAs, expectPage, expectSentTo } from '../support.js'
import { hear, type Heard } from '../../../helpers/web/hear.js'

const OVERVIEW = '/console/overview'

describeWeb('the overview page', ({ context, web }) => {
  const operator = forAllTests(() => createPerson(context, { role: 'operator' }))
  const own = forAllTests(() =>
    createLine(context, { userId: operator.id, outgoingUrl: 'http://127.0.0.1:9/own-secret' }),
  )
  const other = forAllTests(() =>
    createLine(context, { outgoingUrl: 'http://127.0.0.1:9/other-secret', name: '<b>Bold</b>' }),
  )
  const browser = forEachTest(() => browse(context, web, operator.id))

  before(async () => {
    await queueMessage(context, other, { text: 'A private text', status: 'unknown', claimed_at: new Date() })
    await queueMessage(context, own, { status: 'unknown', claimed_at: new Date() })
    await receiveForDelivery(context, other)
    await context.db('endpoints').update({ disabled_at: new Date(), disabled_reason: 'failing' })
    await countNewestMinutes(context)
  })

  it('shows every part, without a script and without style in its elements', async () => {
    const page = await browser.get(OVERVIEW)
    expectPage(page)
    const words = wordsOf(page.text)
    for (const part of [
      ...['Needs attention', 'Outbound messages per minute', 'Time from event to endpoint', 'Queues'],
      ...['Carriers', 'Postgres', 'Redis', 'Storage', 'Failing or slow endpoints', 'Busiest'],
    ]) {
      expect(words).to.include(part)
    }
    expect(words).to.include('accepted 2').and.to.include('received 1')
    expect(page.text).to.match(
      /<svg[^>]* role="img" aria-label="Outbound messages per minute, in the last hour\. Total: /,
    )
    expect(page.text).not.to.match(/ style=|onclick=|<b>Bold/)
  })

  it('shows the numbers of lines in parts, as everywhere', async () => {
    const { text } = await browser.get(OVERVIEW)
    const whole = text.match(/\+\d{7,15}/g) ?? []
    expect(text).to.match(
      /<strong>(?:<a [^>]*>)?<bdi dir="ltr" class="number">\+1<i>.*<small>[^<]*127\.0\.0\.1:9/s,
    )
    expect(whole).to.deep.equal([])
  })

  it('links each problem to its fix, or to its owner', async () => {
    const { text } = await browser.get(OVERVIEW)
    for (const href of [
      ...[`/console/lines/${own.lineId}`, `/console/users/${other.userId}`],
      ...['/console/activity?status=unknown', '/queues'],
    ]) {
      expect(text).to.include(`<a href="${href}">`)
    }
    expect(text).not.to.include(`/console/lines/${other.lineId}`)
  })

  it('has no text, no number of a person, and no URL but its host', async () => {
    for (const path of [OVERVIEW, `${OVERVIEW}?span=7d`]) {
      const { text } = await browser.get(path)
      for (const secret of ['A private text', ANNA, '+15005550199', 'own-secret', 'other-secret']) {
        expect(text).not.to.include(secret)
      }
      expect(text).to.include('127.0.0.1:9')
    }
  })

  it('offers other time ranges, and refuses an invalid one before it streams', async () => {
    for (const [span, words] of [
      ['24h', 'in the last 24 hours'],
      ['7d', 'in the last 7 days'],
    ] as const) {
      const { text } = await browser.get(`${OVERVIEW}?span=${span}`)
      expect(text).to.include(words).and.to.include(`${OVERVIEW}/live?span=${span}&amp;by=line`)
    }
    for (const path of [OVERVIEW, `${OVERVIEW}/live`]) {
      const refused = await browser.get(`${path}?span=year`)
      expect(refused.status).to.equal(400)
      expect(wordsOf(refused.text)).to.include('span must be one of 1h, 24h, 7d')
    }
  })

  it('breaks traffic down by user, line, carrier and endpoint, in each time range', async () => {
    for (const span of ['1h', '24h', '7d']) {
      const at = async (by: string) => (await browser.get(`${OVERVIEW}?span=${span}&by=${by}`)).text
      const ofUsers = await at('user')
      expect(ofUsers).to.include(`<a href="/console/users/${other.userId}">`)
      expect(ofUsers).to.include(`<a href="/console/users/${operator.id}">`)
      expect(wordsOf(await at('line'))).to.match(/Line Accepted Received Failed .*Bold.* 1 1 0 /)
      expect(wordsOf(await at('carrier'))).to.match(/simulator 2 1 0 /)
      expect(await at('carrier')).to.match(
        /aria-label="3 messages in the last [^"]+, 0 failed\. Each bar is [\w ]+; the highest is \d messages?\."/,
      )
      expect(wordsOf(await at('endpoint'))).to.match(
        /By endpoint Endpoint Events Failed.* 127\.0\.0\.1:9 \S+@\S+ 1 0 /,
      )
    }
    expect((await browser.get(`${OVERVIEW}?by=text`)).status).to.equal(400)
  })

  it('updates automatically, with one result for everyone who is watching', async () => {
    const heard = await Promise.all(
      [1, 2].map(() => hear(`${web.url}${OVERVIEW}/live`, { Cookie: browser.cookie() })),
    )
    await until('both have begun', () => heard.every(({ text }) => text.includes('Updates automatically')))
    await queueMessage(context, own, { error: 'throttled', not_before: new Date(Date.now() + 60_000) })
    await until('both say it', () => heard.every(({ text }) => text.includes('It is rate limiting')))
    const eventsOf = ({ text }: Heard) =>
      new Set(
        text
          .split('\n\n')
          .slice(0, -1)
          .filter((each) => each.startsWith('data: ')),
      )
    const [first, second] = heard.map(eventsOf)
    expect([...second!].filter((event) => first!.has(event))).not.to.be.empty
    await Promise.all(heard.map((each) => each.close()))
  })

  describe('is the first page after signing in', () => {
    async function signIn(person: Person, next: string) {
      const nobody = await browse(context, web)
      return nobody.submit('/console/sign-in', { email: person.email, password: PASSWORD, next })
    }

    it('for operators, unless they requested another page', async () => {
      expectSentTo(await signIn(operator, ''), OVERVIEW)
      expectSentTo(await signIn(operator, '/console'), OVERVIEW)
      expectSentTo(await signIn(operator, '/console/activity'), '/console/activity')
      expectSentTo(await browser.get('/console/sign-in'), OVERVIEW, 302)
      expectPage(await browser.get('/console'))
    })

    it('but not for users', async () => {
      expectSentTo(await signIn(await createPerson(context), ''), '/console')
    })
  })

  it('has charts of their own lines for users, by span, each figure with the list of what it counts', async () => {
    const line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/events', name: 'Shop' })
    const now = Date.now()
    await queueMessage(context, line, {
      ...{ status: 'delivered', created_at: new Date(now - 4000), handed_over_at: new Date(now - 2000) },
    })
    await queueMessage(context, line, { status: 'failed', error: 'expired' })
    const { id } = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', id, { status: 'delivered', delivered_at: new Date(now + 60_000) })
    const user = await browse(context, web, line.userId)
    for (const span of ['1h', '24h', '7d']) {
      const page = await user.get(`/console/traffic?span=${span}`)
      expectPage(page)
      const words = wordsOf(page.text)
      expect(words).to.include('accepted 2 sent 1 delivered 1 failed 1 unknown 0')
      expect(words).to.include('received 1 events delivered 1').and.include('median 2 s p95 2 s')
      expect(words).to.match(/Busiest .* Shop \+\d+ 2 1 1 /)
      expect(words).to.include('Messages are counted at the time they were accepted or received')
      const [, path = ''] = /href="([^"]*status=failed[^"]*)">1</.exec(page.text) ?? []
      const list = await user.get(path.replaceAll('&amp;', '&'))
      expect(wordsOf(list.text)).to.include('1 message.')
    }
    expect(await wordsAt(user, '/console/traffic?by=endpoint')).to.include('127.0.0.1')
    const nobody = await browseAs(context, web)
    expect((await nobody.get('/console/traffic?by=endpoint')).text).to.include(
      'No events in the last 24 hours.',
    )
    const wrong = await user.get('/console/traffic?span=2h')
    expect(wrong.text).to.include('span must be one of 1h, 24h, 7d')
  })

  it('says above the charts and at the busiest since when they are complete, if one line alone is too busy', async () => {
    const line = await createLine(context)
    for (let n = 1; n < 20; n++) await createLine(context, { userId: line.userId })
    const user = await browse(context, web, line.userId)
    // Each of 20 lines has a share of 2,500 rows.
    const receive = (from: number, to: number) =>
      context.db.raw(
        `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status, created_at)
         select lowest_id_at(at), ?, ?, 'inbound', 'carrier', ?, ?, 'Vote', 'received', at
         from (select now() - make_interval(secs => n) as at from generate_series(?::integer, ?::integer) n) t`,
        [line.userId, line.lineId, ANNA, line.number, from, to],
      )
    const page = () => wordsAt(user, '/console/traffic?span=24h')
    await receive(1, 2499)
    expect(await page())
      .to.include('received 2,499')
      .and.not.include('Complete since')
    // Far enough from the others that no two get the same ID.
    await receive(2900, 3000)
    const words = await page()
    expect(words).to.match(
      /Complete since .* Earlier messages and events of your busiest lines are .* received 2,500 /,
    )
    expect(words).to.match(
      /Busiest .* Complete since .* Earlier messages of your busiest lines are not counted\./,
    )
  })
})
