import { AUTHORIZATION } from './mutants/authorization.js'
import { CARRIERS } from './mutants/carriers.js'
import { DATA } from './mutants/data.js'
import { DELIVERIES } from './mutants/deliveries.js'
import type { Mutant } from './mutants/mutant.js'
import { QUEUEING } from './mutants/queueing.js'
import { RECEIVING } from './mutants/receiving.js'
import { SENDING } from './mutants/sending.js'
import { TOOLS } from './mutants/tools.js'

/**
 * Mutants of the hot and the dangerous files. If a file changes, its mutants may have to change too; a test says
 * which are stale.
 */
export const MUTANTS: readonly Mutant[] = [
  ...QUEUEING,
  ...SENDING,
  ...RECEIVING,
  ...DELIVERIES,
  ...CARRIERS,
  ...AUTHORIZATION,
  ...DATA,
  ...TOOLS,
]
