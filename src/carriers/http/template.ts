import { createRequire } from 'node:module'
import type * as liquidjs from 'liquidjs'

/** The values that a template may use, as `{{ to }}`. An empty text means that the message has none. */
export type Values = Readonly<Record<'from' | 'to' | 'text' | 'mediaUrl' | 'id', string>>

const NAMES = ['from', 'to', 'text', 'mediaUrl', 'id'] as const

/** An operator wrote the template: the bounds guard against mistakes, such as a loop of a million. */
const BOUNDS = { parseLimit: 20_000, renderLimit: 200, memoryLimit: 500_000 }

/**
 * Loaded with the first template, rather than in each process that knows this kind of carrier, because it takes 9 MB.
 */
const engines = once(() => {
  const { Liquid } = createRequire(import.meta.url)('liquidjs') as typeof liquidjs
  return {
    plain: new Liquid(BOUNDS),
    /** In XML, values are escaped so that they cannot end an element. */
    escaping: new Liquid({ ...BOUNDS, outputEscape: 'escape' }),
  }
})

/**
 * Finds what is wrong with a template: the engine's error, or a name that does not exist. Returns undefined if there is
 * none.
 *
 * @param names the names that exist
 */
export function faultOfTemplate(template: string, names: readonly string[] = NAMES): string | undefined {
  const { plain } = engines()
  try {
    const unknown = plain.globalVariablesSync(plain.parse(template)).filter((name) => !names.includes(name))
    if (unknown.length === 0) return undefined
    const written = (each: readonly string[]) => each.map((name) => `{{${name}}}`).join(', ')
    return `unknown ${written(unknown)}. Use only ${written(names)}`
  } catch (error) {
    return (error as Error).message.split('\n')[0]
  }
}

/** Fills in a single text. */
export function fillText(template: string, values: Readonly<Record<string, unknown>>): string {
  return engines().plain.parseAndRenderSync(template, values) as string
}

/** An XML element without attributes whose content is only placeholders. */
const FIELD = /<([\w:.-]+)>(\s*(?:\{\{[^{}]*\}\}\s*)+)<\/\1\s*>/g

/** Fills in a whole XML document; the values are escaped. An element of placeholders that comes out empty is left out. */
export function fillXml(template: string, values: Values): string {
  const shape = template.replace(FIELD, (element, _name, content: string) =>
    fillText(content, values).trim() === '' ? '' : element,
  )
  return engines().escaping.parseAndRenderSync(shape, values) as string
}

/**
 * Fills in JSON. Values go into the texts of the template after it was parsed, so that no quote or newline of a
 * message can change its structure. A text with placeholders that comes out empty is left out.
 */
export function fillJson(template: string, values: Values): object {
  const shape: unknown = template.trim() === '' ? Object.fromEntries(standard()) : JSON.parse(template)
  return fillAll(shape, values) ?? {}
}

/** Fills in a form or a query by the same rules. */
export function fillFields(template: string, values: Values): Record<string, string> {
  const fields = template.trim() === '' ? standard() : [...new URLSearchParams(template.trim())]
  return Object.fromEntries(
    fields.flatMap(([name, text]) => {
      const filled = fillOrLeave(text, values)
      return filled === undefined ? [] : [[name, filled]]
    }),
  )
}

function standard(): [string, string][] {
  return NAMES.map((name) => [name, `{{ ${name} }}`])
}

function fillAll(shape: unknown, values: Values): unknown {
  if (typeof shape === 'string') return fillOrLeave(shape, values)
  if (Array.isArray(shape)) {
    return shape.map((each) => fillAll(each, values)).filter((each) => each !== undefined)
  }
  if (typeof shape !== 'object' || shape === null) return shape
  const filled = Object.entries(shape).map(([name, each]) => [name, fillAll(each, values)] as const)
  return Object.fromEntries(filled.filter(([, each]) => each !== undefined))
}

function fillOrLeave(text: string, values: Values): string | undefined {
  const filled = fillText(text, values)
  return filled === '' && text !== '' ? undefined : filled
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
