import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { listDeliveries } from '../../src/database/endpoints/deliveries/reading.js'
import { insertNotices, type NewNotice } from '../../src/database/operating/notices.js'
import type { Context } from '../../src/domain/context.js'
import { countNewestMinutes } from '../../src/domain/operating/overview/count-minutes.js'
import { saveContact } from '../../src/domain/lines/contacts.js'
import { newId } from '../../src/ids.js'
import { ANNA } from '../domain/fixtures.js'
import { PASSWORD } from '../domain/people/people.js'
import { axeFaults } from '../helpers/web/axe.js'
import { describeWeb } from '../helpers/web/web.js'
import { consoleRoutes, createOwner, endpointDetails, type Owner } from '../web/console/support.js'
import * as inPage from './in-page.js'
import { browserForSuite } from './support.js'

const SHALOM = 'שלום'
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Acme Lines <lines@acme.example>' }
const OPTIONS = { environment: { QUEUES_PASSWORD: PASSWORD, ...MAIL } }

interface Look {
  /** Completes "on each page, …". */
  name: string
  colorScheme?: 'light' | 'dark'
  viewport: { width: number; height: number }
  checks: Record<string, (page: Page, viewport: Look['viewport']) => Promise<string[]>>
}

const isNotWiderThan = async (page: Page, { width }: { width: number }) => {
  const actual = await page.evaluate(inPage.openAll)
  return actual > width ? [`it is ${actual} px wide`] : []
}

/**
 * What the width changes: what is shown (and so which controls need a name), where it is, and whether it scrolls. All
 * other rules of axe read the HTML, which is the same in every window.
 */
const WIDTH_RULES = [
  ...['target-size', 'link-in-text-block', 'scrollable-region-focusable', 'nested-interactive'],
  ...[
    'aria-hidden-focus',
    'button-name',
    'link-name',
    'label',
    'select-name',
    'summary-name',
    'meta-viewport',
  ],
  ...['heading-order', 'page-has-heading-one', 'region', 'landmark-one-main', 'bypass', 'skip-link'],
]

/** A page is loaded once, on a desk, and looked at in each of these windows: loading it takes most of the time. */
const LOOKS: Look[] = [
  {
    name: 'on a desk',
    viewport: { width: 1280, height: 900 },
    checks: {
      'there are no accessibility violations in axe': (page) => axeFaults(page),
      'there is at most one primary button': async (page) => {
        const filled = await page.evaluate(inPage.findPrimary)
        return filled.length > 1 ? [`it has ${filled.length}: ${filled.join(', ')}`] : []
      },
      'the HTML is valid where axe does not look': (page) => page.evaluate(inPage.findUnsound),
      'a person’s text has its own writing direction': async (page) => {
        const { count, faults } = await page.evaluate(inPage.findMisdirected)
        textsOfPeople += count
        return faults
      },
      'the Tab key alone reaches each control, which shows it (WCAG 2.1.1, 2.4.7)': findUnreached,
    },
  },
  {
    name: 'in the dark',
    colorScheme: 'dark',
    // A phone also shows what a desk does not. The dark has other colours, and is the same otherwise.
    viewport: { width: 390, height: 844 },
    checks: { 'the contrast is enough': (page) => axeFaults(page, { runOnly: ['color-contrast'] }) },
  },
  {
    name: 'on a phone',
    viewport: { width: 390, height: 844 },
    checks: {
      // The HTML is that of the desk. Its rules for the size of targets are off where nobody asks for them.
      'what depends on the width has no accessibility violations in axe': (page) =>
        axeFaults(page, { runOnly: WIDTH_RULES }),
      'fields are high enough for a finger': (page) => page.evaluate(inPage.findLowFields),
    },
  },
  {
    name: 'on a tablet',
    viewport: { width: 768, height: 1024 },
    checks: { 'nothing scrolls sideways': isNotWiderThan },
  },
  {
    name: 'at 200 %',
    viewport: { width: 640, height: 450 },
    checks: { 'nothing scrolls sideways with everything opened (WCAG 1.4.4)': isNotWiderThan },
  },
  {
    name: 'in a window 320 px wide',
    viewport: { width: 320, height: 640 },
    checks: { 'nothing scrolls sideways with everything opened (WCAG 1.4.10)': isNotWiderThan },
  },
]

