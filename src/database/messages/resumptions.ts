import { FIRST_ID } from '../../ids.js'
import { callFunction } from '../answers.js'
import type { Database } from '../connection.js'

/** A pause that is over, whose waiting messages still have to be enqueued. */
export interface Resumption {
  table: 'lines' | 'carrier_accounts' | 'all_sending'
  /** null for all lines. */
  id: string | null
  /** The time as text, because a Date would lose its microseconds. */
  resumedAt: string
}

export async function listResumptions(db: Database): Promise<Resumption[]> {
  const { rows } = await db.raw<{ rows: Resumption[] }>(
    `select 'all_sending' as "table", null::uuid as id, resumed_at::text as "resumedAt" from all_sending
       where resumed_at is not null
     union all select 'carrier_accounts', id, resumed_at::text from carrier_accounts where resumed_at is not null
     union all select 'lines', id, resumed_at::text from lines where resumed_at is not null`,
  )
  return rows
}

const LINES_AT_ONCE = 200

/** Yields the lines of the resumption on which messages wait, in batches. */
export async function* eachWaitingLineBatch(
  db: Database,
  { table, id }: Pick<Resumption, 'table' | 'id'>,
): AsyncGenerator<string[]> {
  const scope = {
    // One that is paused again by now has only its held events released.
    lines: 'l.id = :id and l.paused_at is null',
    carrier_accounts: 'is_line_at(l.carrier, l.routes, (select name from carrier_accounts where id = :id))',
    all_sending: 'true',
  }[table]
  for (let afterId = FIRST_ID; ;) {
    const { rows } = await db.raw<{ rows: { id: string }[] }>(
      `select l.id from lines l
       where ${scope} and l.id > :afterId
         and exists (select from messages m where m.line_id = l.id and m.status in ('queued', 'sending'))
       order by l.id limit ${LINES_AT_ONCE}`,
      { ...(id === null ? {} : { id }), afterId },
    )
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map((row) => row.id)
    if (rows.length < LINES_AT_ONCE) return
    afterId = last.id
  }
}

/** Does nothing if it has been paused and resumed again since. */
export async function endResumption(db: Database, { table, id, resumedAt }: Resumption): Promise<void> {
  await db(table)
    .modify((query) => {
      if (id !== null) void query.where({ id })
    })
    .whereRaw('resumed_at = ?::timestamptz', [resumedAt])
    .update({ resumed_at: null })
}

/** A message that waited; if it has no generation, an earlier one to its number enqueues it. */
export interface WokenMessage {
  id: string
  generation: number | null
  position: string
}

/** Wakes the next messages of a line after a position (`wake_messages`). */
export async function wakeMessages(
  db: Database,
  lineId: string,
  { after, limit, lookAgainMs }: { after: string; limit: number; lookAgainMs: number },
): Promise<WokenMessage[]> {
  return callFunction<'wake_messages', WokenMessage>(
    db,
    'wake_messages',
    '?::uuid, ?::bigint, ?::integer, make_interval(secs => ?)',
    [lineId, after, limit, lookAgainMs / 1000],
  )
}
