/**
 * The product word (contract §1): the interface says "line" in paths, fields, parameters and scopes, and an
 * operator may have it say another word, so that clients written for another product's word run unchanged.
 * This module is the only place that spells an identifier with the word in it.
 *
 * Input takes the canonical "line" forms always, and the configured word's. Output has the configured word only.
 */
export interface Vocabulary {
  word: string
  /** The field that identifies a line in payloads: `lineId`. */
  idField: string
  /** Path patterns for the router; both shapes of specification §4.1, in every accepted word. */
  incomingWebhookPaths: string[]
  /** The path of an incoming webhook as we generate it, without the token. */
  incomingWebhookPath(lineId: string): string
}

export function createVocabulary(productWord: string): Vocabulary {
  const word = productWord.toLowerCase()
  const accepted = word === 'line' ? ['line'] : [word, 'line']
  return {
    word,
    idField: `${word}Id`,
    incomingWebhookPaths: accepted.flatMap((each) => [
      `/webhooks/${each}Id/:lineId`,
      `/webhooks/${each}/:lineId`,
    ]),
    incomingWebhookPath: (lineId) => `/webhooks/${word}Id/${lineId}`,
  }
}