let textsOfPeople = 0

async function findUnreached(page: Page): Promise<string[]> {
  const faults: string[] = []
  const count = await page.evaluate(inPage.numberControls)
  const reached = new Set<string>()
  // A date field has several stops.
  for (let pressed = 0; pressed < count + 30 && reached.size < count; pressed += 1) {
    await page.keyboard.press('Tab')
    const { number, isSeen, html } = await page.evaluate(inPage.focused)
    if (number === undefined || reached.has(number)) continue
    reached.add(number)
    if (!isSeen) faults.push(`the focus is not seen on ${html}`)
  }
  const missed = await page.evaluate(inPage.controlsBut, [...reached])
  return [...faults, ...missed.map((html) => `Tab does not reach ${html}`)]
}

/** What only a browser can tell of each page that the route table has. */
describeWeb('each page of the route table, in a browser', OPTIONS, function ({ context, web }) {
  this.timeout(600_000)

  /** By look and check: `<path>: <fault>`. */
  const faults = new Map<string, string[]>()

  const browser = browserForSuite()

  before(async () => {
    const owner = await createOwner(context)
    const paths = await fillPages(context, owner)
    const { page, ...shots } = await browser.openSignedIn({ context, url: web.url, userId: owner.person.id })
    for (const path of paths) {
      for (const [index, { name, viewport, colorScheme = 'light', checks }] of LOOKS.entries()) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        if (index === 0) await page.goto(path)
        await shots.screenshot(
          `page${path.replaceAll(/[\da-f]{8}-[\w-]+|\W+/g, '-')}-${name.replaceAll(/\W+/g, '-')}`,
        )
        for (const [title, check] of Object.entries(checks)) {
          const found = await check(page, viewport)
          const key = `${name}, ${title}`
          faults.set(key, [...(faults.get(key) ?? []), ...found.map((fault) => `${path}: ${fault}`)])
        }
      }
    }
  })

  for (const { name, checks } of LOOKS) {
    for (const title of Object.keys(checks)) {
      it(`${name}, ${title}`, () => {
        expect(faults.get(`${name}, ${title}`)?.join('\n')).to.equal('')
      })
    }
  }

  it('shows texts that somebody wrote on many of them', () => {
    expect(textsOfPeople).to.be.above(30)
  })
})

/**
 * Has something of each kind to show, with names from right to left.
 *
 * @returns the path of every page that shows something, and of those behind a parameter
 */
async function fillPages(context: Context, owner: Owner): Promise<string[]> {
  const [delivery] = await listDeliveries(context.db, owner.person.id, {}, { limit: 1 })
  const attemptId = newId()
  await context.db('delivery_attempts').insert({
    id: attemptId,
    delivery_id: delivery!.id,
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
  await saveContact(context, owner.person.id, ANNA, { name: 'Anna' })
  await insertNotices(context.db, noticesOf(owner))
  await countNewestMinutes(context)
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
  const routes = consoleRoutes(context).filter(
    ({ method, path }) => method === 'GET' && !/live$|set-up$|\.(csv|jsonl|zip)$/.test(path),
  )
  return [
    ...routes.map(({ path }) => path),
    ...['receive?show=secret', 'send?show=webhook'].map((query) => `/console/lines/:lineId/${query}`),
    '/console/carriers/new?kind=twilio',
    '/console/overview?by=line',
    ...['/docs', '/docs/messages', '/docs/outgoing-webhook', '/docs/objects', '/docs/try/sendMessage'],
    ...['request', 'timing'].map(
      (view) => `/console/messages/${delivery!.messageId}?attempt=${attemptId}&view=${view}`,
    ),
  ].map(owner.fill)
}

/** One of each mood. */
function noticesOf({ person: { id: userId }, line: { lineId } }: Owner): NewNotice[] {
  const endpoint = endpointDetails(userId, { lineId, lineName: `${SHALOM} 1` })
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
