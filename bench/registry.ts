import type { Measure } from './measure.js'
import { measureAccept } from './measures/accept.js'
import { measureDeliver } from './measures/deliver.js'
import { measureFlat } from './measures/flat.js'
import { measureHeld } from './measures/held.js'
import { measureIsolation } from './measures/isolation.js'
import { measureKill } from './measures/kill.js'
import { measureLatency } from './measures/latency.js'
import { measureReceiveOverHttp } from './measures/receive-http.js'
import { measureReceiveOverSmpp } from './measures/receive-smpp.js'
import { measureRest } from './measures/rest.js'
import { measureSendOverSmpp } from './measures/send-smpp.js'
import { measureSend } from './measures/send.js'
import { measureSteady } from './measures/steady.js'

export interface Entry {
  /** `--only` takes this name. */
  name: string
  measure: Measure
  /** The number of rounds, unless `--rounds` says something else. */
  rounds: number
}

/** All measures in their order. One without a yardstick has a single round, because it takes long enough as it is. */
export const REGISTRY: readonly Entry[] = [
  { name: 'accept', measure: measureAccept, rounds: 3 },
  { name: 'receive-http', measure: measureReceiveOverHttp, rounds: 3 },
  { name: 'receive-smpp', measure: measureReceiveOverSmpp, rounds: 3 },
  { name: 'send', measure: measureSend, rounds: 3 },
  { name: 'send-smpp', measure: measureSendOverSmpp, rounds: 3 },
  { name: 'deliver', measure: measureDeliver, rounds: 3 },
  { name: 'latency', measure: measureLatency, rounds: 1 },
  { name: 'steady', measure: measureSteady, rounds: 1 },
  { name: 'isolation', measure: measureIsolation, rounds: 2 },
  { name: 'held', measure: measureHeld, rounds: 1 },
  { name: 'flat', measure: measureFlat, rounds: 2 },
  { name: 'kill', measure: measureKill, rounds: 1 },
  { name: 'rest', measure: measureRest, rounds: 1 },
]
