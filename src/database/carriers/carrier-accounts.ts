import type { AccountTable } from '../../kit/text/segments.js'
import type { Database } from '../connection.js'
import type { KeptPhones } from './phones.js'
import { columnsOf, internal, type Row } from '../../shape.js'

/** An account at a carrier, which lines belong to. */
const FIELDS = {
  id: internal<string>('id'),
  /** The name is unique and never changes; lines and message ids refer to it. */
  name: internal<string>('name'),
  /** The name of the implementation in `src/carriers`. */
  kind: internal<string>('kind'),
  /** The number of changes to the settings. */
  version: internal<number>('version'),
  /** The limit for all of its lines together; null if there is none. */
  messagesPerSecond: internal<number | null>('messages_per_second'),
  messagesPerSecondPerLine: internal<number | null>('messages_per_second_per_line'),
  /** True if the carrier itself answers STOP, START and HELP. */
  handlesOptOut: internal<boolean>('handles_opt_out'),
  createdAt: internal<Date>('created_at'),
  /** null if never. */
  lastTestedAt: internal<Date | null>('last_tested_at'),
  /** The fault that the test found, in words; null if it worked. */
  lastTestFault: internal<string | null>('last_test_fault'),
  /** The version that was tested: the settings may have changed since. */
  lastTestedVersion: internal<number | null>('last_tested_version'),
  /** The time when an operator paused sending from its lines; null if it is not paused. */
  pausedAt: internal<Date | null>('paused_at'),
  /** A user's id; null for the command line. */
  pausedBy: internal<string | null>('paused_by'),
  phones: internal<KeptPhones>('phones'),
}

export type CarrierAccount = Row<typeof FIELDS>

const COLUMNS = columnsOf(FIELDS)

/** An account as it was when it was looked up. */
export type AccountVersion = Pick<CarrierAccount, 'id' | 'version'>

export type CarrierAccountFields = Pick<
  CarrierAccount,
  'messagesPerSecond' | 'messagesPerSecondPerLine' | 'handlesOptOut'
>

interface StoredSettings {
  settingsSealed: Buffer
  /** The settings that matter for counting segments. */
  languages: readonly AccountTable[]
}

/** @returns false if there is an account with this name */
export async function insertCarrierAccount(
  db: Database,
  account: CarrierAccountFields & Pick<CarrierAccount, 'id' | 'name' | 'kind'> & StoredSettings,
): Promise<boolean> {
  const inserted = await db('carrier_accounts')
    .insert({
      id: account.id,
      name: account.name,
      kind: account.kind,
      settings_sealed: account.settingsSealed,
      languages: [...account.languages],
      messages_per_second: account.messagesPerSecond,
      messages_per_second_per_line: account.messagesPerSecondPerLine,
      handles_opt_out: account.handlesOptOut,
    })
    .onConflict('name')
    .ignore()
    .returning('id')
  return inserted.length > 0
}

export async function findCarrierAccount(
  db: Database,
  by: { id: string } | { name: string },
): Promise<CarrierAccount | undefined> {
  return db('carrier_accounts').where(by).first<CarrierAccount | undefined>(db.raw(COLUMNS))
}

/** Lists all accounts by name. */
export async function listCarrierAccounts(db: Database): Promise<CarrierAccount[]> {
  return db('carrier_accounts').select<CarrierAccount[]>(db.raw(COLUMNS)).orderBy('name')
}

/** @returns undefined if there is no such account, or its kind has no settings */
export async function findSealedSettings(db: Database, id: string): Promise<Buffer | undefined> {
  const row = await db('carrier_accounts')
    .where({ id })
    .first<{ sealed: Buffer | null } | undefined>({ sealed: 'settings_sealed' })
  return row?.sealed ?? undefined
}

export type SealedAccount = AccountVersion & Pick<CarrierAccount, 'name' | 'kind'> & { sealed: Buffer }

/** Finds accounts and their settings, if they still have that version, in the order of the ids. */
export async function findSealedAccounts(
  db: Database,
  ids: readonly string[],
): Promise<(SealedAccount | undefined)[]> {
  const accounts = await db('carrier_accounts')
    .whereIn('id', [...new Set(ids)])
    .whereNotNull('settings_sealed')
    .select<SealedAccount[]>({
      id: 'id',
      name: 'name',
      kind: 'kind',
      version: 'version',
      sealed: 'settings_sealed',
    })
  const byId = new Map(accounts.map((account) => [account.id, account]))
  return ids.map((id) => byId.get(id.toLowerCase()))
}

/**
 * @param version the version that the change was based on, so that concurrent changes do not mix
 * @param settings if left out, they stay
 * @returns false if there is no such account, or it has changed since
 */
