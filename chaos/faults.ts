import type { Fault } from './fault.js'
import { clockFaults } from './faults/clocks.js'
import { diskFaults } from './faults/disks.js'
import { limitFaults } from './faults/limits.js'
import { mediaFaults } from './faults/media.js'
import { networkFaults } from './faults/networks.js'
import { overloadFaults } from './faults/overload.js'
import { postgresFaults } from './faults/postgres.js'
import { processFaults } from './faults/processes.js'
import { receiverFaults } from './faults/receivers.js'
import { redisFaults } from './faults/redis.js'
import { routeFaults } from './faults/routes.js'
import { smppFaults } from './faults/smpp.js'

export const FAULTS: readonly Fault[] = [
  ...processFaults,
  ...postgresFaults,
  ...redisFaults,
  ...networkFaults,
  ...clockFaults,
  ...limitFaults,
  ...receiverFaults,
  ...mediaFaults,
  ...routeFaults,
  ...smppFaults,
  ...diskFaults,
  ...overloadFaults,
]
