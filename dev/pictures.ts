import { mkdir } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import type { Context } from '../src/domain/context.js'
import { deliver } from '../src/domain/endpoints/deliveries/deliver.js'
import { startReplay } from '../src/domain/endpoints/deliveries/replay.js'
import { receiveMessage } from '../src/domain/messages/receive.js'
import { queueMessage, inboundText, deliveryRow } from './domain/fixtures.js'
import { createPerson, type Person } from './domain/people/people.js'
import { launchBrowser, openPage } from './helpers/web/browser.js'
import { createTestContext } from './helpers/context.js'
import { createLine, type TestLine } from './helpers/factories.js'
import { openings } from './helpers/openings.js'
import { startReceiver } from './helpers/services/receiver.js'
import { startSession } from './helpers/web/sessions.js'
import { serveApp, type TestWeb } from './helpers/web/web.js'

/** `npm run pictures`: those that the README and `docs/` show, of a service with a few lines and what they said. */
const FOLDER = 'docs/pictures'
/** In the dark and on a phone, with ALL_LOOKS=1: git-ignored, for people to look at. */
const OTHERS = 'test/browser/screenshots'

const SAID = [
  ['in', '+14155550142', 'Is my order ready?'],
  ['out', '+14155550142', 'It is: come by until six.'],
  ['in', '+14155550142', 'On my way, thank you!'],
  ['out', '+12125550187', 'Your table for four is booked for 19:30.'],
  ['in', '+12125550187', 'Could we make it five people?'],
] as const

describe('pictures', function () {
  this.timeout(120_000)

  let context: Context
  let web: TestWeb
  let browser: Browser
  let person: Person
  let lines: TestLine[]
  let messageId: string
  let attemptId: string

  const open = openings()

  before(async () => {
    context = await open(createTestContext())
    const [works, fails] = await Promise.all([open(startReceiver()), open(startReceiver())])
    fails.answerWith((response) => response.writeHead(500).end('Database is gone'))
    ;[web, browser] = await Promise.all([open(serveApp(context)), open(launchBrowser())])
    person = await createPerson(context, { role: 'operator' })
    const userId = person.id
    lines = [
      await createLine(context, { userId, name: 'Front desk', outgoingUrl: works.url }),
      await createLine(context, { userId, name: 'Deliveries', outgoingUrl: fails.url }),
      await createLine(context, { userId, name: 'Night shift' }),
    ]
    for (const [n, [direction, number, text]] of SAID.entries())
      await say(n < 3 ? 0 : 1, direction, number, text)
    await queueMessage(context, lines[0]!, {
      status: 'failed',
      error: 'carrier_refused',
      to_number: '+14155550199',
    })
    const [attempt] = await context
      .db('delivery_attempts as a')
      .join('deliveries as d', 'd.id', 'a.delivery_id')
      .join('events as e', 'e.id', 'd.event_id')
      .where({ 'e.message_id': messageId })
      .pluck<string[]>('a.id')
    attemptId = attempt!
    // On their way, and never at their end: nothing works on them here.
    for (const [index, done] of [742, 40].entries()) {
      const whose = { of: 'line', userId, lineId: lines[index]!.lineId } as const
      const { id } = await startReplay(context, whose, { from: new Date(0) })
      await context
        .db('tasks')
        .where({ id })
        .update({ total_count: 1000, done_count: done, status: 'running' })
    }
  })

  async function say(index: number, direction: 'in' | 'out', number: string, text: string): Promise<void> {
    const line = lines[index]!
    if (direction === 'out') {
      await queueMessage(context, line, { status: 'delivered', to_number: number, text })
      return
    }
    const outcome = await receiveMessage(
      context,
      inboundText(line, { fromNumber: number, content: { type: 'inboundText', text } }),
    )
    if (index === 0 && outcome.kind === 'received') messageId = outcome.messageId
    const deliveries = await context
      .db('deliveries')
      .where({ line_id: line.lineId, status: 'pending' })
      .pluck('id')
    for (const deliveryId of deliveries as string[]) {
      await deliver(context, deliveryId, (await deliveryRow(context, deliveryId)).endpoint_id)
    }
  }

  for (const [name, pathOf] of [
    ['lines', () => '/console'],
    ['line', () => `/console/lines/${lines[0]!.lineId}`],
    ['activity', () => '/console/activity'],
    ['message', () => `/console/messages/${messageId}`],
    ['request', () => `/console/messages/${messageId}?attempt=${attemptId}&view=request`],
    [
      'conversation',
      () => `/console/lines/${lines[0]!.lineId}/conversations/${encodeURIComponent(SAID[0][1])}`,
    ],
    ['endpoint', () => `/console/endpoints/${lines[1]!.endpointId}`],
    ['first-steps', () => `/console/lines/${lines[0]!.lineId}/start?show=send`],
    ['background-tasks', () => '/console/tasks'],
    ['events', () => '/console/events'],
    ['overview', () => '/console/overview'],
  ] as const) {
    it(name, async () => {
      for (const folder of [FOLDER, OTHERS]) await mkdir(folder, { recursive: true })
      for (const [suffix, options] of [
        ['', { viewport: { width: 1100, height: 760 } }],
        ...(process.env.ALL_LOOKS === undefined
          ? []
          : ([
              ['-dark', { viewport: { width: 1100, height: 760 }, colorScheme: 'dark' }],
              ['-phone', { viewport: { width: 390, height: 760 } }],
            ] as const)),
      ] as const) {
        const { page } = await openPage(browser, web.url, options)
        const value = await startSession(context, person.id)
        await page
          .context()
          .addCookies([
            { name: '__Host-linehook', value, url: web.url.replace('http:', 'https:'), secure: true },
          ])
        await page.goto(pathOf())
        await page.screenshot({ path: `${suffix === '' ? FOLDER : OTHERS}/${name}${suffix}.png` })
        await page.context().close()
      }
    })
  }
})
