import { expect } from 'chai'
import type { BrowserContextOptions, Locator, Route } from 'playwright-core'
import { listDeliveries } from '../../src/database/endpoints/deliveries/reading.js'
import { countNewestMinutes } from '../../src/domain/operating/overview/count-minutes.js'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import { newId } from '../../src/ids.js'
import { queueMessage } from '../domain/fixtures.js'
import { createLine, messageBody } from '../helpers/factories.js'
import { forAllTests } from '../helpers/suite.js'
import { axeFaults } from '../helpers/web/axe.js'
import { until } from '../helpers/until.js'
import { describeWeb, serveApp } from '../helpers/web/web.js'
import { createOwner } from '../web/console/support.js'
import { browserForSuite, signIn } from './support.js'

/** The pages where the accent is text, a ground, a line or a chart. */
const COLOURFUL = [
  ...['/console/overview', '/simulator'],
  ...['send', 'conversations/:number', 'list'].map((tab) => `/console/lines/:lineId/${tab}`),
]

describeWeb('the pages in a browser', function ({ context, web }) {
  this.timeout(300_000)

  const browser = browserForSuite()
  const owner = forAllTests(() => createOwner(context))

  before(() => countNewestMinutes(context))

  /** Signed in as the owner. */
  const visit = async (path: string, options?: BrowserContextOptions, url = web.url) => {
    const watched = await browser.openSignedIn({ context, url, userId: owner.person.id }, options)
    await watched.page.goto(owner.fill(path))
    return watched
  }

  for (const color of ['#ffe000', '#001040']) {
    it(`are readable with the brand colour ${color}, in light and dark`, async () => {
      const config = { ...context.config, brand: { ...context.config.brand, color } }
      const branded = await serveApp({ ...context, config })
      const faults: string[] = []
      const { page, ...shots } = await visit('/console', {}, branded.url)
      for (const path of COLOURFUL.map(owner.fill)) {
        await page.goto(path)
        const primary = page.locator('.primary').first()
        if (await primary.isVisible()) await primary.hover()
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await shots.screenshot(
            `brand-${color.slice(1)}${path.replaceAll(/[\da-f]{8}-[\w-]+|\W+/g, '-')}-${colorScheme}`,
          )
          const found = await axeFaults(page, { runOnly: ['color-contrast'] })
          faults.push(...found.map((fault) => `${path}, ${colorScheme}: ${fault}`))
        }
      }
      await branded.close()
      expect(faults.join('\n')).to.equal('')
    })
  }

  it('keep a red button red on hover, press and keyboard focus', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await visit('/console/lines/:lineId/danger', { colorScheme })
      await page.getByText('Disconnect…').click()
      const button = page.getByRole('button', { name: 'Disconnect', exact: true })
      const isRed = async () => {
        const colour = await button.evaluate((element) => getComputedStyle(element).backgroundColor)
        const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number)
        return red > 2 * green && red > 2 * blue
      }
      await until('it is red', isRed)
      await button.focus()
      await until('it is red while it has the focus', isRed)
      await button.hover()
      await until('it is red while it is pointed at', isRed)
      await page.mouse.down()
      await until('it is red while it is pressed', isRed)
    }
  })

  it('show the activity in one time zone: the reader’s own, or the one in the address', async () => {
    const { page } = await visit('/console/activity', { timezoneId: 'Asia/Tokyo', locale: 'de-DE' })
    const newest = page.locator('ol.activity time').first()
    /** It is told by how long ago it was, with the exact time where it is pointed at, in the language of the page. */
    const shown = () => newest.getAttribute('title')
    const inZone = async (timeZone: string) =>
      new Date((await newest.getAttribute('datetime')) ?? '').toLocaleString('en-GB', {
        dateStyle: 'medium',
        timeStyle: 'medium',
        timeZone,
      })
    await page.getByText('Times in Asia/Tokyo').waitFor()
    expect(await shown()).to.equal(await inZone('Asia/Tokyo'))
    await page.getByText('Time', { exact: true }).click()
    expect(await page.getByLabel('Time zone').inputValue()).to.equal('Asia/Tokyo')
    await page.getByLabel('From', { exact: true }).fill('2020-01-01T00:00')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL('**zone=Asia%2FTokyo**')
    expect(await shown()).to.equal(await inZone('Asia/Tokyo'))

    await page.getByLabel('Time zone').selectOption('UTC')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('Times in UTC').waitFor()
    expect(await shown()).to.equal(await inZone('UTC'))
  })

  it('lead from a figure of a day to the list in the reader’s zone, with the date as people read it', async () => {
    const inZone = (at: string, timeZone: string) =>
      new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone })
    for (const [javaScriptEnabled, zone] of [
      [true, 'Australia/Adelaide'],
      [false, 'UTC'],
    ] as const) {
      const { page } = await visit('/console', {
        ...{ timezoneId: 'Australia/Adelaide', locale: 'en-GB', javaScriptEnabled },
      })
      await page.getByRole('link', { name: 'Accepted, 24 h' }).click()
      await page.getByText(`Times in ${zone}`).waitFor()
      const from = new URL(page.url()).searchParams.get('from') ?? ''
      const chip = page.getByTitle('Remove filter: From')
      expect(await chip.textContent()).to.include(`From: ${inZone(from, zone)}`)
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.waitForURL(`**zone=${encodeURIComponent(zone)}**`)
      expect(await chip.textContent()).to.include(`From: ${inZone(from, zone)}`)
      expect(new URL(page.url()).searchParams.get('from')).to.match(/^[\dT:-]{16}$/)
    }
  })

  it('can be used by keyboard, and a filter applies as soon as it is chosen', async () => {
    const { page } = await visit('/console/activity')
    await page.getByText('2 messages.').waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.closest('li')?.id ?? '')
    const rows = await page.locator('ol.activity > li[id]').evaluateAll((all) => all.map(({ id }) => id))
    const path: string[] = []
    for (const key of ['j', 'j', 'j', 'k']) {
      await page.keyboard.press(key)
      path.push(await focused())
    }
    expect(path).to.deep.equal([rows[0], rows[1], rows[1], rows[0]])
    await page.keyboard.press('/')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).to.equal('text')
    // In a field these are letters.
    await page.keyboard.type('j/')
    expect(await page.locator('input[name=text]').inputValue()).to.equal('j/')
    await page.locator('input[name=text]').fill('')
    await page.getByLabel('Direction').selectOption('outbound')
    await page.waitForURL('**direction=outbound**')
    await page.getByText('1 message.').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/console/messages/*')
  })

  it('has no single keys where somebody has switched them off, which the browser keeps', async () => {
    const { page } = await visit('/console/activity')
    const keys = page.locator('button[data-keys]')
    const focused = () => page.evaluate(() => document.activeElement?.tagName)
    for (const state of ['off', 'on']) {
      await keys.click()
      await page.getByText(`Shortcuts: ${state}`).waitFor()
      await page.reload()
      await page.getByText(`Shortcuts: ${state}`).waitFor()
      await page.keyboard.press('j')
      expect([state, await focused()]).to.deep.equal([state, state === 'on' ? 'A' : 'BODY'])
      await page.keyboard.press('/')
      expect([state, await focused()]).to.deep.equal([state, state === 'on' ? 'INPUT' : 'BODY'])
    }
    const phone = await visit('/console/activity', { isMobile: true, hasTouch: true })
    await phone.page.getByText('Times in').waitFor()
    expect(await phone.page.locator('button[data-keys]').isVisible()).to.equal(false)
  })

  it('work where the browser blocks the data of the site, and keep nothing', async () => {
    const line = await createLine(context)
    const signedIn = { context, url: web.url, userId: line.userId }
    const { page, complaints } = await browser.openSignedIn(signedIn)
    await page.addInitScript(`{
      const refuse = function () {
        throw new DOMException('Access is denied for this document.', 'SecurityError')
      }
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, { get: refuse })
      Object.defineProperty(window, 'SharedWorker', { value: refuse })
    }`)
    const path = `/console/lines/${line.lineId}`
    await page.goto(path)
    for (const state of ['off', 'on']) {
      await page.locator('button[data-keys]').click()
      await page.getByText(`Shortcuts: ${state}`).waitFor()
    }
    await page.getByText('Rename').click()
    await page.getByLabel('Name').fill('Back office')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Line renamed.').waitFor()
    await page.goto(`${path}/send`)
    expect((await web.post(line.webhookPath, messageBody())).status).to.equal(200)
    await page.getByText('1 of 30 in the last 60 s in total').waitFor()
    await page.goto('/docs/try/getLine')
    await page.getByLabel('API token').fill('no token')
    await page.getByLabel('lineId').fill(line.lineId)
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.locator('.response-status', { hasText: /^401 / }).waitFor()
    expect(complaints.filter((complaint) => !/status of 401/.test(complaint))).to.deep.equal([])
  })

  it('work where the browser’s storage for the site is full', async () => {
    const { page, complaints } = await visit('/console/lines/:lineId')
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
      }
    })
    await page.locator('button[data-keys]').click()
    await page.getByText('Shortcuts: off').waitFor()
    await page.getByText('Rename').click()
    await page.getByLabel('Name').fill('Front desk')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Line renamed.').waitFor()
    expect(complaints).to.deep.equal([])
  })

  it('are no wider than the window with a long name of the brand', async () => {
    const name = 'Nordwind-Telefonvermittlungsgesellschaft'
    const config = { ...context.config, brand: { ...context.config.brand, name } }
    const branded = await serveApp({ ...context, config })
    const { page } = await visit('/console', { viewport: { width: 320, height: 640 } }, branded.url)
    const { x, width } = (await page.locator('.menu-button').boundingBox())!
    expect(x + width).to.be.at.most(320)
    for (const wide of [320, 760, 999, 1000, 1199, 1200]) {
      await page.setViewportSize({ width: wide, height: 640 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${wide} px`).to.equal(wide)
    }
    await branded.close()
  })

  it('show a row’s details beside its list on a wide screen, at the address of its page', async () => {
    const { page, complaints, ...shots } = await visit('/console/activity')
    const rows = page.locator('ol.activity > li[id] > div > a:first-child')
    const paths = await rows.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname))
    const drawer = page.getByRole('dialog', { name: 'Details' })
    const shownAt = (path: string | undefined) => page.waitForURL((url) => url.pathname === path)
    const hasFocus = (part: Locator) => part.evaluate((element) => element === document.activeElement)
    await rows.first().click()
    await drawer.getByRole('heading', { level: 1 }).waitFor()
    await shownAt(paths[0])
    await until('the drawer has the focus', () => hasFocus(drawer))
    await shots.screenshot('drawer')
    expect(await axeFaults(page)).to.deep.equal([])

    await drawer.getByRole('button', { name: 'Next' }).click()
    await shownAt(paths[1])
    expect(await drawer.getByRole('button', { name: 'Next' }).isDisabled()).to.equal(true)
    // A disabled button loses the focus, and the drawer takes it.
    await until('the drawer has the focus again', () => hasFocus(drawer))
    expect(await rows.nth(1).getAttribute('aria-current')).to.equal('true')
    await page.keyboard.press('k')
    await shownAt(paths[0])
    // It is live, and so is the list.
    const changed = { id: paths[0]?.split('/').at(-1) ?? '' }
    await context.db('messages').where(changed).update({ text: 'Changed meanwhile' })
    await drawer.getByText('Changed meanwhile').waitFor()
    await page.locator('ol.activity').getByText('Changed meanwhile').waitFor()

    await page.keyboard.press('Escape')
    await shownAt('/console/activity')
    await drawer.waitFor({ state: 'detached' })
    expect(await hasFocus(rows.first())).to.equal(true)
    await page.goForward()
    await drawer.waitFor()
    await drawer.getByRole('button', { name: 'Close' }).click()
    await shownAt('/console/activity')
    await drawer.waitFor({ state: 'detached' })
    await page.goForward()
    await drawer.waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await drawer.count()).to.equal(0)

    // Back leads to the list also from there, and after another page.
    await page.goBack()
    await shownAt('/console/activity')
    // The page loads anew for it, and the drawer is its script's.
    await rows.first().waitFor()
    await page.waitForLoadState()
    await rows.first().click()
    await drawer.locator('a[href*="/conversations/"]').first().click()
    await page.waitForURL('**/conversations/*')
    await page.goBack()
    await shownAt(paths[0])
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.goBack()
    await shownAt('/console/activity')
    await rows.first().waitFor()

    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/console/activity')
    await rows.first().click()
    await shownAt(paths[0])
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await drawer.count()).to.equal(0)
    expect(complaints).to.deep.equal([])
  })

  it('lead back to the list of a row’s details if they are closed twice at once, or before htmx is done', async () => {
    const { page, complaints } = await visit('/console')
    await page.goto('/console/activity')
    const title = await page.title()
    const rows = page.locator('ol.activity > li[id] > div > a:first-child')
    const drawer = page.getByRole('dialog', { name: 'Details' })
    await rows.first().click()
    await page.waitForURL('**/console/messages/*')
    await page.evaluate(() => {
      for (const type of ['keydown', 'keydown'])
        document.body.dispatchEvent(new KeyboardEvent(type, { key: 'Escape', bubbles: true }))
    })
    await drawer.waitFor({ state: 'detached' })
    await page.goForward()
    await page.waitForURL('**/console/messages/*')
    await drawer.getByRole('button', { name: 'Close' }).click()
    await drawer.waitFor({ state: 'detached' })

    await page.evaluate(() => {
      const { htmx } = window as unknown as { htmx: { swap: (what: { select?: string }) => Promise<void> } }
      const swap = htmx.swap.bind(htmx)
      htmx.swap = async (what) => {
        await swap(what)
        if (what.select !== undefined) {
          await new Promise<void>((resolve) => Object.assign(window, { finish: resolve }))
        }
      }
    })
    await rows.first().click()
    await drawer.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await page.evaluate(() => (window as unknown as { finish: () => void }).finish())
    expect([new URL(page.url()).pathname, await page.title()]).to.deep.equal(['/console/activity', title])
    expect(complaints).to.deep.equal([])
  })

  it('show an attempt of a row’s details where it stands, with the focus on its view', async () => {
    const [delivery] = await listDeliveries(context.db, owner.person.id, {}, { limit: 1 })
    const attempts = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({
      ...{ id: newId(), delivery_id: delivery!.id, attempt_number: n, duration_ms: 12 },
      ...{ started_at: new Date(), response_status: 500 + n, failure: `http_${500 + n}` },
    }))
    await context.db('delivery_attempts').insert(attempts)
    const { page } = await visit('/console/activity')
    await page.locator(`ol.activity a[href$="${delivery!.messageId}"]`).click()
    const last = page.locator(`.drawer [id="attempt-${attempts.at(-1)!.id}"]`)
    for (const view of ['Response', 'Timing']) {
      await last.getByRole('link', { name: view }).click()
      await last.locator('[aria-current]', { hasText: view }).waitFor()
      await until('the link has the focus', async () =>
        last.getByRole('link', { name: view }).evaluate((link) => link === document.activeElement),
      )
      const top = (await last.boundingBox())?.y ?? -1
      expect([view, top > 50, top < (page.viewportSize()?.height ?? 0)]).to.deep.equal([view, true, true])
    }
    await last.getByRole('link', { name: 'Close' }).click()
    await until('it is closed', async () => (await last.locator('[aria-current]').count()) === 0)
    await until('its first link has the focus', () =>
      last
        .getByRole('link')
        .first()
        .evaluate((link) => link === document.activeElement),
    )
  })

  it('show the details that were asked for last, and none that come after they were closed', async () => {
    const { page } = await visit('/console/activity')
    const rows = page.locator('ol.activity > li[id] > div > a:first-child')
    const [first = '', second = ''] = await rows.evaluateAll((all) =>
      all.map((link) => (link as HTMLAnchorElement).pathname),
    )
    const drawer = page.getByRole('dialog', { name: 'Details' })
    const held: (() => Promise<void>)[] = []
    await page.route(`**${first}`, (route) => void held.push(() => route.continue()))
    await rows.first().click()
    await until('the first is asked for', () => held.length === 1)
    await rows.nth(1).click()
    await page.waitForURL(`**${second}`)
    const answered = page.waitForResponse(`**${first}`)
    await held.pop()?.()
    await (await answered).finished()
    await page.keyboard.press('k')
    await until('the first is asked for again', () => held.length === 1)
    expect(new URL(page.url()).pathname).to.equal(second)
    await page.keyboard.press('Escape')
    await page.waitForURL('**/console/activity')
    const late = page.waitForResponse(`**${first}`)
    await held.pop()?.()
    await (await late).finished()
    await rows.nth(1).click()
    await page.waitForURL(`**${second}`)
    await page.goBack()
    await page.waitForURL('**/console/activity')
    expect(await drawer.count()).to.equal(0)
  })

  it('let another page be opened before a row’s details come', async () => {
    const { page } = await visit('/console/activity')
    const row = page.locator('ol.activity > li[id] > div > a:first-child').first()
    const details: (() => Promise<void>)[] = []
    const others: (() => Promise<void>)[] = []
    await page.route(`**${await row.getAttribute('href')}`, (route) => void details.push(() => route.abort()))
    await page.route('**/console/inbox', (route) => void others.push(() => route.continue()))
    await row.click()
    await until('the details are asked for', () => details.length === 1)
    const left = page.goto('/console/inbox')
    await until('the other page is asked for', () => others.length === 1)
    // A browser ends the requests of a page that is left, Firefox before the next page is there.
    const ended = page.waitForEvent('requestfailed')
    await details.pop()?.()
    await ended
    await others.pop()?.()
    await left
    expect([details.length, new URL(page.url()).pathname]).to.deep.equal([0, '/console/inbox'])
  })

  it('let another page be opened before the details of the second of two rows come', async () => {
    const { page } = await visit('/console/activity')
    const rows = page.locator('ol.activity > li[id] > div > a:first-child')
    const asked: Route[] = []
    const others: Route[] = []
    await page.route('**/console/inbox', (route) => void others.push(route))
    for (const n of [0, 1]) {
      await page.route(`**${await rows.nth(n).getAttribute('href')}`, (route) => void asked.push(route))
      await rows.nth(n).click()
      await until('the details are asked for', () => asked.length === n + 1)
    }
    const [first, second] = asked.splice(0)
    const answered = page.waitForEvent('requestfinished')
    await first?.continue()
    await answered
    const left = page.goto('/console/inbox')
    await until('the other page is asked for', () => others.length === 1)
    const ended = page.waitForEvent('requestfailed')
    await second?.abort()
    await ended
    await others[0]?.continue()
    await left
    expect([asked.length, new URL(page.url()).pathname]).to.deep.equal([0, '/console/inbox'])
  })

  it('close a row’s details on a page that the browser kept while Back had left it', async () => {
    const { page } = await visit('/console/activity')
    await page.locator('ol.activity > li[id] > div > a:first-child').first().click()
    const drawer = page.getByRole('dialog', { name: 'Details' })
    await drawer.waitFor()
    await page.evaluate(() => {
      const own: { back?: () => void } = history
      own.back = () => {
        delete own.back
        dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
      }
    })
    await page.keyboard.press('Escape')
    expect(await drawer.isVisible()).to.equal(true)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
  })

  it('go on by two rows if Next is pressed twice before the details come', async () => {
    const ids: string[] = []
    for (const text of ['one', 'two', 'three'])
      ids.push(await queueMessage(context, owner.line, { text, status: 'sent' }))
    const { page } = await visit('/console/activity')
    const paths = await page
      .locator('ol.activity > li[id] > div > a:first-child')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname))
    const held: (() => Promise<void>)[] = []
    await page.locator(`ol.activity a[href$="${paths[0]}"]`).first().click()
    await page.waitForURL(`**${paths[0]}`)
    for (const path of paths.slice(1, 3))
      await page.route(`**${path}`, (route) => void held.push(() => route.continue()))
    await page.keyboard.press('j')
    await until('the next is asked for', () => held.length === 1)
    await page.keyboard.press('j')
    await until('the next is asked for again', () => held.length === 2)
    for (const go of held) await go()
    await page.waitForURL((url) => url.pathname === paths[2])
    await context.db('messages').whereIn('id', ids).delete()
  })

  it('have a count of segments that is read out only when it changes', async () => {
    const { page } = await visit('/console/lines/:lineId/send')
    const counts: string[] = []
    await page.exposeFunction('noteCount', (text: string) => counts.push(text))
    await page.locator('#segment-count [role=status]').evaluate((region) => {
      const note = (globalThis as unknown as { noteCount: (text: string) => void }).noteCount
      new MutationObserver(() => {
        note(region.isConnected ? (region.textContent ?? '') : 'replaced')
      }).observe(document, { subtree: true, childList: true, characterData: true })
    })
    const text = page.locator('#messages textarea')
    const words = page.locator('#segment-count')
    for (const typed of ['a', 'b', 'c']) {
      await text.pressSequentially(typed)
      await words.getByText(`${await text.inputValue().then(({ length }) => length)} character`).waitFor()
    }
    expect(await page.locator('#segment-count [role=status]').count()).to.equal(1)
    expect([...new Set(counts)].filter(Boolean)).to.deep.equal(['1 segment, GSM-7'])
  })

  it('send no reply by the Enter that ends a composition', async () => {
    const { page } = await visit('/console/lines/:lineId/conversations/:number')
    const text = page.locator('.composer textarea')
    await text.fill('にほんご')
    const isTaken = (init: object) =>
      text.evaluate(
        (field, keys) =>
          !field.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...keys }),
          ),
        init,
      )
    await page.evaluate(() => {
      HTMLFormElement.prototype.requestSubmit = () => undefined
    })
    for (const [init, taken] of [
      [{ isComposing: true }, false],
      [{ keyCode: 229 }, false],
      [{ shiftKey: true }, false],
      [{}, true],
    ] as const) {
      expect([init, await isTaken(init)]).to.deep.equal([init, taken])
    }
  })

  for (const status of [403, 503]) {
    it(`keep the text that is being typed when its segments cannot be counted: ${status}`, async () => {
      const { page } = await visit('/console/lines/:lineId/send')
      const title = await page.title()
      const text = page.locator('#messages textarea')
      await text.fill('Half an hour')
      await page.locator('#segment-count strong').waitFor()
      const body = '<!doctype html><title>Refused</title><body><main><h1>Refused</h1></main></body>'
      await page.route('**/segments', (route) => route.fulfill({ status, contentType: 'text/html', body }))
      await text.pressSequentially(' of work')
      await until('the count is empty', async () => (await page.locator('#segment-count').innerText()) === '')
      expect([await text.inputValue(), await page.title()]).to.deep.equal(['Half an hour of work', title])
      await page.getByRole('button', { name: 'Count segments' }).click()
      await page.getByRole('heading', { name: 'Refused' }).waitFor()
    })
  }

  it('keep the time and zone that are being chosen for a scheduled message while its page updates', async () => {
    const sendAt = new Date(Date.now() + 3_600_000)
    const id = await queueMessage(context, owner.line, { text: 'Later', status: 'scheduled', due_at: sendAt })
    const { page } = await visit(`/console/messages/${id}`, { timezoneId: 'Asia/Tokyo' })
    await page.getByText('Reschedule', { exact: true }).click()
    await page.getByLabel('Send at').fill('2030-01-01T00:00')
    const zone = page.getByLabel('Time zone')
    expect(await zone.inputValue()).to.equal('Asia/Tokyo')
    await zone.selectOption('UTC')
    await context.db('messages').where({ id }).update({ text: 'Even later' })
    await page.getByText('Even later').waitFor()
    const typed = [await page.getByLabel('Send at').inputValue(), await zone.inputValue()]
    expect(typed).to.deep.equal(['2030-01-01T00:00', 'UTC'])
  })

  for (const [how, options] of [
    ['with a script', {}],
    ['without one', { javaScriptEnabled: false }],
  ] as const) {
    it(`lead from an expired session to sign-in and back, keeping the input (${how})`, async () => {
      const { page, ...shots } = await visit('/console/lines/:lineId/send', options)
      await page.locator('#messages input[name=to]').fill('+15005550123')
      await context.db('sessions').delete()
      await page.locator('#messages textarea').fill('Half an hour of work')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor()
      await shots.screenshot(`sign-in-again-${how.replaceAll(' ', '-')}`)
      await signIn(page, owner.person)
      await page.getByText('You are signed in again.').waitFor()
      await shots.screenshot(`signed-in-again-${how.replaceAll(' ', '-')}`)
      expect(await page.locator('#messages textarea').inputValue()).to.equal('Half an hour of work')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByText('Message accepted.').waitFor()
    })
  }

  it('try an operation of the API with a token, show the response, an error and a stream, and lead back', async () => {
    const { page, complaints } = await visit('/docs/lines')
    const { token } = await createApiToken(context, owner.person.id, 'to try with')
    const status = page.locator('.response-status')
    const body = page.locator('#response-body')
    await page.locator('#getLine').getByRole('button', { name: 'Try it' }).click()
    await page.getByLabel('lineId').fill(owner.line.lineId)
    await page.getByRole('button', { name: 'Send request' }).click()
    await status.filter({ hasText: /^401 Unauthorized · \d+ ms$/ }).waitFor()
    await page.getByLabel('API token').fill(token)
    await page.getByLabel('lineId').press('Enter')
    await status.filter({ hasText: /^200 OK · \d+ ms$/ }).waitFor()
    expect(JSON.parse((await body.textContent()) ?? '')).to.include({ id: owner.line.lineId })
    expect(await axeFaults(page)).to.deep.equal([])
    // The tab remembers the token, and nothing of it is in a URL.
    await page.goto('/docs/try/sendMessage')
    await page.getByRole('button', { name: 'Send request' }).click()
    await status.filter({ hasText: /^2\d\d / }).waitFor()
    expect(JSON.parse((await body.textContent()) ?? '')).to.include({ status: 'queued' })
    await page.getByLabel('Body').fill('{ "text": 1 }')
    await page.getByRole('button', { name: 'Send request' }).click()
    await status.filter({ hasText: /^400 / }).waitFor()
    expect(await body.textContent()).to.include('"detail"')
    expect(await page.evaluate(() => location.search)).to.equal('')
    await page.goto('/docs/try/streamEvents')
    await page.getByLabel('lineId').fill(owner.line.lineId)
    await page.getByRole('button', { name: 'Send request' }).click()
    await status.filter({ hasText: /^200 OK/ }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await status.filter({ hasText: 'stopped' }).waitFor()
    await page.goto('/docs')
    await page.getByRole('link', { name: 'Lines', exact: true }).first().click()
    await page.waitForURL('**/console')
    expect(complaints.filter((complaint) => !/status of 4\d\d/.test(complaint))).to.deep.equal([])
  })

  it('keep opened sections open while the overview updates', async () => {
    const { page, complaints } = await visit('/console/overview')
    await page.getByText('Show as a table').click()
    await page.getByRole('columnheader', { name: 'Accepted' }).first().waitFor()
    await queueMessage(context, owner.line, { error: 'throttled', not_before: new Date(Date.now() + 60_000) })
    await page.getByText('It is rate limiting').first().waitFor()
    expect(
      await page.locator('details', { hasText: 'Show as a table' }).last().getAttribute('open'),
    ).to.equal('')
    expect(complaints).to.deep.equal([])
  })
})
