import { mkdir } from 'node:fs/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openBench } from '../bench/harness/bench.js'
import type { Installation } from '../bench/harness/installation.js'
import { Ends } from '../chaos/ends.js'
import { findUncountedMinute } from '../src/database/operating/overview/counting.js'
import type { Context } from '../src/domain/context.js'
import { createBackfill } from '../src/domain/operating/overview/count-minutes.js'
import { addUser } from '../src/domain/people/users.js'
import { createLine, messageBody, type TestLine } from '../test/helpers/factories.js'
import { startReceiver } from '../test/helpers/services/receiver.js'
import { until } from '../test/helpers/until.js'
import { launchBrowser } from '../test/helpers/web/browser.js'
import { startSession } from '../test/helpers/web/sessions.js'
import { connect, createApplication } from '../test/domain/applications/applications.js'
import { freePort } from './services/free-port.js'
import { filmFirstSteps } from './pictures/first-steps.js'
import { fillHistory } from './pictures/history.js'
import { DESK, takeAllLooks } from './pictures/looks.js'
import { CUSTOMER, type FoundIds, type Shop } from './pictures/shop.js'

/**
 * `npm run pictures` takes the pictures that the README and `docs/` show, from a whole installation with every
 * process, a week of messages, and messages that come and go meanwhile. With ALL_LOOKS=1 it also takes every page of
 * the console, light, dark and on a phone, for people to look at, and prints how tall each is on a phone.
 */
const FOLDER = 'docs/pictures'
const PROCESSES = ['send-message', 'deliver-event', 'fetch-media', 'maintenance']

const ends = new Ends()
process.once('SIGINT', () => void ends.all())
try {
  await takeAll()
} finally {
  await ends.all()
}

async function takeAll(): Promise<void> {
  const bench = ends.add(await openBench(), (each) => each.close())
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const installation = await bench.install({
    PORT: port,
    PUBLIC_URL: url,
    REQUIRE_SECOND_FACTOR: 'off',
    // The failing endpoint soon has enough failures to be listed.
    DELIVERY_RETRY_BASE_MS: '200',
  })
  const [works, fails] = [await startReceiver(), await startReceiver()]
  for (const receiver of [works, fails]) ends.add(receiver, (each) => each.close())
  fails.answerWith((response) => response.writeHead(503).end('Database is gone'))
  const shop = await installation.prepare((context) => openShop(context, works.url, fails.url))
  for (const name of ['web', ...PROCESSES]) await installation.start(name)
  const browser = ends.add(await launchBrowser(), (each) => each.close())

  await talk(url, shop)
  await until(
    'everything is sent and delivered, or has failed five times',
    () => isSettled(installation),
    60_000,
  )
  const found = await findIds(installation, shop)
  const session = await installation.prepare((context) => startSession(context, shop.operatorId))
  const open = (options: BrowserContextOptions) => openAt(browser, url, session, options)

  await mkdir(FOLDER, { recursive: true })
  const page = await open(DESK)
  for (const [name, path] of Object.entries(picturesOf(shop, found))) {
    await page.goto(path)
    // Charts and figures load after the page.
    await page.waitForLoadState('load')
    await page.screenshot({ path: `${FOLDER}/${name}.png` })
  }
  await page.context().close()
  await filmFirstSteps({
    page: await open({ viewport: { width: 1000, height: 640 } }),
    line: shop.newLine,
    serverUrl: works.url,
    // This number has no messages yet.
    customer: '+12125550100',
    path: `${FOLDER}/first-steps.gif`,
  })
  if (process.env.ALL_LOOKS !== undefined)
    await takeAllLooks({ installation, shop, found, open, browser, url })
}