export async function updateCarrierAccount(
  db: Database,
  { id, version }: { id: string; version: number },
  fields: CarrierAccountFields,
  settings?: StoredSettings,
): Promise<boolean> {
  const count = await db('carrier_accounts')
    .where({ id, version })
    .update({
      ...(settings && { settings_sealed: settings.settingsSealed, languages: [...settings.languages] }),
      messages_per_second: fields.messagesPerSecond,
      messages_per_second_per_line: fields.messagesPerSecondPerLine,
      handles_opt_out: fields.handlesOptOut,
      version: version + 1,
    })
  return count > 0
}

/** Records the result of a test of this version of the account; it says nothing about any other version. */
export async function recordCarrierTest(
  db: Database,
  { id, version }: { id: string; version: number },
  fault: string | null,
): Promise<void> {
  await db('carrier_accounts')
    .where({ id, version })
    .update({ last_tested_at: db.fn.now(), last_test_fault: fault, last_tested_version: version })
}

/**
 * Keeps the accounts with these names from being deleted until the transaction ends; they can still change.
 *
 * @returns the names that no account has
 */
export async function lockCarrierAccounts(trx: Database, names: readonly string[]): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { name: string }[] }>(
    'select name from carrier_accounts where name = any (?) order by id for key share',
    [[...names]],
  )
  const held = new Set(rows.map(({ name }) => name))
  return names.filter((name) => !held.has(name))
}

/**
 * Deletes an account without lines.
 *
 * @returns false if it has some, or does not exist
 */
export async function deleteCarrierAccount(trx: Database, id: string): Promise<boolean> {
  // In a statement of its own: the next one also sees the lines of those who held the account until now.
  await trx.raw('select from carrier_accounts where id = ? for update', [id])
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `delete from carrier_accounts a where a.id = ? and not exists (
       select 1 from lines l where is_line_at(l.carrier, l.routes, a.name))
     returning a.id`,
    [id],
  )
  return rows.length > 0
}

/**
 * Makes lines that have another route avoid the account for a while. Does nothing if they already do: of many messages
 * that fail together, only one counts.
 *
 * @param baseMs doubled for each time that it has failed since it last took a message, up to `maxMs`
 */
export async function avoidAccount(
  db: Database,
  id: string,
  { baseMs, maxMs }: { baseMs: number; maxMs: number },
): Promise<void> {
  await db.raw(
    `update carrier_accounts
     set avoided_until = clock_timestamp()
           + make_interval(secs => least(?::float8 * power(2, least(avoided_count, 20)), ?::float8) / 1000),
         avoided_count = avoided_count + 1, failing_since = coalesce(failing_since, clock_timestamp())
     where id = ? and (avoided_until is null or avoided_until <= clock_timestamp())`,
    [baseMs, maxMs, id],
  )
}

/**
 * Stops the avoidance, after the account has taken a message. If it had failed for longer than `briefMs`, it counts as
 * recovered.
 */
export async function endAvoiding(db: Database, id: string, briefMs: number): Promise<void> {
  await db.raw(
    `update carrier_accounts
     set avoided_until = null, avoided_count = 0, failing_since = null,
         recovered_at = case when failing_since <= clock_timestamp() - make_interval(secs => ?)
           then clock_timestamp() else recovered_at end
     where id = ? and avoided_count > 0`,
    [briefMs / 1000, id],
  )
}

/** True if there is an account of one of these kinds. */
export async function hasAccounts(db: Database, kinds: readonly string[]): Promise<boolean> {
  const row = await db('carrier_accounts')
    .whereIn('kind', [...kinds])
    .first<{ id: string } | undefined>('id')
  return row !== undefined
}

/** Lists those of the lines whose account is of one of these kinds. */
export async function listLinesAt(
  db: Database,
  lineIds: readonly string[],
  kinds: readonly string[],
): Promise<{ lineId: string; accountId: string }[]> {
  const { rows } = await db.raw<{ rows: { lineId: string; accountId: string }[] }>(
    `select l.id as "lineId", a.id as "accountId" from lines l join carrier_accounts a on a.name = l.carrier
     where l.id = any (?::uuid[]) and a.kind = any (?)`,
    [[...lineIds], [...kinds]],
  )
  return rows
}

/** The kinds of the accounts with these names, in the order of the names. */
export async function listKindsOf(db: Database, names: readonly string[]): Promise<string[]> {
  const rows = await db('carrier_accounts')
    .whereIn('name', [...names])
    .select<{ name: string; kind: string }[]>('name', 'kind')
  const kinds = new Map(rows.map(({ name, kind }) => [name, kind]))
  return names.flatMap((name) => kinds.get(name) ?? [])
}

/** The languages whose tables the accounts with these names may use, in the order of the names. */
export async function listLanguagesOf(db: Database, names: readonly string[]): Promise<AccountTable[][]> {
  const rows = await db('carrier_accounts')
    .whereIn('name', [...new Set(names)])
    .select<{ name: string; languages: AccountTable[] }[]>('name', 'languages')
  const languages = new Map(rows.map((row) => [row.name, row.languages]))
  return names.map((name) => languages.get(name) ?? [])
}
