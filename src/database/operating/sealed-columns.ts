import { KEY_NAME_SQL } from '../../secrets.js'
import type { Database } from '../connection.js'

/** Every column that holds values sealed by `secrets.ts`, with the key of its row, and their name in `placeOf`. */
export const SEALED_COLUMNS = {
  webhookToken: { table: 'incoming_webhooks', name: 'token', rowId: 'line_id', column: 'token_sealed' },
  signingSecret: { table: 'endpoints', name: 'secret', rowId: 'id', column: 'secret_sealed' },
  // A rotation moves the value here from the column before.
  previousSigningSecret: {
    table: 'endpoints',
    name: 'secret',
    rowId: 'id',
    column: 'previous_secret_sealed',
  },
  customHeaders: { table: 'endpoints', name: 'headers', rowId: 'id', column: 'headers_sealed' },
  totpSecret: { table: 'totp_secrets', name: 'secret', rowId: 'user_id', column: 'secret_sealed' },
  carrierSettings: { table: 'carrier_accounts', name: 'settings', rowId: 'id', column: 'settings_sealed' },
  triedSecret: { table: 'carrier_sessions', name: 'tried', rowId: 'account_id', column: 'tried_sealed' },
} as const

export type SealedColumn = keyof typeof SEALED_COLUMNS

/** The place to which a value in the row with this id is sealed (`secrets.ts`). */
export function placeOf(which: SealedColumn, id: string): string {
  const { table, name } = SEALED_COLUMNS[which]
  return `${table}.${name}:${id}`
}

/** Counts the values that each key sealed, by the key's name (`keyName`). */
export async function countSealedByKey(db: Database): Promise<Map<string, number>> {
  const all = Object.values(SEALED_COLUMNS).map(
    ({ table, column }) => `select ${column} as sealed from ${table} where ${column} is not null`,
  )
  const { rows } = await db.raw<{ rows: { name: string; count: number }[] }>(
    `select ${KEY_NAME_SQL} as name, count(*)::integer as count from (${all.join(' union all ')}) s group by 1`,
  )
  return new Map(rows.map(({ name, count }) => [name, count]))
}

/** Lists values in order of the rows' ids, after a given one. */
export async function listSealed(
  db: Database,
  which: SealedColumn,
  afterId: string,
  limit: number,
): Promise<{ id: string; sealed: Buffer }[]> {
  const { table, rowId, column } = SEALED_COLUMNS[which]
  return db(table)
    .whereNotNull(column)
    .where(rowId, '>', afterId)
    .orderBy(rowId)
    .limit(limit)
    .select<{ id: string; sealed: Buffer }[]>({ id: rowId, sealed: column })
}

/** @returns false if another value has been written since, which stays */
export async function replaceSealed(
  db: Database,
  which: SealedColumn,
  id: string,
  before: Buffer,
  after: Buffer,
): Promise<boolean> {
  const { table, rowId, column } = SEALED_COLUMNS[which]
  const changed = await db(table)
    .where({ [rowId]: id, [column]: before })
    .update({ [column]: after })
  return changed > 0
}
