import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from './context.js'
import { prepareToReadNumbers } from './messages/phone-number.js'

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Calls of the hot paths' functions that do nothing. */
const IDLE_CALLS = {
  queue_messages: `select from queue_messages('[]', 1)`,
  receive_messages: `select from receive_messages('[]')`,
  claim_messages: `select from claim_messages('[]', '1 s', '1 s', '1 s', '{}', '{}')`,
  settle_messages: `select from settle_messages('[]')`,
  take_simulated_messages: `select from take_simulated_messages('[]')`,
  step_lanes: `select from step_lanes('[]', '[{"n":0,"endpoint_id":"${NOBODY}","places":0}]', '1 s', 1, 1, '1 s')`,
} as const

export type HotFunction = keyof typeof IDLE_CALLS

/** The callers of these read numbers before or after them. */
const WITH_NUMBERS: ReadonlySet<HotFunction> = new Set([
  'queue_messages',
  'receive_messages',
  'claim_messages',
])

/** The number of connections that a process uses when its first load comes. */
const CONNECTIONS = 3

/** The process starts anyway after this time: a Postgres that is down or slow must not keep it from starting. */
const LIMIT_MS = 2000

/**
 * Opens connections and makes Postgres plan these functions on each. Without that, the first texts of a fresh process
 * wait 30 to 60 ms on every connection. Where numbers are read, their rules are loaded too.
 */
export async function warmUp({ db }: Pick<Context, 'db'>, functions: readonly HotFunction[]): Promise<void> {
  const onOne = async () => {
    for (const name of functions) await db.raw(IDLE_CALLS[name])
  }
  const all = Promise.all(Array.from({ length: CONNECTIONS }, onOne)).catch(() => undefined)
  if (functions.some((name) => WITH_NUMBERS.has(name))) prepareToReadNumbers()
  await Promise.race([all, sleep(LIMIT_MS, undefined, { ref: false })])
}
