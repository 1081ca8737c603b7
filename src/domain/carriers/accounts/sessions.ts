import type { CarrierSessions } from '../../../database/carriers/carrier-sessions.js'

/** The sessions of an account, and its kind's word for an open one. */
export type ListedSessions = CarrierSessions & { word: 'bound' | 'connected' }

/** The state of an account's sessions for display. */
export interface SessionsView {
  isWhole: boolean
  /** The word alone, such as `not bound`. */
  state: string
  /** A text such as `bound`, or `1 of 2 bound`. */
  words: string
  /** undefined if it is unknown. */
  since: Date | undefined
  /** The last error, even if it is over. */
  lastError: { text: string; at: Date } | undefined
}

export function viewSessions(sessions: ListedSessions): SessionsView {
  const { word, isHeld, boundCount, sessionCount, changedAt, lastError, lastErrorAt, details } = sessions
  const isWhole = isHeld && boundCount > 0 && boundCount === sessionCount
  return {
    isWhole,
    state: `${isWhole ? '' : isHeld && boundCount > 0 ? 'partly ' : 'not '}${word}`,
    words: isHeld
      ? [wordsOf(word, boundCount, sessionCount), ...(boundCount > 0 && details ? [details] : [])].join(', ')
      : `not ${word}, because no receive-smpp process is running`,
    since: isHeld ? (changedAt ?? undefined) : undefined,
    lastError: lastError === null || lastErrorAt === null ? undefined : { text: lastError, at: lastErrorAt },
  }
}

function wordsOf(word: string, boundCount: number, sessionCount: number): string {
  if (boundCount === 0) return `not ${word}`
  return boundCount === sessionCount ? word : `${boundCount} of ${sessionCount} ${word}`
}
