import type { Vocabulary } from '../../vocabulary.js'

/**
 * Translates a description to the product word. `{line}`, `{lines}` and `{Line}` stand for it in every sentence and
 * name; fields and parameters that are called `lineId` or `lineIds`, and paths, are spelled with it.
 */
export function inProductWord<T>(described: T, vocabulary: Vocabulary): T {
  const { word, idField } = vocabulary
  const forms: Record<string, string> = {
    '{line}': word,
    '{lines}': `${word}s`,
    '{Line}': word.charAt(0).toUpperCase() + word.slice(1),
  }
  const spell = (text: string) =>
    text.startsWith('/')
      ? vocabulary.path(text)
      : text
          .replace(/^lineId(?=s?$)/, idField)
          .replace(/\{(?:line|lines|Line)\}/g, (form) => forms[form] ?? form)
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return spell(value)
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [spell(name), walk(inner)]))
  }
  return walk(described) as T
}
