import { setTimeout as sleep } from 'node:timers/promises'
import { asError } from '../../src/errors.js'
import type { Subject } from './subject.js'

export type State = 'ok' | 'warning' | 'fault'

/** The result of a check, with the reason. */
export interface Finding {
  state: State
  why: string
  /** The advice on what to do about it. */
  cure?: string
}

/** A check changes nothing, and its findings have no secrets in them. */
export interface Check {
  name: string
  /** The name of an earlier check, without which this one makes no sense if it found a fault. */
  needs?: string
  /** The names of earlier checks that this one waits for, whatever their results are. */
  after?: readonly string[]
  /** The default is 4,500. */
  timeoutMs?: number
  /** @param works returns true if a check that is named in `needs` or `after` found no fault */
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

/**
 * Makes all checks side by side, each with a separate time-out, whatever the others find.
 *
 * @returns the findings in the order given
 */
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
      : warning(`${NOT_LOOKED_AT} because of the problem with ${check.needs}.`, 'Fix that first.')
  return { name: check.name, ...finding }
}

const NOT_LOOKED_AT = 'Not checked,'

function isUsable(found: Examined | undefined): boolean {
  return found !== undefined && found.state !== 'fault' && !found.why.startsWith(NOT_LOOKED_AT)
}

async function within(ms: number, look: () => Promise<Finding> | Finding): Promise<Finding> {
  const over = new AbortController()
  const late = sleep(
    ms,
    fault(`It took longer than ${ms / 1000} s.`, 'Try again when the service is less busy.'),
    {
      signal: over.signal,
    },
  )
  // Its cancelling after the answer is an error that nobody waits for.
  late.catch(() => undefined)
  try {
    return await Promise.race([look(), late])
  } catch (error) {
    return fault(
      `The check failed: ${asError(error).message}`,
      'Fix the cause and run `linehook doctor` again.',
    )
  } finally {
    over.abort()
  }
}
