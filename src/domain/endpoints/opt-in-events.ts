import {
  MESSAGE_EVENT_TYPES,
  OPT_IN_EVENT_TYPES,
  LINE_OPT_IN_EVENT_TYPES,
  ACCOUNT_EVENT_TYPES,
  type MessageEventType,
  type OptInEventType,
  type AccountEventType,
} from '../../event-types.js'
import type { Endpoint } from '../../database/endpoints/endpoints.js'
import { UserError } from '../../errors.js'
import { isOperational } from './get-endpoint.js'

type Owner = Pick<Endpoint, 'lineId' | 'applicationId'>

/**
 * Lists the types that an endpoint may ask for.
 *
 * @param owner the endpoint's owner, or the endpoint itself
 */
export function optInEventsOf(owner: Owner): readonly OptInEventType[] {
  if (isOperational(owner)) return []
  return owner.lineId === null ? OPT_IN_EVENT_TYPES : LINE_OPT_IN_EVENT_TYPES
}

/** Lists the types that an endpoint gets without asking, and may decline. */
export function unaskedEventsOf(owner: Owner): readonly (MessageEventType | AccountEventType)[] {
  return isOperational(owner) ? ACCOUNT_EVENT_TYPES : MESSAGE_EVENT_TYPES
}

/**
 * Reads the types that are requested in addition to those that every endpoint gets, each once.
 *
 * @throws UserError 400
 */
export function readOptInEvents<T extends OptInEventType>(
  written: readonly string[],
  allowed: readonly T[],
): T[] {
  return [...new Set(written)].map((type) => {
    const known = allowed.find((each) => each === type)
    if (known !== undefined) return known
    const others: readonly string[] = OPT_IN_EVENT_TYPES
    if (allowed.length === 0)
      throw new UserError("An operational webhook has no optInEvents. It gets its user's notifications")
    const why = others.includes(type) ? ` (${type} is for applications)` : ''
    throw new UserError(`optInEvents can contain only ${allowed.join(', ')}${why}`)
  })
}
