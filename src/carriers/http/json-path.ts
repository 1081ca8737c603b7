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

/** The value as text; '' where there is none. */
export function textAt(value: unknown, path: string): string {
  const found = at(value, path)
  return typeof found === 'string' || typeof found === 'number' ? String(found) : ''
}
