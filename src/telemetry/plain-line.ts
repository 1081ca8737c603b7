import type { Logger } from 'pino'
import { isId } from '../ids.js'

declare const isPlain: unique symbol

/** Text of ours from its first character to its last: nothing in it was said by anybody. */
export type PlainText = string & { readonly [isPlain]: true }

/** What is neither a secret nor content by its type. A `string` is not among it. */
export type PlainFields = Readonly<Record<string, number | boolean | PlainText | undefined>>

/** A word that stands in the source. */
export function word<const Word extends string>(text: string extends Word ? never : Word): PlainText {
  return text as string as PlainText
}

/** The path of a request that has found a route, when all that varies in it is an id that is in our database. */
export function pathOfOurs(path: string): PlainText {
  return path as PlainText
}

/** An id as we make them; what is none is not written. */
export function idOf(id: string): PlainText {
  return (isId(id) ? id : '[cut]') as PlainText
}

const unguarded = new WeakMap<object, Logger>()

/** Notes the logger that writes where `log` does, without cutting anything out. */
export function setUnguarded(log: Logger, plain: Logger): void {
  unguarded.set(log, plain)
}

/**
 * A line in which nothing has to be cut: ids, counts and words of ours. What cuts looks at every field and every
 * character, and is most of what a line costs, so lines of the hot paths are written without it. Their types keep
 * everything else out.
 */
export function logPlain(log: Logger, fields: PlainFields, message: string): void {
  ;(unguarded.get(log) ?? log).info(fields, message)
}
