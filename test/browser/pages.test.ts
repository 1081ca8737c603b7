import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { listDeliveries } from '../../src/database/endpoints/deliveries/reading.js'
import type { Context } from '../../src/domain/context.js'
import { insertNotices, type NewNotice } from '../../src/database/operating/notices.js'
import { newId } from '../../src/ids.js'
import { saveContact } from '../../src/domain/lines/contacts.js'
import { ANNA, queueMessage } from '../domain/fixtures.js'
import { PASSWORD } from '../domain/people/people.js'
import { axeFaults } from '../helpers/web/axe.js'
import { launchBrowser, openPage, type WatchedPage } from '../helpers/web/browser.js'
import { createTestContext } from '../helpers/context.js'
import { openings } from '../helpers/openings.js'
import { startSession } from '../helpers/web/sessions.js'
import { until } from '../helpers/until.js'
import { serveApp, type TestWeb } from '../helpers/web/web.js'
import { consoleRoutes, createOwner, type Owner } from '../web/console/support.js'

const SHALOM = 'שלום'

const LOOKS = [
  ['on a desk', { viewport: { width: 1280, height: 900 } }],
  // The dark has other colours, and is the same otherwise.
  [
    'on a desk, in the dark',
    { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
    ['color-contrast'],
  ],
  // Colours do not depend on the width: a phone shows where they stand beside others.
  ['on a phone', { viewport: { width: 390, height: 844 } }],
] as const

/** The pages where the accent is text, a ground, a line or a chart. */
const COLOURFUL = [
  ...['/console/overview', '/simulator'],
  ...['send', 'conversations/:number', 'list'].map((tab) => `/console/lines/:lineId/${tab}`),
]

/** What only a browser can tell of each page that the route table has. */
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Acme Lines <lines@acme.example>' }

/** One of each mood. */
function noticesOf({ person: { id: userId }, line: { lineId } }: Owner): NewNotice[] {
  const endpoint = {
    ...{ endpointId: newId(), host: 'hooks.example.com', userId, lineId, lineName: `${SHALOM} 1` },
    ...{
      applicationId: null,
      applicationName: null,
      failureCount: 9,
      failingForMs: 3_700_000,
      lastFailure: 'http_500',
      reason: 'gone',
    },
  }
  const queue = {
    queue: 'send-message',
    why: 'No `send-message` process is running. Start one. The queue is empty.',
  }
  return [
    { id: newId(), kind: 'endpoint.failing', subject: lineId, userId, details: endpoint },
    { id: newId(), kind: 'endpoint.disabled', subject: lineId, userId, details: endpoint },
    { id: newId(), kind: 'endpoint.recovered', subject: lineId, userId, details: endpoint },
    { id: newId(), kind: 'messages.unknown', subject: userId, userId, details: { userId, count: 3 } },
    { id: newId(), kind: 'queue.stuck', subject: 'send-message', userId: null, details: queue },
  ]
}

describe('the pages in a browser', function () {
  this.timeout(180_000)

  let context: Context
  let web: TestWeb
  let browser: Browser
  let owner: Owner
  let inboundId: string
  const attemptId = newId()

  const open = openings()

  before(async () => {
    context = await open(createTestContext({ QUEUES_PASSWORD: PASSWORD, ...MAIL }))
    ;[web, browser] = await Promise.all([open(serveApp(context)), open(launchBrowser())])
    owner = await createOwner(context)
    const [{ id, messageId } = { id: '', messageId: '' }] = await listDeliveries(
      context.db,
      owner.person.id,
      {},
      { limit: 1 },
    )
    await context.db('delivery_attempts').insert({
      id: attemptId,
      delivery_id: id,
      attempt_number: 1,
      started_at: new Date(),
      duration_ms: 12,
      response_status: 500,
      response_excerpt: `${SHALOM} 1`,
      failure: 'http_500',
      next_attempt_at: new Date(),
      request_headers: { 'webhook-signature': 'v1,x' },
      response_headers: { server: SHALOM },
      first_byte_ms: 11,
    })
    inboundId = messageId ?? ''
    await saveContact(context, owner.person.id, ANNA, { name: 'Anna' })
    await insertNotices(context.db, noticesOf(owner))
    for (const [table, ...columns] of [
      ['users', 'name'],
      ['lines', 'name'],
      ['messages', 'text'],
      ['api_tokens', 'name'],
      ['applications', 'name', 'description'],
      ['contacts', 'name'],
      ['endpoints', 'name'],
    ] as const) {
      await context.db(table).update(Object.fromEntries(columns.map((column) => [column, `${SHALOM} 1`])))
    }
  })

  /** Signed in as the owner. */
  async function visit(options: Parameters<typeof openPage>[2] = {}, url = web.url): Promise<WatchedPage> {
    const watched = await openPage(browser, url, options)
    const value = await startSession(context, owner.person.id)
    await watched.page
      .context()
      .addCookies([{ name: '__Host-linehook', value, url: url.replace('http:', 'https:'), secure: true }])
    return watched
  }

  /** Every page that shows something, and those behind a parameter. */
  const paths = () => {
    const pages = consoleRoutes(context).filter(
      ({ method, path }) => method === 'GET' && !/live$|set-up$|\.(csv|jsonl|zip)$/.test(path),
    )
    const more = ['receive?show=secret', 'send?show=webhook'].map(
      (query) => `/console/lines/:lineId/${query}`,
    )
    return [
      ...pages.map(({ path }) => path),
      ...more,
      '/console/carriers/new?kind=twilio',
      '/console/overview?by=line',
      ...['/docs', '/docs/messages', '/docs/outgoing-webhook', '/docs/objects'],
      ...['request', 'timing'].map(
        (view) => `/console/messages/${inboundId}?attempt=${attemptId}&view=${view}`,
      ),
    ].map(owner.fill)
  }

  for (const [look, options, rules] of LOOKS) {
    it(`have no accessibility violations in axe, and at most one primary button (${look})`, async () => {
      const { page, ...shots } = await visit(options)
      const faults: string[] = []
      for (const path of paths()) {
        await page.goto(path)
        await shots.screenshot(
          `page${path.replaceAll(/[\da-f]{8}-[\w-]+|\W+/g, '-')}${look.replaceAll(/\W+/g, '-')}`,
        )
        const filled = await page.locator('.primary:visible').allTextContents()
        if (filled.length > 1)
          faults.push(`${path}: has ${filled.length} primary buttons: ${filled.join(', ')}`)
        if (options.viewport.width < 760) {
          faults.push(...(await page.evaluate(findLowFields)).map((each) => `${path}: too low: ${each}`))
          // It is off where it is not asked for.
          faults.push(...(await axeFaults(page, ['target-size'])).map((fault) => `${path}: ${fault}`))
        }
        faults.push(...(await axeFaults(page, rules)).map((fault) => `${path}: ${fault}`))
      }
      expect(faults.join('\n')).to.equal('')
      await page.context().close()
    })
  }

  for (const color of ['#ffe000', '#001040']) {
    it(`are readable with the brand colour ${color}, in light and dark`, async () => {
      const config = { ...context.config, brand: { ...context.config.brand, color } }
      const branded = await serveApp({ ...context, config })
      const faults: string[] = []
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, ...shots } = await visit({ colorScheme }, branded.url)
        for (const path of COLOURFUL.map(owner.fill)) {
          await page.goto(path)
          const primary = page.locator('.primary').first()
          if (await primary.isVisible()) await primary.hover()
          await shots.screenshot(
            `brand-${color.slice(1)}${path.replaceAll(/[\da-f]{8}-[\w-]+|\W+/g, '-')}-${colorScheme}`,
          )
          faults.push(...(await axeFaults(page, ['color-contrast'])).map((fault) => `${path}: ${fault}`))
        }
        await page.context().close()
      }
      await branded.close()
      expect(faults.join('\n')).to.equal('')
    })
  }

  it('keep a red button red on hover, press and keyboard focus', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await visit({ colorScheme })
      await page.goto(owner.fill('/console/lines/:lineId/danger'))
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
      await page.context().close()
    }
  })

  it('show the activity in one time zone: the reader’s own, or the one in the address', async () => {
    const { page } = await visit({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' })
    const newest = page.locator('ol.activity time').first()
    /** It is told by how long ago it was, with the exact time where it is pointed at. */
    const shown = () => newest.getAttribute('title')
    const inZone = async (timeZone: string) =>
      new Date((await newest.getAttribute('datetime')) ?? '').toLocaleString('en-GB', {
        dateStyle: 'medium',
        timeStyle: 'medium',
        timeZone,
      })
    await page.goto('/console/activity')
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
    await page.context().close()
  })

  it('can be used by keyboard, and a filter applies as soon as it is chosen', async () => {
    const { page } = await visit()
    await page.goto('/console/activity')
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
    await page.context().close()
  })

  it('show a row’s details beside its list on a wide screen, at the address of its page', async () => {
    const { page, complaints, ...shots } = await visit()
    await page.goto('/console/activity')
    const rows = page.locator('ol.activity > li[id] > div > a:first-child')
    const paths = await rows.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname))
    const drawer = page.getByRole('dialog', { name: 'Details' })
    const shownAt = (path: string | undefined) => page.waitForURL((url) => url.pathname === path)
    await rows.first().click()
    await drawer.getByRole('heading', { level: 1 }).waitFor()
    await shownAt(paths[0])
    expect(await drawer.evaluate((element) => element === document.activeElement)).to.equal(true)
    await shots.screenshot('drawer')
    expect(await axeFaults(page)).to.deep.equal([])

    await drawer.getByRole('button', { name: 'Next' }).click()
    await shownAt(paths[1])
    expect(await drawer.getByRole('button', { name: 'Next' }).isDisabled()).to.equal(true)
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
    expect(await drawer.count()).to.equal(0)
    expect(await rows.first().evaluate((element) => element === document.activeElement)).to.equal(true)
    await page.goForward()
    await drawer.waitFor()
    await drawer.getByRole('button', { name: 'Close' }).click()
    await shownAt('/console/activity')
    await page.goForward()
    await drawer.waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await drawer.count()).to.equal(0)

    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/console/activity')
    await rows.first().click()
    await shownAt(paths[0])
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await drawer.count()).to.equal(0)
    expect(complaints).to.deep.equal([])
    await context
      .db('messages')
      .where(changed)
      .update({ text: `${SHALOM} 1` })
    await page.context().close()
  })

  for (const [how, options] of [
    ['with a script', {}],
    ['without one', { javaScriptEnabled: false }],
  ] as const) {
    it(`lead from an expired session to sign-in and back, keeping the input (${how})`, async () => {
      const { page, ...shots } = await visit(options)
      await page.goto(owner.fill('/console/lines/:lineId/send'))
      await page.locator('#messages input[name=to]').fill('+15005550123')
      await context.db('sessions').delete()
      await page.locator('#messages textarea').fill('Half an hour of work')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor()
      await shots.screenshot(`sign-in-again-${how.replaceAll(' ', '-')}`)
      await page.getByLabel('Email').fill(owner.person.email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('You are signed in again.').waitFor()
      await shots.screenshot(`signed-in-again-${how.replaceAll(' ', '-')}`)
      expect(await page.locator('#messages textarea').inputValue()).to.equal('Half an hour of work')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByText('Message accepted.').waitFor()
      await page.context().close()
    })
  }

  it('link back from the API reference and from the dashboard', async () => {
    const { page, ...shots } = await visit()
    await page.goto('/docs/try')
    await page.getByRole('link', { name: 'Linehook API' }).click()
    await page.waitForURL('**/docs')
    await page.getByRole('link', { name: 'Lines', exact: true }).first().click()
    await page.waitForURL('**/console')
    await page.goto('/queues')
    await page.locator('header button').last().click()
    await shots.screenshot('page-queues')
    await page.getByText('Back to the console').click()
    await page.waitForURL('**/console')
    await page.context().close()
  })

  it('keep opened sections open while the overview updates', async () => {
    const { page, complaints } = await visit()
    await page.goto('/console/overview')
    await page.getByText('Show as a table').click()
    await page.getByRole('columnheader', { name: 'Accepted' }).first().waitFor()
    await queueMessage(context, owner.line, { error: 'throttled', not_before: new Date(Date.now() + 60_000) })
    await page.getByText('It is rate limiting').first().waitFor()
    expect(
      await page.locator('details', { hasText: 'Show as a table' }).last().getAttribute('open'),
    ).to.equal('')
    expect(complaints).to.deep.equal([])
    await page.context().close()
  })

  it('show a person’s text in its own writing direction', async () => {
    const { page } = await visit()
    const faults: string[] = []
    let count = 0
    for (const path of paths()) {
      await page.goto(path)
      const found = await page.evaluate(findMisdirected)
      count += found.count
      faults.push(...found.faults.map((fault) => `${path}: ${fault}`))
    }
    expect(faults).to.deep.equal([])
    expect(count).to.be.above(30)
    await page.context().close()
  })
})

