/** The operators' log. */
export const LOG = '/console/audit'
/** A user's own part of it. */
export const HISTORY = '/console/settings/history'
