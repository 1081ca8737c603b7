import { expect } from 'chai'
import { listConversations } from '../../../../src/database/messages/conversations/conversations.js'
import { receiveMessages } from '../../../../src/database/messages/receiving.js'
import { saveContact } from '../../../../src/domain/lines/contacts.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { fetchMedia } from '../../../../src/domain/media/fetch.js'
import { newId } from '../../../../src/ids.js'
import { openHolder } from '../../../database/hold.js'
import {
  ago,
  ahead,
  ANNA,
  BEN,
  changeRows,
  CLEO,
  countWaitingForLocks,
  inboundText,
  messageRow,
  queueMessage,
  receiveNew,
  type MessageRow,
} from '../../../domain/fixtures.js'
import { MEDIA } from '../../../domain/media-samples.js'
import { forEachTest } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import { listen } from './activity/listen.js'
import { redirectOf, describeConsole, wordsAt, wordsOf } from '../lines/line/line-page.js'
import { expectSentTo, expectFault } from '../support.js'

describeConsole('the conversations of a line', (site) => {
  const { context, receiver, openLine } = site
  const line = forEachTest(() => openLine({ name: 'Office', outgoingUrl: receiver.url }))

  const receive = (fromNumber: string, text: string) =>
    receiveMessage(context, inboundText(line, { fromNumber, content: { type: 'inboundText', text } }))
  const send = (toNumber: string, text: string, overrides = {}) =>
    queueMessage(context, line, { to_number: toNumber, text, status: 'sent', ...overrides })
  const inPath = (number: string) => `conversations/${encodeURIComponent(number)}`
  const thread = async (number = ANNA, query = '') => line.page(`/${inPath(number)}${query}`)
  const words = async (number = ANNA, query = '') => wordsOf(await thread(number, query))

  it('are listed latest first, by name, with the last text and any reason the line cannot reply', async () => {
    expect(await line.words('/conversations')).to.include('No conversations on this line yet.')
    await receive(ANNA, 'Hello')
    await send(BEN, 'To Ben')
    await receive(ANNA, 'STOP')
    await saveContact(context, line.userId, ANNA, { name: 'Anna <b>', blocked: true })
    await context.db('line_peers').insert({
      ...{ line_id: line.lineId, number: BEN },
      paused_until: ahead(context, '5 minutes'),
    })
    await receive('70123', 'Your code')
    const page = await line.page('/conversations')
    expect(wordsOf(page)).to.match(
      /70123 1 unread Your code .* Anna <b> \+15005550101 2 unread (STOP|You: .*) Blocked Opted out \(STOP\) .* \+15005550102 You: To Ben Paused until/,
    )
    expect(page)
      .to.include(`href="${line.path}/${inPath(ANNA)}"`)
      .and.not.to.include('<b>')
    expect(await line.page()).to.include(`href="${line.path}/conversations"`)
  })

  it('link to the activity with exactly this number, short code or name', async () => {
    const parties = ['AMAZON', '70123', '+15557012345']
    for (const party of parties) await receive(party, `From ${party}.`)
    for (const party of parties) {
      const [, href = ''] = /href="([^"]*)"[^>]*>\s*Activity with this number/.exec(await thread(party)) ?? []
      const found = await line.browser.get(href.replaceAll('&amp;', '&'))
      const texts = [...wordsOf(found.text).matchAll(/From (\S+)\./g)].map(([, whose]) => whose)
      expect([found.status, new Set(texts)]).to.deep.equal([200, new Set([party])])
    }
  })

  it('are searched by number, name and text, in every state and in the inbox', async () => {
    expect(await line.page('/conversations')).not.to.include('Search conversations')
    await saveContact(context, line.userId, CLEO, { name: 'Cleo Umbrella' })
    await receive(ANNA, 'Where is my umbrella?')
    await receive(ANNA, 'Never mind')
    await send(BEN, 'Hello Ben')
    await receive(CLEO, 'Hi')
    for (let n = 0; n < 4; n += 1) await receive(`+1500555012${n}`, 'Else')
    expect(await line.page('/conversations')).to.include('aria-label="Search conversations"')
    const foundIn = async (path: string) => {
      const { text } = await line.browser.get(path)
      const list = text.slice(text.indexOf('<ol class="activity faces"'))
      return [ANNA, BEN, CLEO].filter((number) => wordsOf(list).includes(number))
    }
    const found = (query: string) => foundIn(`${line.path}/conversations?${query}`)
    expect(await found('q=UMBRELLA')).to.deep.equal([ANNA, CLEO])
    expect(await line.words('/conversations?q=umbrella'), 'the text that was found').to.include(
      'Where is my umbrella?',
    )
    expect(await found(`q=${encodeURIComponent('500 555-0102')}`)).to.deep.equal([BEN])
    expect(await found('q=umbrella&state=unread'), 'by the last text').to.deep.equal([CLEO])
    expect(await foundIn('/console/inbox?q=mind')).to.deep.equal([ANNA])
    await line.submit(`${inPath(ANNA)}/archive`)
    expect(await found('q=umbrella')).to.deep.equal([CLEO])
    expect(await found('q=0101&state=archived')).to.deep.equal([ANNA])
    for (const path of [
      `${line.path}/conversations?q=%25`,
      `${line.path}/conversations?q=x&state=archived`,
    ]) {
      const { text } = await line.browser.get(path)
      expect(wordsOf(text)).to.include('Nothing found.')
      expect(text).to.match(/data-live="[^"]*q=/)
    }
    for (const path of [`${line.path}/conversations`, '/console/inbox']) {
      expect((await line.browser.get(`${path}?q=%00`)).status, 'what Postgres cannot keep').to.equal(200)
    }
  })

  it('are searched 500 unread ones at a time in the inbox, which says so', async () => {
    await receive(ANNA, 'umbrella')
    const found = () => wordsAt(line.browser, '/console/inbox?q=parasol')
    expect(await found()).to.include('Nothing found in your unread conversations.')
    await context.db.raw(
      `insert into line_peers (line_id, number, unread_id)
       select ?, '+1' || 5005550000 + n, lowest_id_at(now() - make_interval(secs => n)) from generate_series(300, 798) n`,
      [line.lineId],
    )
    expect(await found()).to.include('Nothing found on this page. Use Older to see more. Older')
  })

  it('are searched from the thread of one of them, too', async () => {
    await receive(ANNA, 'Where is my umbrella?')
    const html = await thread()
    const [, action = ''] =
      /<div class="list">.*?<form method="get" action="([^"]*)" role="search"/s.exec(html) ?? []
    expect(action).to.equal(`${line.path}/conversations`)
    expect(html).to.match(
      /<form [^>]*role="search" aria-label="[^"]+"><input type="search" name="q" aria-label="Search conv/,
    )
    const { text } = await line.browser.get(`${action}?q=umbrella`)
    expect(wordsOf(text)).to.include('Where is my umbrella?')
  })

  it('are searched page by page as far back as there are messages', async () => {
    const { db } = context
    const of = { userId: line.userId, lineId: line.lineId }
    await send(ANNA, 'umbrella')
    await receive(BEN, 'umbrella')
    await send(ANNA, 'umbrella')
    const sought = { words: 'umbrella' }
    const first = await listConversations(db, of, { limit: 1, sought })
    expect(first.conversations.map(({ number }) => number)).to.deep.equal([ANNA])
    const second = await listConversations(db, of, { limit: 1, sought, before: first.older })
    expect(second.conversations.map(({ number }) => number)).to.deep.equal([BEN])
    const named = await listConversations(db, of, { limit: 1, sought: { words: ANNA }, before: second.older })
    expect(named.conversations, 'found by its number on the first page').to.deep.equal([])
  })

  it('are paged: each number is on one page, by its latest message', async () => {
    for (const number of [ANNA, BEN, CLEO, ANNA]) await send(number, 'x')
    const { db } = context
    const of = { userId: line.userId, lineId: line.lineId }
    const first = await listConversations(db, of, { limit: 2 })
    expect(first.conversations.map(({ number }) => number)).to.deep.equal([ANNA, CLEO])
    const second = await listConversations(db, of, { limit: 2, before: first.older })
    expect(second.conversations.map(({ number }) => number)).to.deep.equal([BEN])
    expect(second.older).to.equal(null)
    const { text } = await line.browser.get(`${line.path}/conversations?before=${first.older ?? ''}`)
    expect(wordsOf(text)).to.include(BEN).and.include('Newest').and.not.include(ANNA)
  })

  it('show each message with its sender and outcome, newest at the bottom, page by page', async () => {
    expect(await words()).to.include('No messages with this number yet.')
    for (let n = 1; n <= 32; n += 1) await send(ANNA, `text ${n} of the past`)
    await send(ANNA, 'By hand', { source: 'console', status: 'failed', error: 'expired' })
    await receive(ANNA, 'Thanks')
    await send(BEN, 'not for Anna')
    const html = await thread()
    expect(wordsOf(html)).to.match(/text 32 of the past .* By hand .* failed .* Thanks .* Reply/)
    expect(html).to.include('text 5 of').and.not.include('text 4 of')
    // Beside the conversation stands with whom else the line is in touch, and their last text.
    expect(html.slice(html.indexOf('class="thread"'))).to.not.include('not for Anna')
    expect(html).to.include(`href="${line.path}/${inPath(BEN)}"`)
    const [, before = ''] = /\?before=([\w-]+)/.exec(html) ?? []
    const older = await words(ANNA, `?before=${before}`)
    expect(older).to.include('text 1 of the past').and.include('text 4 of').and.not.include('text 5 of')
    expect(older).to.include('Newest').and.not.include('Older')
  })

  it('resend a failed text from its bubble, and return to the conversation', async () => {
    const failed = await send(ANNA, 'Not sent', { status: 'failed', error: 'expired' })
    await send(ANNA, 'Perhaps sent', { status: 'unknown', error: 'no_answer' })
    const html = await thread()
    expect(html.match(/action="[^"]*\/send-again"/g)).to.have.length(1)
    const field = (name: string) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(html.slice(html.indexOf('/send-again"')))?.[1] ?? ''
    const [key, back] = [field('key'), field('back')]
    const path = `${line.path}/${inPath(ANNA)}`
    const resend = () => line.browser.submit(`/console/messages/${failed}/send-again`, { key, back })
    for (let time = 0; time < 2; time += 1) expectSentTo(await resend(), `${path}?done=sent-again`)
    expect(await context.db('messages').where({ again_of: failed })).to.have.length(1)
  })

  it('show anew a message that waits for another reason, and leave alone one that has not changed', async () => {
    const idsOf = (html: string) => [...html.matchAll(/<li id="(message-[^"]*)"/g)].map(([, id]) => id)
    await send(ANNA, 'First')
    const waiting = await send(ANNA, 'Second', { status: 'queued' })
    const before = idsOf(await thread())
    await context.db('messages').where({ id: waiting }).update({ error: 'carrier_unavailable' })
    const html = await thread()
    expect(wordsOf(html)).to.include('The carrier could not be reached.')
    expect(idsOf(html)[0]).to.equal(before[0])
    expect(idsOf(html)[1])
      .to.match(/^message-[\w-]+$/)
      .and.not.equal(before[1])
    const idWith = async (error: string) => {
      await site.context.db('messages').where({ id: waiting }).update({ error })
      return idsOf(await thread())[1]
    }
    // A carrier's words may be in any language.
    const ids = [await idWith('圏外 です'), await idWith('電源 オフ')]
    expect(new Set(ids)).to.have.property('size', 2)
    expect(ids.join('')).not.to.match(/\s/)
  })

  it('count unread texts until someone opens them, or a visible page receives more', async () => {
    const inbox = () => wordsAt(line.browser, '/console/inbox')
    await receive(ANNA, 'First')
    await receive(ANNA, 'Second')
    await send(ANNA, 'An answer by a program')
    await receive(BEN, 'From Ben')
    await send(CLEO, 'never answered')
    expect(await inbox()).to.match(
      /Inbox 2 unread .* \+15005550102 1 unread From Ben .* \+15005550101 2 unread You: An/,
    )
    const list = await line.page('/conversations')
    expect(wordsOf(list)).to.include('Unread 2 unread')
    expect(list.match(/<li class="unread"/g)).to.have.length(2)

    expect(await thread())
      .to.match(/Inbox<span[^>]*><span class="count">1</)
      .and.include('An answer by a program')
    expect(await line.words('/conversations?state=unread'))
      .to.include(BEN)
      .and.not.include(ANNA)
    const live = await listen(site, line, `${line.path}/${inPath(ANNA)}/live`)
    await until('the thread', () => live.text.includes('Second'))
    await receive(ANNA, 'Third')
    await until('the new message', () => live.text.includes('Third'))
    await until('the mark', async () => !(await inbox()).includes(ANNA))
    await live.close()

    expect(redirectOf(await line.browser.submit('/console/inbox/read', {}))).to.deep.equal([
      303,
      '/console/inbox?done=conversations-read',
    ])
    expect(await inbox()).to.include('You are all caught up')
  })

  it('are not counted for users who have not viewed them for 30 days, until the next view', async () => {
    await receive(ANNA, 'For a program')
    await receive(BEN, 'For a program')
    const users = context.db('users').where({ id: line.userId })
    const count = async (path = '/console') =>
      /Inbox<span[^>]*><span class="count">(\d+)</.exec((await line.browser.get(path)).text)?.[1]
    expect(await count(), 'somebody new').to.equal('2')
    for (const opening of ['/console/inbox', `${line.path}/${inPath(CLEO)}`]) {
      await users.clone().update({ inbox_opened_at: ago(context, '31 days') })
      expect(await count()).to.equal(undefined)
      expect(await line.words('/conversations')).to.include('Unread 2 unread')
      expect(await count(opening)).to.equal('2')
      expect(await count()).to.equal('2')
    }
  })

  it('are marked as unread on purpose, also while a page shows them', async () => {
    await receive(ANNA, 'Read')
    const live = await listen(site, line, `${line.path}/${inPath(ANNA)}/live`)
    await until('the thread', () => live.text.includes('Read'))
    expectSentTo(
      await line.submit(`${inPath(ANNA)}/unread`),
      `${line.path}/conversations?done=conversation-unread`,
    )
    // The open page is brought up to date by something else, and marks nothing.
    await send(ANNA, 'Sent since then')
    await until('a later look', () => live.text.includes('Sent since then'))
    await live.close()
    const unread = () => line.words('/conversations?state=unread')
    expect(await unread()).to.match(/\+15005550101 1 unread/)
    // Its stream begins anew when the tab was hidden, or another one was opened.
    const again = await listen(site, line, `${line.path}/${inPath(ANNA)}/live`)
    await until('the thread again', () => again.text.includes('Sent since then'))
    await receive(ANNA, 'One more')
    await until('the new message', () => again.text.includes('One more'))
    await again.close()
    expect(await unread()).to.match(/\+15005550101 2 unread/)
    await thread()
    expect(await unread()).not.to.include('+15005550101')
  })

  it('are on the pages after one whose messages were deleted, too', async () => {
    const numbers = Array.from({ length: 40 }, (_, n) => `+150055502${10 + n}`)
    for (const [n, number] of numbers.entries()) {
      // What retention has left of the eleventh: nothing.
      if (n !== 10) await send(number, 'Hello')
      await context.db('line_peers').insert({
        ...{ line_id: line.lineId, number },
        archived_at: new Date(Date.now() - n * 1000),
      })
    }
    const shown: number[] = []
    for (let path: string | undefined = '/conversations?state=archived'; path !== undefined;) {
      const html: string = await line.page(path)
      shown.push(numbers.filter((number) => html.includes(encodeURIComponent(number))).length)
      path = /\/conversations(\?[^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
      if (path !== undefined) path = `/conversations${path}`
    }
    expect(shown).to.deep.equal([30, 9])
  })

  it('are on one page of the archive if they were archived in the same millisecond', async () => {
    const numbers = Array.from({ length: 34 }, (_, n) => `+150055503${10 + n}`)
    const now = Date.now()
    for (const [n, number] of numbers.entries()) {
      await send(number, 'Hello')
      // The 30th, at the end of the first page, and the two after it.
      const at = n === 30 || n === 31 ? 29 : n
      await site.context.db('line_peers').insert({
        ...{ line_id: line.lineId, number, archived_at: new Date(now - at * 1000) },
      })
    }
    const shown: number[] = []
    for (let path: string | undefined = '/conversations?state=archived'; path !== undefined;) {
      const html: string = await line.page(path)
      shown.push(numbers.filter((number) => html.includes(encodeURIComponent(number))).length)
      path = /\/conversations(\?[^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
      if (path !== undefined) path = `/conversations${path}`
    }
    expect(shown).to.deep.equal([32, 2])

    const older = site.context.db('line_peers').where({ line_id: line.lineId })
    await older.where('archived_at', '<', new Date(now - 29 * 1000)).delete()
    expect(await line.page('/conversations?state=archived')).not.to.include('rel="next"')
  })

  it('are listed from the newest one if a cursor of the archive is no time of ours', async () => {
    for (const cursor of ['x', '-271821-04-20T00:00:00.000Z', '+275760-09-13T00:00:00.000Z']) {
      const path = `${line.path}/conversations?state=archived&before=${encodeURIComponent(cursor)}`
      expect((await line.browser.get(path)).status, cursor).to.equal(200)
    }
  })

  it('leave the list when archived, until another unblocked text arrives', async () => {
    const listed = (state = '') => line.words(`/conversations${state}`)
    await receive(ANNA, 'Done with')
    await receive(BEN, 'From Ben')
    expectSentTo(
      await line.submit(`${inPath(ANNA)}/archive`),
      `${line.path}/conversations?done=conversation-archived`,
    )
    await send(ANNA, 'News for everybody')
    await saveContact(context, line.userId, ANNA, { blocked: true })
    await receive(ANNA, 'Blocked')
    expect(await listed())
      .to.include(BEN)
      .and.not.include(ANNA)
    expect(await listed('?state=unread'))
      .to.include(BEN)
      .and.not.include(ANNA)
    expect(await listed('?state=archived'))
      .to.include(ANNA)
      .and.not.include(BEN)
    expect(await thread()).to.include('Unarchive')
    await saveContact(context, line.userId, ANNA, { blocked: false })
    await receive(ANNA, 'Again')
    expect(await listed('?state=archived')).to.include('No archived conversations.')
    expect(await listed()).to.match(/\+15005550101 1 unread Again/)

    await line.submit(`${inPath(ANNA)}/archive`)
    expectSentTo(
      await line.submit(`${inPath(ANNA)}/unarchive`),
      `${line.path}/conversations?done=conversation-back`,
    )
    expect(await listed()).to.include(ANNA)
    expect(await listed('?state=unread')).to.not.include(ANNA)
  })

  describe('stay if a message came in that the reader has not seen', () => {
    /** The field that a page has for a form, which may be outside the form. */
    const shownIn = (html: string) => ({ upTo: /name="upTo" value="([^"]+)"/.exec(html)?.[1] ?? '' })
    const unread = () => line.words('/conversations?state=unread')

    it('when one is archived', async () => {
      await receive(ANNA, 'First')
      const shown = shownIn(await thread())
      const archiving = () => line.submit(`${inPath(ANNA)}/archive`, shown)
      const id = await receiveNew(context, line)
      expectSentTo(await archiving(), `${line.path}/${inPath(ANNA)}?done=conversation-not-archived`)
      expect(await unread()).to.match(/\+15005550101 1 unread/)
      // It is unread since a message that the reader was shown.
      await changeRows(context, 'line_peers', { number: ANNA }, { unread_id: shown.upTo })
      expectSentTo(await archiving(), `${line.path}/${inPath(ANNA)}?done=conversation-not-archived`)
      expect(await unread()).to.match(/\+15005550101 2 unread/)
      const live = await listen(site, line, `${line.path}/${inPath(ANNA)}/live`)
      await until('the field of the page that is open', () => shownIn(live.text).upTo === id)
      await live.close()
      expectSentTo(
        await line.submit(`${inPath(ANNA)}/archive`, { upTo: id }),
        `${line.path}/conversations?done=conversation-archived`,
      )
      expect(await unread()).not.to.include(ANNA)
    })

    /** A text from ANNA that is being received, until the caller commits it. */
    const receiving = async () => {
      const trx = await openHolder(context.db)
      await receiveMessages(trx, [
        {
          messageId: newId(),
          eventId: newId(),
          deliveryId: newId(),
          carrierAccount: 'simulator',
          carrierMessageId: newId(),
          fromNumber: ANNA,
          toNumber: line.number,
          type: 'text',
          eventType: 'inboundText',
          text: 'Second',
          media: [],
        },
      ])
      return trx
    }
    const acts: [string, (upTo: string) => Promise<unknown>][] = [
      ['one is archived', (upTo) => line.submit(`${inPath(ANNA)}/archive`, { upTo })],
      ['all are marked as read', (upTo) => line.browser.submit('/console/inbox/read', { upTo })],
    ]
    for (const [what, act] of acts) {
      it(`when it comes in at the moment at which ${what}`, async () => {
        const upTo = await receiveNew(context, line)
        const trx = await receiving()
        const acting = act(upTo)
        await until('it waits', async () => (await countWaitingForLocks(context)) > 0)
        await trx.commit()
        await acting
        expect(await unread()).to.match(/\+15005550101 \d unread Second/)
      })
    }

    it('when all are marked as read', async () => {
      await receive(ANNA, 'First')
      await receive(BEN, 'First')
      const inbox = async (query = '') => (await line.browser.get(`/console/inbox${query}`)).text
      const [shown, searched] = [shownIn(await inbox()), shownIn(await inbox('?q=nothing'))]
      await receive(ANNA, 'Second')
      await receive(CLEO, 'Second')
      await line.browser.submit('/console/inbox/read', shown)
      expect(wordsOf(await inbox()))
        .to.match(/\+15005550103 1 unread .* \+15005550101 1 unread/)
        .and.not.include(BEN)
      expect(searched.upTo > shown.upTo, 'a page that does not show all').to.equal(true)
      await line.browser.submit('/console/inbox/read', shownIn(await inbox()))
      expect(wordsOf(await inbox())).to.include('You are all caught up')
    })
  })

  it('keep their list up to date', async () => {
    const live = await listen(site, line, `${line.path}/inbox/live?state=unread`)
    await until('the empty list', () => live.text.includes('No unread conversations.'))
    await receive(ANNA, 'Are you there?')
    await until('the new message', () => live.text.includes('Are you there?'))
    await live.close()
  })

  it('can be replied to in place, once per form, and count segments without a script', async () => {
    const form = `${inPath(ANNA)}/messages`
    const counted = await line.submit(`${form}/segments`, { key: newId(), text: 'Ж'.repeat(80) })
    expect(wordsOf(counted.text)).to.include('2 segments, UCS-2').and.include('Conversation with')
    const fields = { key: newId(), text: 'On my way' }
    for (let time = 0; time < 2; time += 1) {
      expectSentTo(await line.submit(form, fields), `${line.path}/${inPath(ANNA)}`)
    }
    const rows = await context.db('messages').where({ line_id: line.lineId }).pluck<string[]>('id')
    expect(rows).to.have.length(1)
    expect(await messageRow(context, rows[0]!)).to.include({ to_number: ANNA, source: 'console' })
    expect(await words()).to.include('On my way')
    const refused = await line.submit(form, { key: newId(), text: '' })
    expectFault(refused, 400, 'Write a message, or choose a picture')
  })

  it('can be replied to with several pictures, once per form, up to the carrier’s limit', async () => {
    await receive(ANNA, 'Show me')
    const html = await thread()
    expect(html)
      .to.match(/<input name="picture"[^>]* multiple/)
      .and.to.include('Up to 10 pictures')
    const [, key = ''] = /name="key" value="([^"]*)"/.exec(html.slice(html.indexOf('class="composer"'))) ?? []
    const answer = async (text: string, pictures: readonly Buffer[]) => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ key, text })) form.append(name, value)
      for (const bytes of pictures) form.append('picture', new Blob([new Uint8Array(bytes)]), 'a.gif')
      return line.browser.submitForm(`${line.path}/${inPath(ANNA)}/messages`, form)
    }
    const { gif, png } = MEDIA.picture
    expectFault(await answer(' ', []), 400, 'Write a message, or choose a picture')
    expectFault(await answer('', [Buffer.from('none')]), 400, 'picture must be a png, jpg or gif file')
    for (let time = 0; time < 2; time += 1) {
      const sent = await answer('', [gif!, png!])
      expect([sent.status, sent.headers.get('location')], sent.text).to.deep.equal([
        303,
        `${line.path}/${inPath(ANNA)}`,
      ])
    }
    const rows = await context
      .db('messages')
      .where({ line_id: line.lineId, direction: 'outbound' })
      .select<MessageRow[]>()
    expect(rows.map(({ text }) => text)).to.deep.equal([null])
    const outcomes = []
    const media = context.db('media').where({ message_id: rows[0]!.id }).orderBy('id')
    for (const { id } of await media.clone().select<{ id: string }[]>('id'))
      outcomes.push((await fetchMedia(context, id)).kind)
    expect(await media.clone().pluck('content_type')).to.deep.equal(['image/gif', 'image/png'])
    expect(outcomes).to.have.length(2)
  })

  it('explain why the line cannot reply, and allow naming and blocking', async () => {
    await receive(ANNA, 'STOP')
    expect(await words())
      .to.include('opted out of this line')
      .and.include('you cannot send to it')
    const done = async (form: string, fields = {}) => {
      const [status, location] = redirectOf(await line.submit(`${inPath(ANNA)}/${form}`, fields))
      expect(status).to.equal(303)
      return wordsAt(line.browser, location ?? '')
    }
    expect(await done('name', { name: 'Anna' }))
      .to.include('Name saved')
      .and.include(`Anna ${ANNA}`)
    expect(await done('block'))
      .to.include('has been blocked since')
      .and.include('Unblock')
    expect(await done('unblock'))
      .to.include('Number unblocked')
      .and.include(`Anna ${ANNA}`)
    const long = await line.submit(`${inPath(ANNA)}/name`, { name: 'x'.repeat(101) })
    expectFault(long, 400, 'Name must have 1 to 100 characters')

    const id = await send(ANNA, 'Named')
    const conversation = `href="${line.path}/${inPath(ANNA)}"`
    for (const path of [`/console/messages/${id}`, '/console/activity']) {
      const { text } = await line.browser.get(path)
      expect(wordsOf(text), path).to.include(`To Anna ${ANNA}`)
      expect(text, path).to.include(conversation)
    }
  })
})
