import type { Database } from '../../../database/connection.js'
import type { NewDelivery } from '../../../database/endpoints/deliveries/creating.js'
import { hasChosenSince, noteKeyword } from '../../../database/lines/line-peers.js'
import { findAnyLine } from '../../../database/lines/lines.js'
import { withoutInvisible } from '../phone-number.js'
import { announceOptOut } from './announce.js'
import { answerKeyword, queueAnswers, type KeywordAnswer } from './answers.js'

export type Keyword = 'stop' | 'start' | 'help'

const WORDS = new Map<string, Keyword>([
  ...[
    ...['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE'],
    // The FCC's rule writes it as two words (47 CFR 64.1200(a)(10)), and carriers as one.
    ...['OPT OUT', 'OPTOUT'],
  ].map((word) => [word, 'stop'] as const),
  ...['START', 'UNSTOP'].map((word) => [word, 'start'] as const),
  ...['HELP', 'INFO'].map((word) => [word, 'help'] as const),
])

/**
 * Reads a text as a keyword: `stop` opts its sender out of the line, `start` back in, and `help` asks what this is;
 * undefined is an ordinary text. The keyword must be the whole text, ignoring case and punctuation: typing two spaces
 * on a phone makes a period.
 */
export function readKeyword(text: string): Keyword | undefined {
  const bare = withoutInvisible(text.normalize('NFKC'))
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
  return WORDS.get(bare.toUpperCase())
}

interface ReceivedKeyword {
  id: string
  lineId: string
  fromNumber: string
  keyword: Keyword
  /** The account through which it came. */
  carrierAccount: string
  /** True if the carrier has answered it. */
  isAnswered: boolean
  /** The time when the carrier got it, if it comes late. */
  receivedAt?: Date | undefined
}

/** The results of a keyword, which the caller enqueues. */
export interface KeywordResults {
  /** The answers of the service. */
  answers: { id: string; generation: number }[]
  /** The deliveries of the event `optOut`. */
  deliveries: NewDelivery[]
}

/**
 * Acts on the keywords of received messages, in the order in which they came: opts their senders out or in, or
 * answers HELP. Runs in the transaction that receives them, which has their lines locked (`lockLines`).
 */
export async function applyKeywords(
  trx: Database,
  messages: readonly ReceivedKeyword[],
): Promise<KeywordResults> {
  const answers: KeywordAnswer[] = []
  const deliveries: NewDelivery[] = []
  for (const message of messages) {
    const { lineId, fromNumber: number, keyword, isAnswered, receivedAt, carrierAccount } = message
    const line = await findAnyLine(trx, lineId)
    if (line === undefined) continue
    // A late message may be older than the person's last choice, and the last choice counts.
    if (receivedAt !== undefined && (await hasChosenSince(trx, lineId, number, receivedAt))) continue
    const peer = await noteKeyword(trx, { lineId, number, keyword })
    deliveries.push(...(await announceOptOut(trx, line, message, peer)))
    if (!isAnswered) answers.push(...(await answerKeyword(trx, line, number, { peer, carrierAccount })))
  }
  return { answers: await queueAnswers(trx, answers), deliveries }
}
