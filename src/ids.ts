import { v7, validate } from 'uuid'

/**
 * A new row's key: a UUIDv7, so that keys sort by time of creation and a month of a partitioned table is a
 * range of keys. Ids made by one process are strictly increasing.
 */
export function newId(): string {
  return v7()
}

/** Whether a string from outside may be compared with a uuid column at all. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && validate(value)
}

/** The smallest UUIDv7 that a row created at this moment can have: the bounds of a partition. */
export function lowestIdAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
