import type { Context as KoaContext } from 'koa'
import { UNKEPT, fieldNames, fieldOf, valuesOf } from './form-values.js'

export interface FormFault {
  action: string
  message: string
  /** The field that the message is about, if it begins with one. */
  field: FaultyField | undefined
  /** The fields as they were typed, several of one name line by line; never passwords and other secrets. */
  fields: Record<string, string>
  /** The names of the fields that were filled in and are empty again, because no page keeps them. */
  unkept: readonly string[]
  /** True if nothing on the page shows it: its form is gone, or has no place for it. Then it stands above the page. */
  isStray?: boolean
  /** True if the form was not looked at, because its token was that of a page made before another tab got a new one. */
  isOutOfDate?: boolean
}

interface FaultyField {
  name: string
  /** The field sets this when it is rendered: only then is it known. */
  label?: string
  /** The message without the field's name. */
  rest: string
}

export interface FaultState {
  fault?: FormFault
}

/** Notes what was wrong, which the answer shows at the form that was sent, with the typed fields in it. */
export function setFault(ctx: KoaContext, said: string, more: Pick<FormFault, 'isOutOfDate'> = {}): void {
  const message = said.replace(IN_BRACKETS, '')
  const field = fieldIn(message, fieldNames(ctx))
  ;(ctx.state as FaultState).fault = {
    action: ctx.path,
    message:
      field === undefined
        ? message.replace(API_NAME, (name) => fieldLabel(name))
        : `${spellingsOf(field.name)[1]}${field.rest}`,
    field,
    fields: typedFields(ctx.request.body),
    unkept: unkeptOf(ctx),
    ...more,
  }
}

/** Marks the place that shows why a form was refused. A page may have other alerts. */
export const REFUSAL = { 'data-refusal': 'true' }

/** A message about a field that has another name in this form begins with such a word. */
const API_NAME = /^[a-z]+[A-Z][A-Za-z]*(?=:? )/

/** A sentence may name another field of the API in brackets. */
const IN_BRACKETS = / \([a-z]+[A-Z][A-Za-z]*\)/g

/** Returns the message with the field's label, as people read it in the form. */
export function messageOf({ field, message }: FormFault): string {
  return field?.label === undefined ? message : `${field.label}${field.rest}`
}

/** Returns what is wrong with a field, for a place below its label; and notes that label for the form's head. */
export function faultAt(fault: FormFault | undefined, name: string, label: string): string | undefined {
  const field = fault?.field
  if (field?.name !== name) return undefined
  // A question cannot be the subject of a sentence.
  field.label = label.endsWith('?') ? spellingsOf(name)[1] : label.replace(/( \(|\. ).*$/s, '')
  const words = field.rest.replace(/^:? (is )?/, '')
  return /^[a-z]+ /.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words
}

/** The domain names a field as the API does, and so do most forms. */
function fieldIn(message: string, names: readonly string[]): FaultyField | undefined {
  const found = names.flatMap((name) =>
    spellingsOf(name)
      .filter((each) => new RegExp(`^${each}(?=:? )`, 'i').test(message))
      .map((each) => ({ name, rest: message.slice(each.length) })),
  )
  // A carrier's settings may include one with the name of another field.
  return found.find(({ name, rest }) => name.length + rest.length === message.length) ?? found[0]
}

/** @returns the API's name first, then as in a label */
function spellingsOf(name: string): [string, string] {
  const own = name.replace(/^(setting-|secret-|secret(?=[A-Z])|new(?=[A-Z]))/, '').replace(/\W/g, '')
  return [own, fieldLabel(own)]
}

/** Returns the label of a field in a form that is not rendered. */
export function labelOfField(name: string): string {
  return spellingsOf(name)[1]
}

const ABBREVIATION = /\b(api|id|npi|sid|tls|ton|uri|url)(?=s?\b)/g

/** Makes a label such as `Account SID` from `accountSid`. */
export function fieldLabel(key: string): string {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(ABBREVIATION, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function typedFields(body: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries((body ?? {}) as Record<string, unknown>)
      .map(([name, value]) => [name, Array.isArray(value) ? value.join('\n') : value] as const)
      .filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string' && !isKeptFromPages(entry[0]),
      ),
  )
}

/** True for a field whose value never comes back in a page. `Field` limits passwords and secrets to these names. */
export function isKeptFromPages(name: string): boolean {
  return /password|secret|csrf/i.test(name)
}

/**
 * Returns the names of the fields that were filled in, and that no page keeps: passwords, other secrets and files.
 * A question that came between the form and its act has carried their names (`Typed`).
 *
 * @param but the names of fields that belong to that question
 */
export function unkeptOf(ctx: KoaContext, but: readonly string[] = []): string[] {
  const { files } = ctx.request as { files?: Record<string, unknown> }
  const secrets = fieldNames(ctx).filter(
    (name) => name !== 'csrf' && isKeptFromPages(name) && valuesOf(ctx, name).some((value) => value !== ''),
  )
  const before = fieldOf(ctx, UNKEPT).split(' ')
  return [...before, ...secrets, ...Object.keys(files ?? {})].filter(
    (name) => name !== '' && !but.includes(name),
  )
}
