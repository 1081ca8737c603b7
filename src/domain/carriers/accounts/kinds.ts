import type { CarrierKind } from '../../../carriers/kind.js'
import type { CarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import { UserError } from '../../../errors.js'
import type { Context } from '../../context.js'

/** The simulator's one account always exists, and has no settings. */
const SIMULATOR = 'simulator'

type WithKinds = Pick<Context, 'carriers'>

/** Lists the kinds for which an account can be added. */
export function listCarrierKinds({ carriers }: WithKinds): [kind: string, definition: CarrierKind][] {
  return [...carriers.kinds].filter(([kind]) => kind !== SIMULATOR)
}

/** @throws UserError 400 */
export function getCarrierKind(context: WithKinds, kind: string): CarrierKind {
  const kinds = listCarrierKinds(context)
  const definition = kinds.find(([name]) => name === kind)?.[1]
  if (definition !== undefined) return definition
  throw new UserError(`kind must be one of ${kinds.map(([name]) => name).join(', ')}`)
}

export function isSimulator({ kind }: Pick<CarrierAccount, 'kind'>): boolean {
  return kind === SIMULATOR
}

/** @throws UserError 409 for the simulator */
export function requireChangeable(account: CarrierAccount): void {
  if (isSimulator(account)) {
    throw new UserError('The simulator is built in and has no settings', 409)
  }
}
