import { AUTHORIZATION } from './mutants/authorization.js'
import { CARRIERS } from './mutants/carriers.js'
import { DELIVERIES } from './mutants/deliveries.js'
import type { Mutant } from './mutants/mutant.js'
import { QUEUEING } from './mutants/queueing.js'
import { RECEIVING } from './mutants/receiving.js'
import { SENDING } from './mutants/sending.js'
import { TOOLS } from './mutants/tools.js'

/** Of the hot and the dangerous files. Who changes a file changes its mutants, or `npm run mutate` says that they are stale. */
export const MUTANTS: readonly Mutant[] = [
  ...QUEUEING,
  ...SENDING,
  ...RECEIVING,
  ...DELIVERIES,
  ...CARRIERS,
  ...AUTHORIZATION,
  ...TOOLS,
]
