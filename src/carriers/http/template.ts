/** What a template may have, as `{{to}}`. null: the message has none. */
export type Values = Record<'from' | 'to' | 'text' | 'mediaUrl' | 'id', string | null>

const NAMES = new Set(['from', 'to', 'text', 'mediaUrl', 'id'])
const PLACEHOLDER = /\{\{\s*(\w*)\s*\}\}/g

export function unknownPlaceholders(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name).filter((name) => !NAMES.has(name))
}

/**
 * A request's body. Values are filled into the texts of the template after it was read, so that no quote, ampersand or
 * newline of a message can become a part of its form. A field that is nothing but a placeholder without a value is left
 * out.
 */
export function fillBody(template: string, format: 'json' | 'form', values: Values): string {
  if (format === 'form') {
    const fields = template.trim() === '' ? formOf() : [...new URLSearchParams(template.trim())]
    return new URLSearchParams(
      fields.flatMap(([name, text]) => {
        const filled = fill(text, values)
        return filled === undefined ? [] : [[name, filled]]
      }),
    ).toString()
  }
  const shape: unknown = template.trim() === '' ? Object.fromEntries(formOf()) : JSON.parse(template)
  return JSON.stringify(fillAll(shape, values))
}

function formOf(): [string, string][] {
  return [...NAMES].map((name) => [name, `{{${name}}}`])
}

function fillAll(shape: unknown, values: Values): unknown {
  if (typeof shape === 'string') return fill(shape, values)
  if (Array.isArray(shape)) {
    return shape.map((each) => fillAll(each, values)).filter((each) => each !== undefined)
  }
  if (typeof shape !== 'object' || shape === null) return shape
  return Object.fromEntries(Object.entries(shape).map(([name, each]) => [name, fillAll(each, values)]))
}

/** undefined: it is one placeholder, which has no value. */
function fill(text: string, values: Values): string | undefined {
  const [whole, name] = /^\{\{\s*(\w*)\s*\}\}$/.exec(text.trim()) ?? []
  if (whole !== undefined) return valueOf(values, name) ?? undefined
  return text.replace(PLACEHOLDER, (_, each: string) => valueOf(values, each) ?? '')
}

function valueOf(values: Values, name = ''): string | null {
  return NAMES.has(name) ? values[name as keyof Values] : null
}
