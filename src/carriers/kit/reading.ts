/** Readers of what others wrote. None of them throws, because a field may be anything. */

/** What is at `data.0.id` of a value; undefined where nothing is. Own properties only. */
export function at(value: unknown, path: string): unknown {
  if (path === '') return undefined
  let found = value
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

/** What is at the path, as text; '' where there is none. */
export function textAt(value: unknown, path: string): string {
  const found = at(value, path)
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
    ? String(found)
    : ''
}

/** What is at the path, as a list: nothing is none, and one thing that is no list is a list of one. */
export function listAt(value: unknown, path: string): unknown[] {
  const found = at(value, path)
  return found === undefined || found === null || found === '' ? [] : [found].flat()
}

/** The texts in what is at the path, which is one or a list. With `key` they are in a list of objects. */
export function textsAt(value: unknown, path: string, key?: string): string[] {
  return listAt(value, path)
    .map((each) => (key === undefined ? each : at(each, key)))
    .filter((each): each is string => typeof each === 'string' && each !== '')
}

/** A table's entry for a word that others wrote; undefined for one that it has not. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, word: string): Entry | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
