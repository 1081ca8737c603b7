import { randomFillSync } from 'node:crypto'
import { v5, validate } from 'uuid'

/**
 * A new row's key: a UUIDv7 (RFC 9562 §5.7), so that keys sort by time of creation and a month of a partitioned table
 * is a range of keys. Ids made by one process are strictly increasing: a counter of 26 bits stands between the time
 * and 48 random bits, and starts at a random place in its lower half in each millisecond (method 1 of §6.2).
 *
 * Package uuid asks the operating system for each id's bytes, which is two thirds of what an id costs.
 */
export function newId(): string {
  const now = Date.now()
  const random = takeRandom()
  if (now > lastMs || now < lastMs - MAX_AHEAD_MS) {
    lastMs = now
    counter = random.readUInt32BE(0) & (HALF - 1)
  } else if (counter < 2 * HALF - 1) {
    counter += 1
  } else {
    // This millisecond has no ids left, or the clock is standing still. The next millisecond is as good.
    lastMs += 1
    counter = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const upper = (0x7000 | (counter >>> 14)).toString(16)
  const lower = (0x8000 | (counter & 0x3fff)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-${upper}-${lower}-${random.toString('hex', 4, RANDOM_BYTES)}`
}

/**
 * If the clock is set back by less, ids wait for it. If by more, they follow it: otherwise the rows of a process whose
 * clock was ahead once would stand in the future until it restarts, and ranges of time would leave them out.
 */
const MAX_AHEAD_MS = 10_000
const HALF = 1 << 25
const RANDOM_BYTES = 10
let lastMs = 0
let counter = 0

const pool = Buffer.allocUnsafe(RANDOM_BYTES * 400)
let used = pool.length

function takeRandom(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += RANDOM_BYTES
  return pool.subarray(used - RANDOM_BYTES, used)
}

/**
 * The lowest id of a moment, as the SQL function `lowest_id_at` computes it. A query for rows from that moment on
 * asks for ids from this one on.
 */
export function lowestIdAt(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

/** The time when an id was made, by the clock of the process that made it. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))
}

/** True if a string from outside can be compared with a uuid column at all. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && validate(value)
}

/** The id that belongs to a thing within the scope of an id: always the same (a UUIDv5). */
export function idFrom(scopeId: string, name: string): string {
  return v5(name, scopeId)
}

/** The id before all others, where a walk through rows by id begins. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
