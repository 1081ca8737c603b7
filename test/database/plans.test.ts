import { expect } from 'chai'
import pg from 'pg'
import { findEndpointWork } from '../../src/database/endpoints/deliveries/waiting.js'
import { listEndpointHours, listLineHealth } from '../../src/database/lines/line-health.js'
import { countUnreadConversations } from '../../src/database/messages/conversations/marks.js'
import {
  listArchivedConversations,
  listConversations,
  listUnreadConversations,
} from '../../src/database/messages/conversations/conversations.js'
import { listMessages } from '../../src/database/messages/reading.js'
import { countActivities, findActivity, type ActivityFilter } from '../../src/domain/messages/activity.js'
import { readOwnTraffic, OWN_DIMENSIONS } from '../../src/domain/operating/overview/own-traffic.js'
import { createOverviewReader, DIMENSIONS } from '../../src/domain/operating/overview/overview.js'
import { search } from '../../src/domain/messages/search.js'
import { describeContext } from '../helpers/context.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { newId } from '../../src/ids.js'
import { BEN } from '../domain/fixtures.js'

/** Enough for Postgres to see that an index is cheaper than the whole table. */
const ROWS = 50_000
/**
 * They are one a second, back from now, or from the beginning of the month if it is as young as that: of two halves in
 * two partitions, Postgres would read one whole, rightly.
 */
const NEWEST = `case when now() - interval '${ROWS} seconds' > date_trunc('month', now()) then now()
  else date_trunc('month', now()) end`
interface Plan {
  'Node Type': string
  'Relation Name'?: string
  Plans?: Plan[]
}

interface Asked {
  sql: string
  bindings?: readonly unknown[]
}

