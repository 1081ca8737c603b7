import type { Measure } from './measure.js'
import { measureAccept } from './measures/accept.js'
import { measureDeliver } from './measures/deliver.js'
import { measureReceiveOverHttp } from './measures/receive-http.js'
import { measureReceiveOverSmpp } from './measures/receive-smpp.js'
import { measureSend } from './measures/send.js'

export interface Entry {
  /** For `--only`. */
  name: string
  measure: Measure
  /** How many rounds it has, unless `--rounds` says something else. */
  rounds: number
}

/** All that is measured, in this order. What has no yardstick has one round: it is long as it is. */
export const REGISTRY: readonly Entry[] = [
  { name: 'accept', measure: measureAccept, rounds: 3 },
  { name: 'receive-http', measure: measureReceiveOverHttp, rounds: 3 },
  { name: 'receive-smpp', measure: measureReceiveOverSmpp, rounds: 3 },
  { name: 'send', measure: measureSend, rounds: 3 },
  { name: 'deliver', measure: measureDeliver, rounds: 3 },
]
