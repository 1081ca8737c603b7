import type { Database } from '../../database/connection.js'
import type { NewDelivery } from '../../database/deliveries/creating.js'
import type { Line } from '../../database/lines.js'
import { findRecentTraffic, hasChosenSince, noteContact } from '../../database/line-contacts.js'
import { announceOptOut } from './announce.js'
import { answerKeyword } from './answers.js'
import { readKeyword, type Keyword } from './keywords.js'
import { isPingPong, PAUSE_MS } from './ping-pong.js'

export interface Heard {
  /** The number's window stays as it is. */
  isPaused: boolean
  /** By this message. */
  hasPaused: boolean
  /** What the service answers; to be enqueued. */
  answers: { id: string; generation: number }[]
  /** Of the event `optOut`; to be enqueued. */
  deliveries: NewDelivery[]
}

/**
 * What a received message says about being written to, whatever else it says: it opens the number's window again,
 * opts out or in, asks for help, or is one of too many. In the transaction that receives it, after it was inserted.
 */
export async function hearSender(
  trx: Database,
  line: Line,
  message: {
    id: string
    fromNumber: string
    text: string | null
    carrierKeyword?: Keyword | undefined
    receivedAt?: Date | undefined
  },
): Promise<Heard> {
  const { fromNumber: number, text, carrierKeyword, receivedAt } = message
  const said = carrierKeyword ?? (text === null ? undefined : readKeyword(text))
  // What was said before comes late: the last word counts, not the last that came.
  const isOvertaken = receivedAt !== undefined && (await hasChosenSince(trx, line.id, number, receivedAt))
  const keyword = isOvertaken ? undefined : said
  const { now, ...traffic } = await findRecentTraffic(trx, line.id, number)
  const pauseMs = isPingPong(traffic, now) ? PAUSE_MS : undefined
  const contact = await noteContact(trx, { lineId: line.id, number, keyword, pauseMs })
  return {
    isPaused: contact.isPaused,
    hasPaused: contact.hasPaused,
    // The carrier has answered what it read.
    answers: carrierKeyword === undefined ? await answerKeyword(trx, line, number, contact) : [],
    deliveries: await announceOptOut(trx, line, message, contact),
  }
}
