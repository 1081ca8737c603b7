import type { CarrierSessions } from '../../../database/carriers/carrier-sessions.js'

export type { CarrierSessions } from '../../../database/carriers/carrier-sessions.js'

/** How an account's sessions are, for whoever shows them. */
export interface SessionsView {
  isWhole: boolean
  /** Such as `bound`, or `1 of 2 bound`. */
  words: string
  /** undefined: it is not known. */
  since: Date | undefined
  /** The last thing that went wrong, even if it is over. */
  lastError: { text: string; at: Date } | undefined
}

export function viewSessions(sessions: CarrierSessions): SessionsView {
  const { isHeld, boundCount, sessionCount, changedAt, lastError, lastErrorAt } = sessions
  const isWhole = isHeld && boundCount > 0 && boundCount === sessionCount
  return {
    isWhole,
    words: isHeld ? wordsOf(boundCount, sessionCount) : 'not bound: no `receive-smpp` process is running',
    since: isHeld ? (changedAt ?? undefined) : undefined,
    lastError: lastError === null || lastErrorAt === null ? undefined : { text: lastError, at: lastErrorAt },
  }
}

function wordsOf(boundCount: number, sessionCount: number): string {
  if (boundCount === 0) return 'not bound'
  return boundCount === sessionCount ? 'bound' : `${boundCount} of ${sessionCount} bound`
}
