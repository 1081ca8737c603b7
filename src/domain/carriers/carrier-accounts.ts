import {
  deleteCarrierAccount,
  findCarrierAccount,
  insertCarrierAccount,
  listCarrierAccounts as selectAccounts,
  type CarrierAccount,
  type CarrierAccountFields,
} from '../../database/carriers/carrier-accounts.js'
import { transaction } from '../../database/connection.js'
import { listCarrierSessions, type CarrierSessions } from '../../database/carriers/carrier-sessions.js'
import type { ListedSessions } from './accounts/sessions.js'
import { countLinesOfCarriers } from '../../database/lines/lines.js'
import { UserError } from '../../errors.js'
import { isId, newId } from '../../ids.js'
import { record } from '../operating/audit.js'
import { readAccountFields, readAccountName } from './accounts/account-fields.js'
import { getCarrierKind, requireChangeable } from './accounts/kinds.js'
import { describeSettings, readSettings } from './accounts/settings.js'
import { storedSettings } from './carrier-settings.js'
import type { Context } from '../context.js'

export type { CarrierAccount } from '../../database/carriers/carrier-accounts.js'

export interface NewCarrierAccount extends Partial<CarrierAccountFields> {
  name: string
  kind: string
  /** The settings in the form of the kind's schema. */
  settings: Record<string, unknown>
}

export interface ListedCarrierAccount extends CarrierAccount {
  /** The kind's name for people, such as `Twilio`. */
  title: string
  lineCount: number
  /** null if its kind has none. */
  sessions: ListedSessions | null
  /** True if its kind sends by phones. */
  hasPhones: boolean
}

const NEVER_HELD: CarrierSessions = {
  isHeld: false,
  version: null,
  boundCount: 0,
  sessionCount: 0,
  changedAt: null,
  lastError: null,
  lastErrorAt: null,
  details: null,
}

/**
 * Adds an account at a carrier, for operators. Its settings are encrypted at rest.
 *
 * @throws UserError naming the field; 409 if the name is taken
 */
export async function addCarrierAccount(
  context: Context,
  { name: writtenName, kind, settings, ...fields }: NewCarrierAccount,
): Promise<CarrierAccount> {
  const name = readAccountName(writtenName)
  const definition = getCarrierKind(context, kind)
  const id = newId()
  const validated = readSettings(definition, settings)
  const account = {
    ...definition.defaults,
    ...readAccountFields(fields),
    id,
    name,
    kind,
    ...storedSettings(context, { id, kind: definition }, validated),
  }
  // It is read here: after the commit, an outage would look as if there were no account.
  return transaction(context.db, async (trx) => {
    if (!(await insertCarrierAccount(trx, account))) {
      throw new UserError(`There is already a carrier account named ${name}`, 409)
    }
    const { messagesPerSecond, messagesPerSecondPerLine, handlesOptOut } = account
    await record(context, trx, {
      action: 'carrier_account.added',
      subjectId: id,
      after: {
        ...{ name, kind, messagesPerSecond, messagesPerSecondPerLine, handlesOptOut },
        settings: describeSettings(definition, validated),
      },
    })
    return getCarrierAccount({ db: trx }, name)
  })
}

/** Lists all of them, by name. */
export async function listAccountOverviews({
  db,
  carriers,
}: Pick<Context, 'db' | 'carriers'>): Promise<ListedCarrierAccount[]> {
  const [accounts, lineCounts, sessions] = await Promise.all([
    selectAccounts(db),
    countLinesOfCarriers(db),
    listCarrierSessions(db),
  ])
  return accounts.map((account) => {
    const kind = carriers.kinds.get(account.kind)
    return {
      ...account,
      title: kind?.title ?? account.kind,
      lineCount: lineCounts.get(account.name) ?? 0,
      hasPhones: kind?.hasPhones === true,
      sessions: kind?.listen
        ? { ...(sessions.get(account.id) ?? NEVER_HELD), word: kind.sessionWord ?? 'bound' }
        : null,
    }
  })
}

/** @throws UserError 404 */
export async function getCarrierAccount({ db }: Pick<Context, 'db'>, name: string): Promise<CarrierAccount> {
  const account = await findCarrierAccount(db, { name })
  if (account === undefined)
    throw new UserError(`No carrier account is named ${name}. See \`linehook carrier list\``, 404)
  return account
}

/** @throws UserError 404 */
export async function getCarrierAccountById(
  { db }: Pick<Context, 'db'>,
  id: string,
): Promise<CarrierAccount> {
  const account = isId(id) ? await findCarrierAccount(db, { id }) : undefined
  if (account === undefined) throw new UserError('No such carrier account', 404)
  return account
}

/** @throws UserError 404; 409 while lines are at it, and for the simulator */
export async function removeCarrierAccount(
  context: Pick<Context, 'db' | 'actor'>,
  account: CarrierAccount,
): Promise<void> {
  const { id, name, kind } = account
  requireChangeable(account)
  await transaction(context.db, async (trx) => {
    if (!(await deleteCarrierAccount(trx, id))) {
      await getCarrierAccountById({ db: trx }, id)
      throw new UserError(`${name} still has lines, so it cannot be removed. Pause its sending instead`, 409)
    }
    await record(context, trx, {
      action: 'carrier_account.removed',
      subjectId: id,
      before: { name, kind },
    })
  })
}
