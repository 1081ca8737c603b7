import * as yup from 'yup'
import { CARRIER_KINDS } from '../carriers/registry.js'
import {
  findCarrierAccount,
  insertCarrierAccount,
  type CarrierAccount,
  type CarrierAccountFields,
} from '../database/carrier-accounts.js'
import { available } from '../database/connection.js'
import { UserError } from '../errors.js'
import { newId } from '../ids.js'
import { settingsPlace } from './carriers.js'
import type { Context } from './context.js'

export interface NewCarrierAccount extends Partial<CarrierAccountFields> {
  name: string
  kind: string
  /** As its kind's schema has them. */
  settings: Record<string, unknown>
}

/**
 * For operators: an account at a carrier. Its settings are encrypted at rest.
 *
 * @throws UserError naming the field; 409 when the name is taken
 */
export async function addCarrierAccount(
  { db, secrets }: Context,
  { name, kind, settings, ...given }: NewCarrierAccount,
): Promise<CarrierAccount> {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
    throw new UserError('name must be 1 to 40 lower-case letters, digits and dashes')
  }
  const definition = CARRIER_KINDS.get(kind)
  if (definition === undefined || kind === 'simulator') {
    const kinds = [...CARRIER_KINDS.keys()].filter((each) => each !== 'simulator')
    throw new UserError(`kind must be one of ${kinds.join(', ')}`)
  }
  const id = newId()
  const sealed = secrets.seal(JSON.stringify(readSettings(kind, settings)), settingsPlace(id))
  const account = { ...definition.defaults, ...given, id, name, kind, settingsSealed: sealed }
  const isNew = await available(() => insertCarrierAccount(db, account))
  if (!isNew) throw new UserError(`there is a carrier account ${name} already`, 409)
  return getCarrierAccount({ db }, name)
}

/** @throws UserError 404 */
export async function getCarrierAccount({ db }: Pick<Context, 'db'>, name: string): Promise<CarrierAccount> {
  const account = await available(() => findCarrierAccount(db, { name }))
  if (account === undefined) throw new UserError(`no carrier account is named ${name}`, 404)
  return account
}

/** @throws UserError naming every setting that is wrong */
function readSettings(kind: string, settings: Record<string, unknown>): object {
  try {
    return CARRIER_KINDS.get(kind)?.settings.noUnknown().validateSync(settings, { abortEarly: false }) ?? {}
  } catch (error) {
    if (!(error instanceof yup.ValidationError)) throw error
    throw new UserError(error.errors.join('; '))
  }
}
