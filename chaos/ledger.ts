/** A message that a client posted, and what it was told. */
export interface PostedText {
  /** Stands in the text itself: `c03-0017` is the eighteenth of its conversation. */
  id: string
  /**
   * `text` arrives soon; `limited` is to a line with the limits of every line, and may have to wait for a minute;
   * `picture` comes from a server that may be bad, and may fail by name.
   */
  kind: 'text' | 'limited' | 'picture'
  conversation: string
  sequence: number
  postedAt: number
  answeredAt: number
  /** 0: no answer came. */
  status: number
  /** '' unless it was accepted. */
  messageId: string
}

/** What the carrier brought: a text, known by its text; or a picture, known by who sent it. */
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
