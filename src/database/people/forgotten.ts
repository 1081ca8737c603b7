/**
 * The placeholder for the number of a person who was forgotten. It is the same for all of them: a hash would still
 * show which rows belong together, and as there are few numbers, anyone could find out whose they are.
 */
export const FORGOTTEN = 'forgotten'

/** True for events and deliveries, unless they are of people who were forgotten, about whom nothing is left to send. */
export const HAS_CONTENT = `from_number is distinct from '${FORGOTTEN}'`
