/** A text that a client posted, and what it was told. */
export interface PostedText {
  /** Stands in the text itself: `c03-0017` is the eighteenth of the fourth conversation. */
  id: string
  conversation: string
  sequence: number
  postedAt: number
  answeredAt: number
  /** 0: no answer came. */
  status: number
  /** '' unless it was accepted. */
  messageId: string
  /** To a line with the limits of every line, where it may have to wait for a minute. */
  isLimited: boolean
}

/** A text or picture that the carrier brought. */
export interface Inbound {
  id: string
  broughtAt: number
  answeredAt: number
  status: number
}

/** What a client knows: everything that it asked for, and every answer. */
export interface Ledger {
  texts: PostedText[]
  inbound: Inbound[]
}

export function isAcknowledged({ status }: { status: number }): boolean {
  return status >= 200 && status < 300
}
