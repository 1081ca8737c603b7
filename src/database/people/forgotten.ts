/**
 * Stands where the number of a person was who has been forgotten. It is the same for all of them: a hash would still say which
 * rows belong together, and as there are few numbers, anybody could find out whose they are.
 */
export const FORGOTTEN = 'forgotten'