/** A shop with seven lines of two people; everything works except the server of one line. */
async function openShop(context: Context, worksUrl: string, failsUrl: string): Promise<Shop> {
  const operator = await addUser(context, { email: 'ada@example.com', name: 'Ada', role: 'operator' })
  const kim = await addUser(context, { email: 'kim@example.com', name: 'Kim' })
  const lines: (TestLine & { share: number })[] = []
  for (const [n, [name, share]] of (
    [
      ['Front desk', 7],
      ['Reservations', 5],
      ['Deliveries', 3],
      ['Support', 2],
      ['Night shift', 2],
      ['Warehouse', 1],
    ] as const
  ).entries()) {
    const line = await createLine(context, {
      userId: n === 3 ? kim.id : operator.id,
      name,
      number: `+1415555019${n}`,
      outgoingUrl: n === 2 ? failsUrl : worksUrl,
    })
    lines.push({ ...line, share })
  }
  await fillHistory(context, lines)
  // Maintenance would take a while to count the minutes of a week.
  const catchUp = createBackfill(context)
  await until('the week is counted', () => catchUp().then(async () => hasCounted(context)), 120_000)
  const newLine = await createLine(context, {
    userId: operator.id,
    name: 'Pop-up store',
    number: '+14155550198',
  })
  const [frontDesk, , deliveries] = lines
  if (frontDesk === undefined || deliveries === undefined) throw new Error('the shop has no lines')
  const { id: applicationId } = await createApplication(context, {
    userId: kim.id,
    name: 'Booking assistant',
  })
  await connect(context, { id: applicationId }, frontDesk)
  return { operatorId: operator.id, userId: kim.id, applicationId, frontDesk, deliveries, newLine }
}

/** Sends some messages over HTTP, as customers and the shop's program do. */
async function talk(url: string, { frontDesk, deliveries }: Shop): Promise<void> {
  for (const [line, toNumber, said] of [
    [frontDesk, CUSTOMER, ['<Is my order ready?', '>It is: come by until six.', '<On my way, thank you!']],
    [deliveries, '+12125550187', ['>Your package is on its way.', '<Please leave it at the door.']],
    [
      frontDesk,
      '+12125550123',
      ['<Do you open on Sunday?', '>We do, from ten to four.', '<Great, see you then!'],
    ],
  ] as const) {
    for (const each of said) {
      const text = each.slice(1)
      const response = await fetch(
        `${url}${each.startsWith('<') ? '/simulator/inbound' : line.webhookPath}`,
        {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(
            each.startsWith('<')
              ? { fromNumber: toNumber, toNumber: line.number, text }
              : messageBody({ toNumber, text }),
          ),
        },
      )
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    }
  }
}

async function hasCounted({ db }: Context): Promise<boolean> {
  return (await findUncountedMinute(db)) === undefined
}

async function isSettled({ sql }: Installation): Promise<boolean> {
  const { rows } = await sql.query<{ isSettled: boolean }>(
    `select (select count(*)::int from messages where status in ('queued', 'sending', 'sent')) +
       (select count(*)::int from deliveries where status in ('pending', 'delivering') and attempt_count < 5) = 0
       as "isSettled"`,
  )
  return rows[0]?.isSettled ?? false
}

async function findIds({ sql }: Installation, { frontDesk }: Shop) {
  const { rows } = await sql.query<{ messageId: string; attemptId: string }>(
    `select e.message_id as "messageId", a.id as "attemptId"
     from events e join deliveries d on d.event_id = e.id join delivery_attempts a on a.delivery_id = d.id
     where e.line_id = $1 and e.payload = 'On my way, thank you!' order by e.id desc limit 1`,
    [frontDesk.lineId],
  )
  const [found] = rows
  if (found === undefined) throw new Error('the last text made no event')
  return found
}

function picturesOf({ frontDesk, deliveries }: Shop, found: FoundIds) {
  return {
    lines: '/console',
    line: `/console/lines/${frontDesk.lineId}`,
    activity: '/console/activity',
    message: `/console/messages/${found.messageId}`,
    request: `/console/messages/${found.messageId}?attempt=${found.attemptId}&view=request`,
    conversation: `/console/lines/${frontDesk.lineId}/conversations/${encodeURIComponent(CUSTOMER)}`,
    endpoint: `/console/endpoints/${deliveries.endpointId}`,
    overview: '/console/overview?span=24h',
  }
}

async function openAt(
  browser: Browser,
  url: string,
  session: string,
  options: BrowserContextOptions,
): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, ...options })
  await context.addCookies([
    { name: '__Host-linehook', value: session, url: url.replace('http:', 'https:'), secure: true },
  ])
  return context.newPage()
}
