/** A message that a client posted, and the answer that it got. */
export interface PostedText {
  /** It is part of the text itself: `c03-0017` is the eighteenth text of its conversation. */
  id: string
  /**
   * A `text` arrives soon. A `limited` text is sent by the line with the usual limits, and may have to wait for a minute. A
   * `picture` comes from a server that may misbehave, so it may fail with a reason.
   */
  kind: 'text' | 'limited' | 'picture'
  conversation: string
  sequence: number
  postedAt: number
  answeredAt: number
  /** The status of the answer; 0 if none came. */
  status: number
  /** It is '' unless the message was accepted. */
  messageId: string
  /** The answer was that nobody knows whether the message was accepted. */
  isUnknown: boolean
}

/** What the carrier brought. A text is recognized by its text, and a picture by its sender. */
interface Inbound {
  id: string
  broughtAt: number
  answeredAt: number
  status: number
}

/** What the clients know: everything that they asked for, and every answer. */
export interface Ledger {
  texts: PostedText[]
  inbound: Inbound[]
}

/** What the answer that nobody knows is told by: it may have been accepted (`docs/http.md`). */
export function saysUnknown(status: number, answer: string): boolean {
  return status === 503 && answer.includes('It is unknown whether')
}

export function isAcknowledged({ status }: { status: number }): boolean {
  return status >= 200 && status < 300
}
