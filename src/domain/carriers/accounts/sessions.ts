import type { CarrierSessions } from '../../../database/carriers/carrier-sessions.js'

export type { CarrierSessions } from '../../../database/carriers/carrier-sessions.js'

/** The state of an account's sessions for display. */
export interface SessionsView {
  isWhole: boolean
  /** A text such as `bound`, or `1 of 2 bound`. */
  words: string
  /** undefined if it is unknown. */
  since: Date | undefined
  /** The last error, even if it is over. */
  lastError: { text: string; at: Date } | undefined
}

export function viewSessions(sessions: CarrierSessions): SessionsView {
  const { isHeld, boundCount, sessionCount, changedAt, lastError, lastErrorAt } = sessions
  const isWhole = isHeld && boundCount > 0 && boundCount === sessionCount
  return {
    isWhole,
    words: isHeld
      ? wordsOf(boundCount, sessionCount)
      : 'not bound, because no `receive-smpp` process is running',
    since: isHeld ? (changedAt ?? undefined) : undefined,
    lastError: lastError === null || lastErrorAt === null ? undefined : { text: lastError, at: lastErrorAt },
  }
}

function wordsOf(boundCount: number, sessionCount: number): string {
  if (boundCount === 0) return 'not bound'
  return boundCount === sessionCount ? 'bound' : `${boundCount} of ${sessionCount} bound`
}
