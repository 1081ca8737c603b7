/** Readers of data from outside. None of them throws, because a field may be anything. */

/** Reads the value at a path such as `data.0.id`; undefined if there is none. Only own properties count. */
export function at(value: unknown, path: string): unknown {
  if (path === '') return undefined
  let found = value
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

/** Reads the value at the path as text; '' if there is none. */
export function textAt(value: unknown, path: string): string {
  const found = at(value, path)
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
    ? String(found)
    : ''
}

/** Reads the value at the path as a list: a missing one is an empty list, and a single value a list of one. */
export function listAt(value: unknown, path: string): unknown[] {
  const found = at(value, path)
  return found === undefined || found === null || found === '' ? [] : [found].flat()
}

/** Reads the texts at the path, which is one text or a list. With `key` they are in a list of objects. */
export function textsAt(value: unknown, path: string, key?: string): string[] {
  return listAt(value, path)
    .map((each) => (key === undefined ? each : at(each, key)))
    .filter((each): each is string => typeof each === 'string' && each !== '')
}

/** Looks up a word from outside in a table; undefined if the table does not have it. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, word: string): Entry | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