/** Runs in the page. A finger needs 44 px. */
function findLowFields(): string[] {
  const fields = [...document.querySelectorAll<HTMLElement>('input, select, textarea')].filter(
    (field) => !/^(checkbox|radio|hidden)$/.test(field.getAttribute('type') ?? '') && field.offsetHeight > 1,
  )
  return fields
    .filter(({ offsetHeight }) => offsetHeight < 44)
    .map(({ outerHTML }) => outerHTML.slice(0, 200))
}

/** Runs in the page. The words of a person stand alone in an element that finds their direction. */
function findMisdirected(): { count: number; faults: string[] } {
  const faults: string[] = []
  let count = 0
  for (const element of document.querySelectorAll('body *:not(script)')) {
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
    const text =
      element instanceof HTMLInputElement ? element.value : own.map((node) => node.textContent).join('')
    if (!/[\u0590-\u05ff]/.test(text)) continue
    count += 1
    const closest = element.closest('[dir]')
    // What characters isolate stands alone. A number beside a name would go to its other side.
    const around = (closest?.textContent ?? '').replace(/\u2068[^\u2069]*\u2069/g, '')
    // A field with a line's name stays in the direction of the page.
    const wanted = element instanceof HTMLOptionElement ? undefined : 'auto'
    const isAlone = !/[a-z].*[\u0590-\u05ff]|[\u0590-\u05ff].*\+\d{7}/is.test(around)
    const direction = getComputedStyle(element).direction
    const isTurned = wanted === undefined ? direction !== 'ltr' : closest?.getAttribute('dir') !== 'auto'
    if (isTurned || !isAlone) faults.push(element.outerHTML.slice(0, 300))
  }
  return { count, faults }
}
