import { setTimeout as sleep } from 'node:timers/promises'
import { asError } from '../../src/errors.js'
import type { Subject } from './subject.js'

export type State = 'ok' | 'warning' | 'fault'

/** What a check found, and why that is so. */
export interface Finding {
  state: State
  why: string
  /** What to do about it. */
  cure?: string
}

/** One thing that is looked at. It changes nothing, and what it says has no secret in it. */
export interface Check {
  name: string
  /** The name of an earlier check: with a fault there, this one cannot be looked at. */
  needs?: string
  /** The names of earlier checks that this one waits for, whatever comes of them. */
  after?: readonly string[]
  /** Default 4,500. */
  timeoutMs?: number
  /** @param works whether a check that is named in `needs` or `after` found no fault */
  look(subject: Subject, works: (name: string) => boolean): Promise<Finding> | Finding
}

export type Examined = Finding & { name: string }

const TIMEOUT_MS = 4500

export function ok(why: string): Finding {
  return { state: 'ok', why }
}

export function warning(why: string, cure: string): Finding {
  return { state: 'warning', why, cure }
}

export function fault(why: string, cure: string): Finding {
  return { state: 'fault', why, cure }
}

/** Makes all checks side by side, each with its own time-out, whatever comes of the others. In the order given. */
export function examine(checks: readonly Check[], subject: Subject): Promise<Examined>[] {
  const begun = new Map<string, Promise<Examined>>()
  for (const check of checks) {
    const earlier = [check.needs, ...(check.after ?? [])].flatMap((name) => begun.get(name ?? '') ?? [])
    begun.set(check.name, examineOne(check, subject, earlier))
  }
  return [...begun.values()]
}

async function examineOne(
  check: Check,
  subject: Subject,
  earlier: readonly Promise<Examined>[],
): Promise<Examined> {
  const before = new Map((await Promise.all(earlier)).map((each) => [each.name, each]))
  const works = (name: string) => isUsable(before.get(name))
  const finding =
    check.needs === undefined || works(check.needs)
      ? await within(check.timeoutMs ?? TIMEOUT_MS, () => check.look(subject, works))
      : warning(`${NOT_LOOKED_AT} because of what is said of ${check.needs}.`, 'Mend that first.')
  return { name: check.name, ...finding }
}

const NOT_LOOKED_AT = 'It was not looked at,'

function isUsable(found: Examined | undefined): boolean {
  return found !== undefined && found.state !== 'fault' && !found.why.startsWith(NOT_LOOKED_AT)
}

async function within(ms: number, look: () => Promise<Finding> | Finding): Promise<Finding> {
  const over = new AbortController()
  const late = sleep(ms, fault(`It took longer than ${ms / 1000} s.`, 'Try again when less is going on.'), {
    signal: over.signal,
  })
  // Cancelled with the answer, when nobody waits for it any more.
  late.catch(() => undefined)
  try {
    return await Promise.race([look(), late])
  } catch (error) {
    return fault(`It could not be looked at: ${asError(error).message}`, 'Mend what the sentence says.')
  } finally {
    over.abort()
  }
}
