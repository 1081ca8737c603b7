import type { Database } from '../../src/database/connection.js'
import type { Context } from '../../src/domain/context.js'
import { newId } from '../../src/ids.js'

export interface LineWithHistory {
  userId: string
  lineId: string
  number: string
  endpointId: string
  /** The line's share of the messages, relative to the others. */
  share: number
}

const DAYS = 7
/** There may be a message at each of these intervals: there usually is one by day, and seldom one at night. */
const EVERY_SECONDS = 75
const SHARES = 20

/** The texts of a shop and its customers. They are received and sent in turn. */
const SAID = [
  ['Is my order ready?', 'It is. Come by until six.'],
  ['Could we make it five people?', 'No problem, your table is set for five.'],
  ['Running ten minutes late, sorry!', 'Take your time. See you soon.'],
  ['Do you have this in blue?', 'We do. Shall we put one aside for you?'],
  ['Thank you!', 'Your package arrives tomorrow between 9 and 12.'],
  ['What time do you close?', 'At seven today, and at six on Saturdays.'],
] as const

/** The names of these customers; every third number has one. */
const NAMES = [
  ...['Maria Lindqvist', 'Tom Okafor', 'Priya Raman', 'Sam Whitaker', 'Grace Mbeki', 'Leo Castellano'],
  ...['Hannah Vogel', 'Noor Bakshi', 'Jonas Pfeiffer', 'Elena Wójcik', 'Mateo Ruiz', 'Aiko Tanaka'],
  ...['Ruth Adeyemi', 'Ben Carter', 'Anna Nilsson', 'Omar Haddad', 'Chloe Martin', 'Ivan Petrov'],
  ...['Lucia Romano', 'David Kim', 'Sofia Alves', 'Peter Novak', 'Zoe Papadakis', 'Emma Brandt'],
]

/**
 * Adds a week of messages, received and sent in turn, each received one with its event and the delivery of it: enough
 * rows that the charts have their shape. Postgres makes them without a worker, so the service's processes start after
 * this.
 */
export async function fillHistory({ db }: Context, lines: readonly LineWithHistory[]): Promise<void> {
  await db.transaction((trx) => fill(trx, lines))
}

async function fill(db: Database, lines: readonly LineWithHistory[]): Promise<void> {
  const turns = lines.flatMap((line, n) => Array.from({ length: line.share }, () => n + 1))
  if (turns.length !== SHARES) throw new Error(`the shares of the lines must be ${SHARES} in all`)
  // Makes a UUIDv7 of the row's moment with the row's number at its end; related rows come some milliseconds later.
  const id = (ms: number) =>
    `overlay(overlay(overlay(lowest_id_at(at + interval '${ms} ms')::text placing '7' from 15) placing '8' from 20)
       placing lpad(to_hex(n), 12, '0') from 25)::uuid`
  await db.raw(
    `create temporary table pictured as
     select n, at, t.line, '+1' || 4155550100 + (n * 7) % 83 as contact, n % 2 = 1 as is_inbound, (n / 2) % 6 + 1 as said,
       120 + (n * 37) % 160 as took_ms
     from (select n, now() - make_interval(secs => (${(DAYS * 86_400) / EVERY_SECONDS} - n) * ${EVERY_SECONDS} + 90) as at
       from generate_series(1, ${Math.floor((DAYS * 86_400) / EVERY_SECONDS)}) n) r
     cross join lateral (select (:turns::int[])[(n * 11) % ${SHARES} + 1] as line) t
     where (n * 7919) % 100 < 8 + 85 * greatest(0, sin(pi() * (extract(hour from at) + extract(minute from at) / 60 - 5) / 16))`,
    { turns: `{${turns.join()}}` },
  )
  const given = {
    userIds: `{${lines.map(({ userId }) => userId).join()}}`,
    lineIds: `{${lines.map(({ lineId }) => lineId).join()}}`,
    numbers: `{${lines.map(({ number }) => number).join()}}`,
    endpointIds: `{${lines.map(({ endpointId }) => endpointId).join()}}`,
    heard: SAID.map(([heard]) => heard),
    answered: SAID.map(([, answered]) => answered),
  }
  const own = `(:userIds::uuid[])[line], (:lineIds::uuid[])[line]`
  const number = '(:numbers::text[])[line]'
  await db.raw(
    `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status, created_at, due_at,
       claimed_at, handed_over_at, sent_at, receipt_at, carrier, carrier_message_id, attempt_count, segment_count, error)
     select ${id(0)}, ${own},
       case when is_inbound then 'inbound' else 'outbound' end, case when is_inbound then 'carrier' else 'webhook' end,
       case when is_inbound then contact else ${number} end, case when is_inbound then ${number} else contact end,
       case when is_inbound then (:heard::text[])[said] else (:answered::text[])[said] end,
       case when is_inbound then 'received' when n % 211 = 0 then 'failed' else 'delivered' end, at, at,
       sent, sent, sent, sent + interval '2 s', 'simulator', 'sim-' || n, case when is_inbound then 0 else 1 end, 1,
       case when not is_inbound and n % 211 = 0 then 'carrier_refused' end
     from pictured cross join lateral (select case when is_inbound then null else at + interval '40 ms' end as sent) s`,
    given,
  )
  await db.raw(
    `insert into events (id, user_id, line_id, message_id, type, payload, from_number, to_number)
     select ${id(1)}, ${own}, ${id(0)}, 'inboundText', (:heard::text[])[said], contact, ${number}
     from pictured where is_inbound`,
    given,
  )
  await db.raw(
    `insert into deliveries (id, user_id, line_id, event_id, endpoint_id, type, from_number, status, created_at, due_at,
       delivered_at, attempt_count, round_attempt_count)
     select ${id(2)}, ${own}, ${id(1)}, (:endpointIds::uuid[])[line], 'inboundText', contact, 'delivered', at, at,
       at + took_ms * interval '1 ms', 1, 1
     from pictured where is_inbound`,
    given,
  )
  await db.raw(
    `insert into delivery_attempts (id, delivery_id, attempt_number, started_at, duration_ms, response_status,
       response_excerpt, first_byte_ms)
     select ${id(3)}, ${id(2)}, 1, at, took_ms, 200, 'ok', took_ms - 4 from pictured where is_inbound`,
    given,
  )
  for (const userId of new Set(lines.map((line) => line.userId))) {
    await db('contacts').insert(
      NAMES.map((name, n) => ({ id: newId(), user_id: userId, number: `+1${4_155_550_100 + n * 3}`, name })),
    )
  }
  await db.raw('drop table pictured')
}
