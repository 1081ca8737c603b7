import { enableConnection, setLineEndpointUrl } from '../src/domain/lines/connections.js'
import type { Context } from '../src/domain/context.js'
import { addLine } from '../src/domain/lines/lines.js'
import { addUser } from '../src/domain/people/users.js'
import { createApp } from '../src/web/app.js'
import { listen } from '../src/web/listening/listen.js'
import { startSession } from '../test/helpers/web/sessions.js'
import { openBench } from './harness/bench.js'

/**
 * Measures how long the pages that look through many messages take, from the first byte of the request to the last byte of
 * the page. The user has so many messages on two lines, and a delivery for each that was received. It is run by hand:
 * `npm run bench:pages`, or `npm run bench:pages -- 1000000`.
 *
 * Failures are rare and old, and one number has never been in touch, because a scan of the table would take longest to find
 * these.
 */
const ROWS = Number(process.argv[2] ?? 100_000)
const DAYS = 20
const REQUESTS = 20
const GOAL_MS = 300
const KNOWN = '+15005550007'
const NEVER_SEEN = '+15005559999'

const bench = await openBench()
const installation = await bench.install({ REQUIRE_SECOND_FACTOR: 'off' })
await installation.prepare(measureAll)
await bench.close()

async function measureAll(context: Context): Promise<void> {
  const web = await listen(createApp(context).callback(), { port: 0, host: '127.0.0.1' }, { finishMs: 5000 })
  try {
    const { userId, lineIds, numbers } = await addLines(context)
    await fill(context, userId, lineIds, numbers)
    const address = web.server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const cookie = `__Host-linehook=${await startSession(context, userId)}`
    const oldest = lineIds[0] ?? ''
    const until = new Date(Date.now() - 15 * 86_400_000).toISOString().slice(0, 16)
    const activity = [
      '',
      `line=${oldest}`,
      'direction=inbound',
      'status=failed',
      'status=exhausted',
      'status=queued',
      'type=voicemail',
      `number=${encodeURIComponent(KNOWN)}`,
      `number=${encodeURIComponent(NEVER_SEEN)}`,
      `line=${oldest}&direction=outbound&status=failed&number=${encodeURIComponent(KNOWN)}`,
      `until=${until}`,
      'number=5559999',
      'text=nowhere',
      'text=code',
      'reason=timeout',
      'status=pending&direction=inbound',
    ]
    const conversations = `/console/lines/${oldest}/conversations`
    const paths = [
      ...activity.map((query) => `/console/activity?${query}`),
      `/console/search?q=${encodeURIComponent(KNOWN)}`,
      `/console/search?q=${encodeURIComponent(NEVER_SEEN)}`,
      '/console/search?q=555999',
      '/console/search?q=nothing-has-this-name',
      conversations,
      `${conversations}/${encodeURIComponent(KNOWN)}`,
      '/console',
      `/console/lines/${oldest}`,
      '/console/overview',
    ]
    const results: { path: string; medianMs: number; slowestMs: number; rows: number }[] = []
    for (const isAnalyzed of [false, true]) {
      if (isAnalyzed) await context.db.raw('analyze messages, events, deliveries')
      for (const path of paths) {
        const said = `${path.replaceAll(oldest, '…')}${isAnalyzed ? '' : ', not analyzed'}`
        results.push({ path: said, ...(await measure(`http://127.0.0.1:${port}${path}`, cookie)) })
      }
    }
    console.table(results)
    const slow = results.filter(({ slowestMs }) => slowestMs >= GOAL_MS)
    console.log(slow.length === 0 ? `all within ${GOAL_MS} ms` : `${slow.length} took ${GOAL_MS} ms or more`)
    if (slow.length > 0) process.exitCode = 1
  } finally {
    web.server.closeAllConnections()
    await web.close()
  }
}

async function measure(url: string, cookie: string) {
  const times: number[] = []
  let rows = 0
  for (let n = 0; n < REQUESTS; n += 1) {
    const startedAt = performance.now()
    const response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
    const html = await response.text()
    times.push(performance.now() - startedAt)
    if (response.status !== 200) throw new Error(`${url}: answered ${response.status}`)
    rows = html.split('id="activity-').length - 1
  }
  times.sort((a, b) => a - b)
  return {
    medianMs: Math.round(times[REQUESTS / 2] ?? 0),
    slowestMs: Math.round(times.at(-1) ?? 0),
    rows,
  }
}

async function addLines(context: Context) {
  const user = await addUser(context, { email: 'pages@example.com', role: 'operator' })
  const lineIds: string[] = []
  const numbers = ['+15550000001', '+15550000002']
  for (const number of numbers) {
    const { id } = await addLine(context, { userId: user.id, number, carrierAccount: 'simulator' })
    await enableConnection(context, user.id, id)
    await setLineEndpointUrl(context, user.id, id, 'http://127.0.0.1:9/events')
    lineIds.push(id)
  }
  return { userId: user.id, lineIds, numbers }
}

/** Inserts twenty days of messages on both lines, by turns sent and received. Each received one has an event, with a delivery. */
async function fill({ db }: Context, userId: string, lineIds: string[], numbers: string[]): Promise<void> {
  // This is a UUIDv7 of the row's moment, with the row's number at the end. A message, its event and its delivery differ by
  // `ms`.
  const id = (ms: number) =>
    `overlay(overlay(lowest_id_at(at + interval '${ms} ms')::text placing '7' from 15)
       placing lpad(to_hex(n), 12, '0') from 25)::uuid`
  const rows = `(select n, :startAt::timestamptz + n * make_interval(secs => ${(DAYS * 86_400) / ROWS}) as at, (n / 2) % 2 + 1 as line,
    '+1' || 5005550000 + n % 997 as contact from generate_series(1, ${ROWS}) n) r`
  const startAt = new Date(Date.now() - DAYS * 86_400_000).toISOString()
  const given = { startAt, userId, lineIds: `{${lineIds.join(',')}}`, numbers: `{${numbers.join(',')}}` }
  const lineId = '(:lineIds::uuid[])[line]'
  const number = '(:numbers::text[])[line]'
  await db.raw(
    `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status, created_at)
     select ${id(0)}, :userId, ${lineId},
       case n % 2 when 0 then 'outbound' else 'inbound' end, case n % 2 when 0 then 'webhook' else 'carrier' end,
       case n % 2 when 0 then ${number} else contact end, case n % 2 when 0 then contact else ${number} end,
       'Your code is ' || n,
       case when n % 2 = 1 then 'received' when n < 40 then 'failed' else 'delivered' end, at
     from ${rows}`,
    given,
  )
  await db.raw(
    `insert into events (id, user_id, line_id, message_id, type, payload, from_number, to_number)
     select ${id(1)}, :userId, ${lineId}, ${id(0)}, 'inboundText', 'Hello', contact, ${number}
     from ${rows} where n % 2 = 1`,
    given,
  )
  await db.raw(
    `insert into deliveries (id, user_id, line_id, event_id, endpoint_id, type, from_number, status, created_at)
     select ${id(2)}, :userId, ${lineId}, ${id(1)}, (select endpoint_id from developer_connections c
       where c.line_id = ${lineId}), 'inboundText', contact, case when n < 40 then 'exhausted' else 'delivered' end, at
     from ${rows} where n % 2 = 1`,
    given,
  )
}