/** However many messages there are, a page reads a bounded part of them: no table of messages is read whole. */
describeContext('the plans of pages that look through many messages', (context) => {
  let line: TestLine
  let endpointId: string
  let client: pg.Client
  /** The partitions that have the rows: an empty one is read whole in no time. */
  let large: Set<string>

  before(async () => {
    client = new pg.Client({ connectionString: context.config.databaseUrl })
    await client.connect()
    line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/' })
    const { userId, lineId, number } = line
    ;[endpointId = ''] = await context
      .db('developer_connections')
      .where({ line_id: lineId })
      .pluck<string[]>('endpoint_id')
    const given = { userId, lineId, number, endpointId }
    const rows = `(select lowest_id_at(${NEWEST} - make_interval(secs => n)) as id, n, '+1' || 5005550000 + n % 97 as contact
      from generate_series(1, ${ROWS}) n) r`
    // Not by the context's connections, which give a statement the few seconds that a page's statement may take.
    const prepare = (statement: string) => {
      const { sql, bindings } = context.db.raw(statement, given).toSQL().toNative()
      return client.query(sql, [...bindings])
    }
    await prepare(
      `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status)
       select id, :userId, :lineId, 'inbound', 'carrier', contact, :number, 'Hello ' || n, 'received' from ${rows}`,
    )
    await prepare(
      `insert into events (id, user_id, line_id, message_id, type, payload, from_number, to_number)
       select id, :userId, :lineId, id, 'inboundText', 'Hello', contact, :number from ${rows}`,
    )
    await prepare(
      `insert into deliveries (id, user_id, line_id, event_id, endpoint_id, type, from_number, status)
       select id, :userId, :lineId, id, :endpointId, 'inboundText', contact, 'delivered' from ${rows}`,
    )
    // So many that reading them all is seen, of which few are unread or archived.
    await prepare(
      `insert into line_peers (line_id, number, unread_id, archived_at)
       select :lineId, '+1' || 5005550000 + n, case when n % 1000 = 0 then lowest_id_at(now() - make_interval(secs => n)) end,
         case when n % 1000 = 1 then now() - make_interval(secs => n) end
       from generate_series(1, ${ROWS}) n`,
    )
    await prepare('analyze messages, events, deliveries, line_peers')
    const { rows: filled } = await client.query<{ name: string }>(
      `select distinct tableoid::regclass::text as name from messages
       union select distinct tableoid::regclass::text from events
       union select distinct tableoid::regclass::text from deliveries
       union select distinct tableoid::regclass::text from line_peers`,
    )
    large = new Set(filled.map(({ name }) => name))
  })

  after(async () => {
    await client.end()
    await context.db.raw('truncate messages, events, deliveries, delivery_attempts, line_peers')
  })

  /** The large tables that any statement of the work reads whole. */
  async function readWhole(work: () => Promise<unknown>): Promise<string[]> {
    const asked: Asked[] = []
    const note = (query: Asked) => {
      if (/^\s*(select|with)/i.test(query.sql)) asked.push(query)
    }
    context.db.on('query', note)
    await work()
    context.db.removeListener('query', note)
    expect(asked).not.to.deep.equal([])
    const found: string[] = []
    for (const { sql, bindings = [] } of asked) {
      // Not by knex, which would take the statement's own `$1` for no binding.
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>({
        text: `explain (format json) ${sql}`,
        values: [...bindings],
      })
      found.push(
        ...rows.flatMap((row) => wholeIn(row['QUERY PLAN'][0].Plan)).map((table) => `${table}: ${sql}`),
      )
    }
    return found
  }

  function wholeIn(plan: Plan): string[] {
    const table = plan['Relation Name'] ?? ''
    const own = plan['Node Type'] === 'Seq Scan' && large.has(table) ? [table] : []
    return [...own, ...(plan.Plans ?? []).flatMap(wholeIn)]
  }

  const filters: ActivityFilter[] = [
    {},
    { direction: 'outbound' },
    { status: 'failed' },
    { status: 'exhausted' },
    { status: 'pending', text: 'hello' },
    { type: 'voicemail' },
    { type: 'optOut' },
    { reason: 'timeout' },
    { number: BEN },
    { numberPart: '999999' },
    { text: 'nowhere' },
    { from: new Date(Date.now() - 3_600_000), until: new Date(Date.now() - 1_800_000) },
  ]

  for (const filter of filters) {
    const named = Object.entries(filter).map(([name, value]) =>
      value instanceof Date ? name : `${name} ${value}`,
    )
    it(`of the activity by ${named.join(', ') || 'nothing'}`, async () => {
      expect(await readWhole(() => findActivity(context, line.userId, filter, { limit: 50 }))).to.deep.equal(
        [],
      )
      expect(await readWhole(() => countActivities(context, line.userId, filter))).to.deep.equal([])
    })
  }

  it('of the search', async () => {
    for (const role of ['user', 'operator'] as const) {
      for (const written of [BEN, '555999', 'nobody-has-this-name', newId()]) {
        expect(await readWhole(() => search(context, { userId: line.userId, role }, written))).to.deep.equal(
          [],
        )
      }
    }
  })

  it('of conversations, and of one', async () => {
    const { userId, lineId } = line
    const page = { before: null, limit: 50 }
    const of = { userId, lineId }
    for (const sought of [undefined, { words: 'nowhere' }]) {
      expect(await readWhole(() => listConversations(context.db, of, { ...page, sought }))).to.deep.equal([])
    }
    for (const unread of [of, { userId }]) {
      const before = newId()
      for (const sought of [undefined, { words: 'nowhere' }]) {
        const asked = { before, limit: 30, sought }
        expect(await readWhole(() => listUnreadConversations(context.db, unread, asked))).to.deep.equal([])
      }
      expect(await readWhole(() => countUnreadConversations(context.db, unread, 100))).to.deep.equal([])
    }
    const archived = { before: new Date(), limit: 30 }
    expect(await readWhole(() => listArchivedConversations(context.db, of, archived))).to.deep.equal([])
    const thread = () => listMessages(context.db, userId, { lineId, number: BEN }, { limit: 30 })
    expect(await readWhole(thread)).to.deep.equal([])
  })

  it('of the lists of lines and of the overview', async () => {
    expect(await readWhole(() => listLineHealth(context.db, line.userId))).to.deep.equal([])
    expect(await readWhole(() => findEndpointWork(context.db, endpointId))).to.deep.equal([])
    const endpoint = { id: endpointId, lineId: line.lineId, applicationId: null }
    expect(await readWhole(() => listEndpointHours(context.db, endpoint))).to.deep.equal([])
    for (const by of OWN_DIMENSIONS) {
      expect(await readWhole(() => readOwnTraffic(context, line.userId, '24h', by))).to.deep.equal([])
    }
    for (const by of DIMENSIONS) {
      expect(await readWhole(() => createOverviewReader(context).read('24h', by))).to.deep.equal([])
    }
  })
})
