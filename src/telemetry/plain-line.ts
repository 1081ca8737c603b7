import type { Logger } from 'pino'
import { isId } from '../ids.js'

declare const isPlain: unique symbol

/** Text that is ours from the first character to the last, without a word from outside. */
export type PlainText = string & { readonly [isPlain]: true }

/** Values that by their types are neither secrets nor content. A `string` is not one of them. */
export type PlainFields = Readonly<Record<string, number | boolean | PlainText | undefined>>

/** A literal word of the source code. */
export function word<const Word extends string>(text: string extends Word ? never : Word): PlainText {
  return text as string as PlainText
}

/** The path of a request that matched a route, if the only part that varies is an id from our database. */
export function pathOfOurs(path: string): PlainText {
  return path as PlainText
}

/** An id as we make them; any other text is not written. */
export function idOf(id: string): PlainText {
  return (isId(id) ? id : '[cut]') as PlainText
}

const unguarded = new WeakMap<object, Logger>()

/** Registers the logger that writes to the same output as `log` without cutting anything out. */
export function setUnguarded(log: Logger, plain: Logger): void {
  unguarded.set(log, plain)
}

/**
 * Writes a line in which nothing has to be cut: ids, counts and words of ours. The cutting looks at every field and
 * every character, and is most of what a line costs, so lines of the hot paths are written without it. Their types
 * keep everything else out.
 */
export function logPlain(log: Logger, fields: PlainFields, message: string): void {
  ;(unguarded.get(log) ?? log).info(fields, message)
}
