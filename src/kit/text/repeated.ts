/** Adds a value to those by name; several values of one name become a list. */
export function addRepeated<Value extends string | object>(
  fields: Partial<Record<string, Value | Value[]>>,
  name: string,
  value: Value,
): void {
  const before = fields[name]
  if (before === undefined) fields[name] = value
  else if (Array.isArray(before)) before.push(value)
  else fields[name] = [before, value]
}
