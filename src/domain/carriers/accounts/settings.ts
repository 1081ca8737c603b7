import * as yup from 'yup'
import type { CarrierKind } from '../../../carriers/kind.js'
import { UserError } from '../../../errors.js'

/** One setting of a kind, as a form or a table shows it. */
export interface SettingField {
  key: string
  /** The description, a sentence. */
  about: string
  type: 'text' | 'number' | 'boolean'
  /** The allowed values; if empty, any value of its type is allowed. */
  options: string[]
  isSecret: boolean
  isRequired: boolean
  /** True for a text of several lines, such as a certificate. */
  isMultiline: boolean
  /** True if empty is a value in its own right, different from the default: "the carrier has no such field". */
  mayBeEmpty: boolean
  standard: string | undefined
}

/** A field with the account's value. */
export interface SettingView extends SettingField {
  isSet: boolean
  /** The value; never a secret's. */
  value: string | undefined
}

type Setting = string | number | boolean

interface SettingMeta {
  about?: string
  secret?: boolean
  multiline?: boolean
  mayBeEmpty?: boolean
}

/** Lists a kind's settings in the order of its schema. */
export function listSettingFields({ settings }: CarrierKind): SettingField[] {
  return Object.entries(settings.describe().fields).map(([key, description]) => {
    const field = description as yup.SchemaDescription & { default?: Setting | null }
    const { about = '', secret = false, multiline = false, mayBeEmpty = false } = metaOf(field)
    return {
      key,
      about,
      type: field.type === 'number' || field.type === 'boolean' ? field.type : 'text',
      options: field.oneOf.filter((option) => option != null).map(String),
      isSecret: secret,
      isRequired: !field.optional,
      isMultiline: multiline,
      mayBeEmpty,
      // A secret that is generated differs each time.
      standard: secret || field.default == null ? undefined : String(field.default),
    }
  })
}

/** Returns an account's settings, without its secrets. */
export function showSettings(kind: CarrierKind, settings: object): SettingView[] {
  return listSettingFields(kind).map((field) => {
    const value = (settings as Record<string, Setting | null | undefined>)[field.key]
    const isSet = value != null && (value !== '' || field.mayBeEmpty)
    return { ...field, isSet, value: isSet && !field.isSecret ? String(value) : undefined }
  })
}

/** Describes an account's settings for the audit log; for a secret, only that there is one. */
export function describeSettings(kind: CarrierKind, settings: object): string[] {
  return showSettings(kind, settings)
    .filter(({ isSet }) => isSet)
    .map(({ key, value }) => (value === undefined ? `${key} (secret)` : `${key}=${value}`))
}

/**
 * Reads settings as a user wrote them. Empty ones count as left out, unless empty is a value of theirs.
 *
 * @throws UserError naming every invalid setting, and no value
 */
export function readSettings({ title, settings }: CarrierKind, written: Record<string, unknown>): object {
  const known = Object.keys(settings.fields)
  const unknown = Object.keys(written).filter((key) => !known.includes(key))
  if (unknown.length > 0) {
    throw new UserError(`${title} has no setting ${unknown.join(', ')}. Its settings are ${known.join(', ')}`)
  }
  const mayBeEmpty = (key: string) => metaOf((settings.fields[key] as yup.AnySchema).describe()).mayBeEmpty
  const given = Object.entries(written)
    .map(([key, value]) => [key, typeof value === 'string' ? value.trim() : value] as const)
    .filter(([key, value]) => (value === '' ? mayBeEmpty(key) : value != null))
  try {
    return settings.validateSync(Object.fromEntries(given), { abortEarly: false })
  } catch (error) {
    if (!(error instanceof yup.ValidationError)) throw error
    throw new UserError(error.inner.map((fault) => explain(fault, settings)).join('; '))
  }
}

function metaOf({ meta }: yup.SchemaDescription): SettingMeta {
  return meta ?? {}
}

/** Names the field. yup's own words are replaced if they would quote the value, which may be a secret. */
function explain({ path = '', message }: yup.ValidationError, { fields }: yup.AnyObjectSchema): string {
  if (message === `${path} is a required field`) {
    const { about } = metaOf((fields[path] as yup.AnySchema).describe())
    return `${path} is required${about === undefined ? '' : `: ${about.replace(/\.$/, '')}`}`
  }
  const wanted = /must be a `(\w+)` type/.exec(message)?.[1]
  const words = wanted === undefined ? message : `must be ${TYPES[wanted] ?? `a ${wanted}`}`
  return words.includes(path) ? words : `${path} ${words}`
}

const TYPES: Record<string, string> = { boolean: 'true or false', number: 'a number', string: 'text' }
