import { OPT_IN_EVENT_TYPES, LINE_OPT_IN_EVENT_TYPES, type OptInEventType } from '../../event-types.js'
import { UserError } from '../../errors.js'

/** What an endpoint may ask for. @param owner a line or an application, or the endpoint of one */
export function optInEventsOf(owner: { lineId: string | null } | object): readonly OptInEventType[] {
  return 'lineId' in owner && owner.lineId !== null ? LINE_OPT_IN_EVENT_TYPES : OPT_IN_EVENT_TYPES
}

/**
 * Types of events that somebody asks for besides those that every endpoint gets, each once.
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
    const why = others.includes(type) ? ` (${type} is for applications)` : ''
    throw new UserError(`optInEvents may name only ${allowed.join(', ')}${why}`)
  })
}
