import { distance } from 'fastest-levenshtein'
import { UserError } from '../../errors.js'

/** The fields that a request may have, and their own fields; without `fields` any are allowed. */
export interface Known {
  fields?: ReadonlyMap<string, Known>
  /** The fields of each element of a list. */
  items?: Known
}

/** No more faults than this are named: the body is the sender's, and may have thousands. */
export const MAX_TOLD = 5
/** No more of a name than this is shown. */
const MAX_SHOWN = 60
/** A name is suggested for another one if no more than every third letter differs. */
const LETTERS_FOR_ONE_MISTAKE = 3

/**
 * The search ends with the last that is named: each is compared with all known fields, and thousands take seconds.
 *
 * @param what what the fields are to the reader
 * @throws UserError naming the first unknown fields, and the ones that were probably meant
 */
export function refuseUnknown(
  written: unknown,
  known: Known,
  what: 'field' | 'query parameter' = 'field',
): void {
  const found: string[] = []
  for (const refusal of unknownIn(written, known, '', what)) if (found.push(refusal) === MAX_TOLD) break
  if (found.length > 0) throw new UserError(found.join('; '))
}

/** Makes fields of which only the names are known. */
export function knownNames(names: readonly string[]): Known {
  return { fields: new Map(names.map((name) => [name, {}])) }
}

/** Searches only as far as a reader would read. */
function* unknownIn(
  written: unknown,
  { fields, items }: Known,
  path: string,
  what: string,
): Generator<string> {
  if (typeof written !== 'object' || written === null) return
  if (Array.isArray(written)) {
    if (items === undefined) return
    for (const [index, each] of written.entries()) yield* unknownIn(each, items, `${path}[${index}]`, what)
    return
  }
  if (fields === undefined) return
  const prefix = path === '' ? '' : `${path}.`
  for (const [name, value] of Object.entries(written)) {
    const inner = fields.get(name)
    if (inner === undefined) yield refusalOf(prefix, name, [...fields.keys()], what)
    else yield* unknownIn(value, inner, prefix + name, what)
  }
}

function refusalOf(prefix: string, name: string, known: readonly string[], what: string): string {
  const shown = prefix + (name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN).toWellFormed()}…` : name)
  const meant = nearest(name, known)
  if (meant !== undefined) return `${shown} is not a known ${what}. Did you mean ${prefix}${meant}?`
  return known.length === 0
    ? `${shown} is not a known ${what}. Remove it`
    : `${shown} is not a known ${what}. The known ${what}s are ${known.join(', ')}`
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const written = plain(name.slice(0, MAX_SHOWN))
  const [best] = known
    .map((each) => ({ each, mistakes: mistakesBetween(written, plain(each)) }))
    .filter(({ each, mistakes }) => mistakes <= Math.max(1, each.length / LETTERS_FOR_ONE_MISTAKE))
    .sort((one, other) => one.mistakes - other.mistakes)
  return best?.each
}

/** Letters in the wrong order (`txet`) are one mistake. */
function mistakesBetween(written: string, meant: string): number {
  return written !== meant && lettersOf(written) === lettersOf(meant) ? 1 : distance(written, meant)
}

function lettersOf(name: string): string {
  return Array.from(name).sort().join('')
}

/** Makes `media_url` equal to `mediaUrl`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_\s-]/g, '')
}
