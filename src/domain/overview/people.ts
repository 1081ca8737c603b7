import { reading } from '../../database/overview/reading.js'
import { listFailedMedia, listUnknownMessages, type LooseEnds } from '../../database/overview/loose-ends.js'
import type { Database } from '../../database/connection.js'
import { findHolding, type HoldingEndpoint } from './endpoints.js'

/** What nobody but a person can bring to an end. */
export interface ForPeople {
  unknownMessages: LooseEnds[]
  failedMedia: LooseEnds[]
  holding: HoldingEndpoint[]
}

export async function lookForPeople(db: Database): Promise<ForPeople> {
  return reading(db, async (trx) => ({
    unknownMessages: await listUnknownMessages(trx),
    failedMedia: await listFailedMedia(trx),
    holding: await findHolding(trx),
  }))
}
