import type { RunOptions } from 'axe-core'
import { expect } from 'chai'
import type { BrowserContextOptions, Locator } from 'playwright-core'
import { insertNotices } from '../../src/database/operating/notices.js'
import { receiveMessage } from '../../src/domain/messages/receive.js'
import { newId } from '../../src/ids.js'
import { ANNA, changeRows, inboundText, queueMessage, receiveForDelivery } from '../domain/fixtures.js'
import { MEDIA } from '../domain/media-samples.js'
import { createLine } from '../helpers/factories.js'
import { forAllTests } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { axeFaults } from '../helpers/web/axe.js'
import { describeWeb } from '../helpers/web/web.js'
import { createOwner } from '../web/console/support.js'
import { browserForSuite } from './support.js'

const PHONE = { viewport: { width: 390, height: 844 } }

/** The zone in which it is noon then, or up to an hour later: no day ends soon before or after. */
function zoneOfNoon(moment: number): string {
  const behind = new Date(moment).getUTCHours() - 12
  return `Etc/GMT${behind < 0 ? '' : '+'}${behind}`
}

/** Where the parts of the console stand, which only a browser can tell. */
describeWeb('the parts of the console in a browser', function ({ context, web }) {
  this.timeout(300_000)

  const browser = browserForSuite()
  const owner = forAllTests(() => createOwner(context))

  async function visit(path: string, options: BrowserContextOptions = {}) {
    const watched = await browser.openSignedIn({ context, url: web.url, userId: owner.person.id }, options)
    await watched.page.goto(owner.fill(path))
    return watched.page
  }

  const leftOf = async (element: Locator) => Math.round((await element.boundingBox())?.x ?? -1)
  const topOf = async (element: Locator) => Math.round((await element.boundingBox())?.y ?? -1)

  it('cut a line’s long name in the activity, on a desk and on a phone', async () => {
    const { lineId } = owner.line
    const name = 'Praxis Dr. Schönenberger-Wachtendonk, Gemeinschaftspraxis für Allgemeinmedizin, Köln-Süd'
    const nameOf = () => context.db('lines').where({ id: lineId })
    const [before] = await nameOf().select<[{ name: string | null }]>('name')
    await nameOf().update({ name })
    for (const [options, mostLines] of [
      [{}, 3],
      [PHONE, 1],
    ] as const) {
      const page = await visit('/console/activity', options)
      const cell = page.locator('ol.activity .when').first()
      expect(await cell.locator('span').getAttribute('title')).to.equal(name)
      const lineHeight = await cell.evaluate((each) => parseFloat(getComputedStyle(each).lineHeight))
      expect((await cell.boundingBox())?.height).to.be.at.most(mostLines * lineHeight + 2)
      if (options !== PHONE) {
        await page.locator('[data-drawer] a[href*="/messages/"]').first().click()
        const drawer = page.locator('.drawer')
        await drawer.locator('.crumbs').waitFor()
        expect(await drawer.evaluate((each) => each.scrollWidth - each.clientWidth)).to.equal(0)
      }
    }
    await nameOf().update(before)
  })

  it('show one time for a group of messages, and each message’s own time on hover', async () => {
    const { line } = owner
    const now = Date.now()
    const ago = (id: string, minutes: number) =>
      changeRows(context, 'messages', id, { created_at: new Date(now - minutes * 60_000) })
    const number = '+15005550177'
    for (const [text, minutes] of [
      ['First', 50],
      ['Second', 47],
      ['Much later', 30],
    ] as const) {
      await ago(await queueMessage(context, line, { to_number: number, text, status: 'sent' }), minutes)
    }
    await receiveMessage(
      context,
      inboundText(line, { fromNumber: number, content: { type: 'inboundText', text: 'Thanks' } }),
    )
    const page = await visit(`/console/lines/:lineId/conversations/${encodeURIComponent(number)}`, {
      timezoneId: zoneOfNoon(now),
    })
    const bubble = (text: string) => page.locator('ol.thread > li', { hasText: text })
    const isSeen = (text: string) =>
      bubble(text)
        .locator('small')
        .evaluate((element) => getComputedStyle(element).opacity === '1')
    const texts = ['First', 'Second', 'Much later', 'Thanks']
    expect(await Promise.all(texts.map(isSeen))).to.deep.equal([false, true, true, true])
    const time = bubble('First').locator('time')
    expect(await time.textContent()).to.match(/^\d+:\d\d [AP]M$/)
    expect(await time.getAttribute('title')).to.match(/\d{4}, \d+:\d\d:\d\d [AP]M$/)
    await bubble('First').hover()
    expect(await isSeen('First')).to.equal(true)
    // It takes no place of its own.
    const box = await bubble('First').boundingBox()
    expect(box?.height).to.be.below(40)
  })

  it('count the segments of a reply while pictures are chosen, and send both', async () => {
    const page = await visit(`/console/lines/:lineId/conversations/${encodeURIComponent('+15005550178')}`)
    const composer = page.locator('form.composer')
    await composer.locator('summary', { hasText: 'Pictures' }).click()
    const picture = { name: 'a.gif', mimeType: 'image/gif', buffer: MEDIA.picture.gif! }
    await composer.getByLabel('Pictures to send').setInputFiles([picture, picture])
    await composer.getByRole('textbox', { name: 'Text' }).pressSequentially('Look')
    await composer.getByRole('status').getByText('1 segment').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('ol.thread > li', { hasText: 'Look' }).getByText('Copying').nth(1).waitFor()
  })

  it('have the focus where it was after an act: in the composer, in the row, or where the act is done', async () => {
    const page = await visit(`/console/lines/:lineId/conversations/${encodeURIComponent('+15005550179')}`)
    const text = page.locator('form.composer textarea')
    for (const written of ['One', 'Two']) {
      await text.pressSequentially(written)
      // The page is live, so the message may be on it before the next one comes.
      await Promise.all([page.waitForEvent('load'), text.press('Enter')])
      await page.locator('ol.thread > li', { hasText: written }).waitFor()
      await page.waitForFunction(() => document.activeElement?.matches('.composer textarea'))
    }
    const delivery = await receiveForDelivery(
      context,
      await createLine(context, { userId: owner.person.id, outgoingUrl: 'http://127.0.0.1:9/' }),
    )
    await changeRows(context, 'deliveries', delivery.id, { status: 'exhausted', last_failure: 'http_500' })
    await page.goto('/console/activity')
    await page.getByRole('button', { name: 'Retry', exact: true }).first().press('Enter')
    await page.waitForURL('**done=**')
    await page.waitForFunction(() => document.activeElement?.closest('ol.activity > li') !== null)

    const disabled = { disabled_at: new Date(), disabled_reason: 'gone' }
    await changeRows(context, 'endpoints', delivery.endpoint_id, disabled)
    await context.db('deliveries').where({ id: delivery.id }).update({ status: 'held' })
    await page.goto(`/console/endpoints/${delivery.endpoint_id}`)
    await page.getByRole('button', { name: 'Enable again' }).press('Enter')
    await page.waitForURL('**done=endpoint-enabled**')
    await page.waitForFunction(() => document.activeElement?.id === 'health')
    await page.getByRole('button', { name: 'Send held events' }).press('Enter')
    await page.waitForURL('**done=held-sent**')
    await page.waitForFunction(() => document.activeElement?.matches('.notice'))
  })

  it('place the buttons of the first steps, and of a user’s lines, side by side', async () => {
    const start = await visit('/console/lines/:lineId/start')
    const connect = start.locator('#connect')
    const [save, field, send, show] = await Promise.all([
      topOf(connect.getByRole('button', { name: 'Save URL' })),
      topOf(connect.getByLabel("Your server's URL")),
      topOf(connect.getByRole('button', { name: 'Send test event' })),
      topOf(connect.getByRole('button', { name: 'Show code' })),
    ])
    expect([save, send]).to.deep.equal([field, show])

    for (const options of [{}, PHONE]) {
      const user = await visit('/console/users/:userId', options)
      const row = user.locator('details.row').last()
      expect(await row.getByRole('button', { name: 'Disable line' }).isVisible()).to.equal(false)
      await row.locator('summary').click()
      const [pause, disable] = await Promise.all(
        ['Pause sending', 'Disable line'].map((name) => leftOf(row.getByRole('button', { name }))),
      )
      // On a desktop they are side by side, and on a phone one below the other.
      expect(pause === disable).to.equal(options === PHONE)
    }
  })

  it('send a form once for a double click, and again once its page is shown again', async () => {
    const page = await visit('/console/settings')
    await page.evaluate(() => {
      const noted: boolean[] = []
      Object.assign(window, { noted })
      addEventListener('submit', (event) => {
        noted.push(event.defaultPrevented)
        event.preventDefault()
      })
    })
    const noted = () => page.evaluate(() => (window as unknown as { noted: boolean[] }).noted)
    await page.getByText('New token').click()
    await page.getByLabel('Token name').fill('Laptop')
    const button = page.getByRole('button', { name: 'Create token' })
    await button.dblclick()
    expect(await noted()).to.deep.equal([false, true])
    await page.evaluate(() => dispatchEvent(new Event('pageshow')))
    await button.click()
    expect(await noted()).to.deep.equal([false, true, false])
  })

  it('are loaded again by reload and Back after a refused form, which is not sent again', async () => {
    const page = await visit('/console/lines/:lineId/receive')
    const address = page.url()
    const methods: string[] = []
    page.on('request', (request) => {
      if (request.isNavigationRequest()) methods.push(request.method())
    })
    // Without the browser's own copy of a page, as after a while.
    const back = () => page.goBack({ waitUntil: 'load' })
    const refuse = async () => {
      await page.getByLabel("Your server's URL").fill('ftp://example.com/')
      await page.getByRole('button', { name: 'Save URL' }).click()
      await page.getByRole('alert').first().waitFor()
      expect(page.url()).to.equal(address)
    }
    await refuse()
    await refuse()
    await page.reload()
    expect(methods).to.deep.equal(['POST', 'POST', 'GET'])
    expect(await page.getByRole('alert').count()).to.equal(0)
    await refuse()
    await page.goto('/console')
    await back()
    expect(page.url()).to.equal(address)
    expect(methods).to.deep.equal(['POST', 'POST', 'GET', 'POST', 'GET', 'GET'])
  })

  it('on a phone, scroll to the current tab, and are at most 4,000 px tall', async () => {
    const page = await visit('/console/lines/:lineId/danger', PHONE)
    const tab = page.locator('.tabs [aria-current]')
    const { x = 0, width = 0 } = (await tab.boundingBox()) ?? {}
    expect([x >= 0, x + width <= PHONE.viewport.width]).to.deep.equal([true, true])
    for (const path of ['carriers/new?kind=http', 'carriers/new?kind=smpp', 'events', 'overview?span=7d']) {
      await page.goto(`/console/${path}`)
      expect(await page.evaluate(() => document.documentElement.scrollHeight), path).to.be.below(4000)
    }
  })

  it('say when a scheduled message is sent, without the day if that is today', async () => {
    const sent = { to_number: '+15005550166', status: 'scheduled' }
    const now = Date.now()
    await queueMessage(context, owner.line, { ...sent, due_at: new Date(now + 3_600_000) })
    await queueMessage(context, owner.line, { ...sent, due_at: new Date('2031-02-03T11:30:00Z') })
    const page = await visit(`/console/lines/:lineId/conversations/${encodeURIComponent('+15005550166')}`, {
      timezoneId: zoneOfNoon(now),
    })
    await page.getByText(/^sends today at 1:/).waitFor()
    await page.getByText(/^sends Feb 3, 2031, /).waitFor()
    // It stands where it was written, so it begins no day of its own above what comes after it.
    await queueMessage(context, owner.line, { to_number: sent.to_number })
    await page.reload()
    expect(await page.locator('ol.thread > li.day').count()).to.equal(1)
  })

  it('say Copy again after a second press, too', async () => {
    const page = await visit('/console/lines/:lineId/conversations/%2B15005550166')
    await page.clock.install()
    await page.reload()
    await page.clock.pauseAt(Date.now() + 600_000)
    const button = page.locator('button[data-copy]:visible').first()
    const label = await button.textContent()
    for (const press of [1, 2]) {
      await page.evaluate(() => navigator.clipboard.writeText('before'))
      await button.click()
      const copied = () => page.evaluate(() => navigator.clipboard.readText())
      await until(`press ${press} has copied`, async () => (await copied()) !== 'before')
      await until('it says so', async () => (await button.textContent()) === 'Copied')
    }
    await page.clock.runFor(2500)
    expect(await button.textContent()).to.equal(label)
  })

  it('print all of a conversation that is on its page, without menus and buttons', async () => {
    const to = { to_number: '+15005550167' }
    for (let n = 0; n < 30; n++) await queueMessage(context, owner.line, to)
    const page = await visit('/console/lines/:lineId/conversations/%2B15005550167')
    const isCut = () =>
      page
        .locator('.thread-box')
        .evaluate((box) => box.scrollHeight > box.clientHeight || box.clientHeight < 900)
    expect(await isCut()).to.equal(true)
    await page.emulateMedia({ media: 'print' })
    expect(await isCut()).to.equal(false)
    for (const part of ['header.top', '.talk > .list', 'form.composer', '.foot a'])
      expect(await page.locator(part).first().isVisible(), part).to.equal(false)
  })

  it('print what a box scrolls, and no button or link that looks like one', async () => {
    const page = await visit('/console/lines/:lineId/send?show=webhook')
    const boxes = page.locator('.samples details[open] .copyable > code')
    const cut = () =>
      boxes.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length)
    await page.setViewportSize({ width: 720, height: 1000 })
    expect([await boxes.count(), await cut()]).to.deep.equal([1, 1])
    await page.emulateMedia({ media: 'print' })
    expect(await cut()).to.equal(0)
    for (const part of ["a[role='button']", 'button', '.tabs'])
      expect(await page.locator(part).filter({ visible: true }).count(), part).to.equal(0)
  })

  it('keep a button apart from what is above it, also with a hidden field between them', async () => {
    const page = await visit('/console/endpoints/:endpointId')
    await page.getByText('Rotate…').click()
    const form = page.locator('form[action$="/rotate-secret"]')
    const { y: top = 0, height = 0 } = (await form.locator('label').boundingBox()) ?? {}
    const { y: below = 0 } = (await form.getByRole('button').boundingBox()) ?? {}
    expect(below - (top + height)).to.be.at.least(12)
  })

  it('leave no half of a row of a filter empty on a phone', async () => {
    for (const path of ['/console/audit?action=user', '/console/settings/history?action=user']) {
      const page = await visit(path, PHONE)
      const lonely = await page.locator('form.filter').evaluate((form) => {
        const { right: edge } = form.getBoundingClientRect()
        const shown = [...form.children].filter((each) => each.checkVisibility())
        const boxes = shown.map((each) => ({ words: each.textContent, box: each.getBoundingClientRect() }))
        const halves = boxes.filter(({ box }) => box.right < edge - 2)
        return halves
          .filter(({ box: { right, bottom } }) =>
            boxes.every(({ box }) => box.left < right || Math.abs(box.bottom - bottom) > 4),
          )
          .map(({ words }) => words)
      })
      expect(lonely, path).to.deep.equal([])
    }
  })

  it('show the whole mark around a tab that has the focus', async () => {
    const page = await visit('/console/lines/:lineId')
    const tab = page.locator('.tabs a').first()
    await page.locator('.tabs [aria-current]').focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    const [offset, width] = await tab.evaluate((each) => {
      const { outlineOffset, outlineWidth } = getComputedStyle(each)
      return [parseFloat(outlineOffset), parseFloat(outlineWidth)]
    })
    // The row of tabs scrolls, so it cuts what is outside of a tab.
    expect([offset, width]).to.deep.equal([-2, 2])
  })

  it('show the whole mark around what has the focus in a row or a list that scrolls', async () => {
    const talk = await visit('/console/lines/:lineId/conversations/:number')
    const phone = await visit('/console/lines/:lineId/conversations/:number', PHONE)
    const crumbs = await visit('/console/lines/:lineId/start', PHONE)
    for (const [page, links] of [
      [talk, '.talk > .list a'],
      [phone, '.talk > .who summary'],
      [crumbs, '.crumbs a'],
    ] as const) {
      const first = page.locator(links).first()
      await first.focus()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Shift+Tab')
      const cut = await first.evaluate((each) => {
        const { outlineOffset, outlineWidth } = getComputedStyle(each)
        const mark = parseFloat(outlineOffset) + parseFloat(outlineWidth)
        let box: Element | null = each.parentElement
        while (box !== null && !/auto|scroll|hidden/.test(getComputedStyle(box).overflowX))
          box = box.parentElement
        box ??= document.documentElement
        const [inner, outer] = [each.getBoundingClientRect(), box.getBoundingClientRect()]
        return [outer.left - (inner.left - mark), outer.top - (inner.top - mark)].filter((px) => px > 0)
      })
      expect(cut, links).to.deep.equal([])
    }
  })

  it('on a phone, count texts and notifications in the menu, and show a filter in one row until it is opened', async () => {
    const { id } = owner.person
    const details = { userId: id, count: 3 }
    await insertNotices(context.db, [
      { id: newId(), kind: 'messages.unknown', subject: id, userId: id, details },
    ])
    for (const javaScriptEnabled of [true, false]) {
      const page = await visit('/console/activity', { ...PHONE, javaScriptEnabled })
      const counts = await page
        .locator('#nav .count')
        .evaluateAll((all) => all.map(({ textContent }) => parseInt(textContent)))
      expect(counts).to.have.length(2)
      const menu = await page.getByRole('button', { name: /^Menu/ }).textContent()
      expect(menu).to.include(` ${counts.reduce((one, other) => one + other)} `.trim())
      const form = page.locator('form.filter')
      expect((await form.boundingBox())?.height).to.be.below(80)
      expect(await form.getByLabel('Direction').isVisible()).to.equal(false)
      await form.locator('summary', { hasText: 'Filter' }).click()
      await form.getByLabel('Number').fill(ANNA.slice(-4))
      await form.getByRole('button', { name: 'Filter' }).click()
      await page.waitForURL('**number=0101**')
      expect((await page.locator('search').boundingBox())?.height).to.be.below(120)
    }
    const desk = await visit('/console/activity')
    const fields = desk.locator('form.filter > label, form.filter > .fold > label, form.filter button')
    const tops = await fields.evaluateAll((all) =>
      all.map((each) => Math.round(each.getBoundingClientRect().bottom)),
    )
    expect(new Set(tops).size, tops.join()).to.equal(1)
  })

  it('on a phone, have one row of buttons below a reply, and the act of a token beside its name', async () => {
    const page = await visit(`/console/lines/:lineId/conversations/${encodeURIComponent(ANNA)}`, PHONE)
    await page.getByPlaceholder('Message').fill('A reply of one segment')
    await page.locator('.composer [role=status]', { hasText: '1 segment' }).waitFor()
    const send = page.getByRole('button', { name: 'Send', exact: true })
    for (const word of ['Schedule', 'Pictures'])
      expect(await topOf(page.locator('.composer summary', { hasText: word })), word).to.equal(
        await topOf(send),
      )
    await page.goto('/console/settings')
    const row = page.locator('#api-tokens tbody tr').first()
    const [name, act, created] = ['td:first-child', 'summary', '[data-label="Created"]'].map((each) =>
      row.locator(each).first(),
    )
    expect(Math.abs((await topOf(act!)) - (await topOf(name!)))).to.be.below(24)
    expect(await topOf(created!)).to.be.above(await topOf(name!))
  })

  it('show lines that need attention and a list filtered by state without violations in axe', async () => {
    const { userId } = owner.line
    const endpointIds: string[] = []
    for (const n of [1, 2, 3, 4, 5, 6]) {
      const fields = { userId, name: `Shop ${n}`, outgoingUrl: 'http://127.0.0.1:9/' }
      endpointIds.push((await createLine(context, fields)).endpointId)
    }
    const failing = { failing_since: new Date(), last_failure: 'http_503', called_at: new Date() }
    for (const id of endpointIds.slice(0, 2)) await changeRows(context, 'endpoints', id, failing)
    await changeRows(context, 'endpoints', endpointIds[2]!, { paused_at: new Date() })
    for (const [options, axe] of [
      [{ viewport: { width: 1280, height: 860 } }, {}],
      [{ ...PHONE, colorScheme: 'dark' }, {}],
      [PHONE, { runOnly: ['target-size'] }],
    ] satisfies [BrowserContextOptions, RunOptions][]) {
      const page = await visit('/console', options)
      await page.getByRole('link', { name: /^Needs attention/ }).click()
      await page.waitForURL(/state=attention/)
      await page.locator('.needs summary').first().click()
      expect(await axeFaults(page, axe)).to.deep.equal([])
      expect(await page.getByRole('button', { name: 'Search', exact: true }).isVisible()).to.equal(false)
    }
    const page = await visit('/console', { javaScriptEnabled: false })
    await page.getByLabel('Sort by').selectOption({ label: 'Name' })
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.waitForURL(/sort=name/)
  })

  it('have menus that Escape closes, with the focus back on their button, and that anything else closes', async () => {
    const page = await visit('/console', { viewport: { width: 1280, height: 900 } })
    const button = page.locator('summary', { hasText: 'Account' })
    const settings = page.getByRole('link', { name: 'Settings' })
    await button.focus()
    await page.keyboard.press('Enter')
    await settings.waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')
    await settings.waitFor({ state: 'hidden' })
    expect(await button.evaluate((element) => element === document.activeElement)).to.equal(true)

    await page.keyboard.press('Enter')
    await settings.waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    await settings.waitFor({ state: 'hidden' })

    await button.click()
    await settings.waitFor()
    await page.locator('main a').first().focus()
    await settings.waitFor({ state: 'hidden' })

    const phone = await visit('/console', PHONE)
    const menu = phone.getByRole('button', { name: /^Menu/ })
    await menu.focus()
    await phone.keyboard.press('Enter')
    await phone.locator('summary', { hasText: 'Account' }).click()
    await phone.getByRole('link', { name: 'Settings' }).waitFor()
    await phone.keyboard.press('Escape')
    await phone.locator('#nav').waitFor({ state: 'hidden' })
    expect(await menu.evaluate((element) => element === document.activeElement)).to.equal(true)
  })
})
