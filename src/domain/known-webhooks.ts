import type { OpenWebhook } from '../database/incoming-webhooks.js'

/** Some 400 bytes each. */
const MAX_KNOWN = 10_000

/** The rows of incoming webhooks that this process has looked up. */
export interface KnownWebhooks {
  /**
   * The row as it once was. It may be old, so nothing is accepted or refused by it alone: the statement that accepts
   * compares token, version and status with what they are (`webhook_changed`), and who would refuse looks it up.
   */
  remembered(lineId: string): OpenWebhook | undefined
  /** The row as it is. undefined: there is no open webhook. @throws Unavailable */
  lookUp(lineId: string): Promise<OpenWebhook | undefined>
}

export function createKnownWebhooks(
  find: (lineId: string) => Promise<OpenWebhook | undefined>,
  maxKnown = MAX_KNOWN,
): KnownWebhooks {
  const known = new Map<string, OpenWebhook>()
  return {
    remembered: (lineId) => known.get(lineId),
    lookUp: async (lineId) => {
      const webhook = await find(lineId)
      known.delete(lineId)
      if (webhook === undefined) return undefined
      // The one that was looked up first, so that what goes out of use does not stay for ever.
      const [oldest] = known.size < maxKnown ? [] : known.keys()
      if (oldest !== undefined) known.delete(oldest)
      known.set(lineId, webhook)
      return webhook
    },
  }
}
