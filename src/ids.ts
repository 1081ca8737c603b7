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
