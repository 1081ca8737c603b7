import type { Database } from '../connection.js'
import type { KeptPhones } from './phones.js'

/** A line's home: an account at a carrier. */
export interface CarrierAccount {
  id: string
  /** Unique and for good; lines and message ids refer to it. */
  name: string
  /** Which implementation in `src/carriers`. */
  kind: string
  /** Counts the changes of the settings. */
  version: number
  /** Messages of all its lines together; null: no limit. */
  messagesPerSecond: number | null
  messagesPerSecondPerLine: number | null
  /** The carrier itself answers STOP, START and HELP. */
  handlesOptOut: boolean
  createdAt: Date
  /** null: never. */
  lastTestedAt: Date | null
  /** What was wrong then, in words; null: it worked. */
  lastTestFault: string | null
  /** The version that was tested: the settings may be others by now. */
  lastTestedVersion: number | null
  /** When an operator paused what its lines send; null when it goes on. */
  pausedAt: Date | null
  /** A user's id; null: the command line. */
  pausedBy: string | null
  phones: KeptPhones
}

/** An account as it was when it was looked up. */
export type AccountVersion = Pick<CarrierAccount, 'id' | 'version'>

export type CarrierAccountFields = Pick<
  CarrierAccount,
  'messagesPerSecond' | 'messagesPerSecondPerLine' | 'handlesOptOut'
>

const COLUMNS = {
  id: 'id',
  name: 'name',
  kind: 'kind',
  version: 'version',
  messagesPerSecond: 'messages_per_second',
  messagesPerSecondPerLine: 'messages_per_second_per_line',
  handlesOptOut: 'handles_opt_out',
  createdAt: 'created_at',
  lastTestedAt: 'last_tested_at',
  lastTestFault: 'last_test_fault',
  lastTestedVersion: 'last_tested_version',
  pausedAt: 'paused_at',
  pausedBy: 'paused_by',
  phones: 'phones',
}

/** @returns false when there is an account of this name */
export async function insertCarrierAccount(
  db: Database,
  account: CarrierAccountFields & Pick<CarrierAccount, 'id' | 'name' | 'kind'> & { settingsSealed: Buffer },
): Promise<boolean> {
  const inserted = await db('carrier_accounts')
    .insert({
      id: account.id,
      name: account.name,
      kind: account.kind,
      settings_sealed: account.settingsSealed,
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
  return db('carrier_accounts').where(by).first<CarrierAccount | undefined>(COLUMNS)
}

/** All, or those of one kind, by name. */
export async function listCarrierAccounts(db: Database, kind?: string): Promise<CarrierAccount[]> {
  return db('carrier_accounts')
    .modify((query) => {
      if (kind !== undefined) void query.where({ kind })
    })
    .select<CarrierAccount[]>(COLUMNS)
    .orderBy('name')
}

/** undefined: there is no such account, or its kind has no settings. */
export async function findSealedSettings(db: Database, id: string): Promise<Buffer | undefined> {
  const row = await db('carrier_accounts')
    .where({ id })
    .first<{ sealed: Buffer | null } | undefined>({ sealed: 'settings_sealed' })
  return row?.sealed ?? undefined
}

export type SealedAccount = AccountVersion & Pick<CarrierAccount, 'name' | 'kind'> & { sealed: Buffer }

/** Finds accounts with their settings as they were with that version, in the order of the ids. */
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
 * @param version that the change was made of: two changes at the same time do not mix
 * @param changes.settingsSealed left out: they stay
 * @returns false when there is no such account, or it was changed meanwhile
 */
export async function updateCarrierAccount(
  db: Database,
  { id, version }: { id: string; version: number },
  { settingsSealed, ...fields }: CarrierAccountFields & { settingsSealed?: Buffer },
): Promise<boolean> {
  const count = await db('carrier_accounts')
    .where({ id, version })
    .update({
      ...(settingsSealed === undefined ? {} : { settings_sealed: settingsSealed }),
      messages_per_second: fields.messagesPerSecond,
      messages_per_second_per_line: fields.messagesPerSecondPerLine,
      handles_opt_out: fields.handlesOptOut,
      version: version + 1,
    })
  return count > 0
}

/** How a test of this version of the account went; of another version it would say nothing. */
export async function recordCarrierTest(
  db: Database,
  { id, version }: { id: string; version: number },
  fault: string | null,
): Promise<void> {
  await db('carrier_accounts')
    .where({ id, version })
    .update({ last_tested_at: db.fn.now(), last_test_fault: fault, last_tested_version: version })
}

/** Only one without lines. @returns false when it has some, or there is no such account */
export async function deleteCarrierAccount(db: Database, id: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `delete from carrier_accounts a where a.id = ? and not exists (
       select 1 from lines l where is_line_at(l.carrier, l.routes, a.name))
     returning a.id`,
    [id],
  )
  return rows.length > 0
}

/**
 * Lines that have another route do not send by the account for so long. Does nothing while that is so already: of many
 * messages that it fails at once, one counts.
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
         avoided_count = avoided_count + 1
     where id = ? and (avoided_until is null or avoided_until <= clock_timestamp())`,
    [baseMs, maxMs, id],
  )
}

/** It has taken a message. */
export async function endAvoiding(db: Database, id: string): Promise<void> {
  await db('carrier_accounts').where({ id }).update({ avoided_until: null, avoided_count: 0 })
}

/** Whether there is an account of one of these kinds. */
export async function hasAccounts(db: Database, kinds: readonly string[]): Promise<boolean> {
  const row = await db('carrier_accounts')
    .whereIn('kind', [...kinds])
    .first<{ id: string } | undefined>('id')
  return row !== undefined
}

/** Those of the lines whose account is of one of these kinds. */
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
