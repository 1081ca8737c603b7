/**
 * The routes that a portal session reaches: the pages of the lines that its link named, and the acts there that need
 * no password. Every other route of the table is closed to it, so one that is added later is closed until it is
 * listed here. Each is checked by `requireNamedLines`, which looks at what the path names.
 *
 * These are left out on purpose: acts that ask for the password again, everything that applies to all lines of the
 * user (names and blocks of contacts, background tasks, search), and acts that cannot be undone.
 */
const REACHED = {
  get: [
    '/console',
    '/console/live',
    '/console/lines/:lineId',
    '/console/lines/:lineId/live',
    '/console/lines/:lineId/send',
    '/console/lines/:lineId/receive',
    '/console/lines/:lineId/limits/live',
    '/console/lines/:lineId/conversations',
    '/console/lines/:lineId/inbox/live',
    '/console/lines/:lineId/inbox/beside/live',
    '/console/lines/:lineId/conversations/:number',
    '/console/lines/:lineId/conversations/:number/live',
    '/console/endpoints/:endpointId',
    '/console/endpoints/:endpointId/live',
    '/console/activity',
    '/console/activity.csv',
    '/console/activity/live',
    '/console/usage',
    '/console/usage.csv',
    '/console/messages/:messageId',
    '/console/messages/:messageId/live',
  ],
  post: [
    '/console/sign-out',
    '/console/lines/:lineId/name',
    '/console/lines/:lineId/messages',
    '/console/lines/:lineId/messages/segments',
    '/console/lines/:lineId/sending/pause',
    '/console/lines/:lineId/sending/resume',
    '/console/lines/:lineId/sending/try-now',
    '/console/lines/:lineId/conversations/:number/messages',
    '/console/lines/:lineId/conversations/:number/messages/segments',
    '/console/lines/:lineId/conversations/:number/unread',
    '/console/lines/:lineId/conversations/:number/archive',
    '/console/lines/:lineId/conversations/:number/unarchive',
    '/console/endpoints/:endpointId/policy',
    '/console/endpoints/:endpointId/policy/preview',
    '/console/endpoints/:endpointId/test-event',
    '/console/endpoints/:endpointId/enable',
    '/console/endpoints/:endpointId/pause',
    '/console/endpoints/:endpointId/resume',
    '/console/endpoints/:endpointId/try-now',
    '/console/endpoints/:endpointId/send-held-events',
    '/console/messages/:messageId/send-again',
    '/console/messages/:messageId/try-now',
    '/console/messages/:messageId/reschedule',
    '/console/messages/:messageId/cancel',
    '/console/messages/:messageId/deliveries/:deliveryId/send-again',
    '/console/messages/:messageId/deliveries/:deliveryId/try-now',
  ],
} as const

type Method = keyof typeof REACHED

/** @param path the path as in the route table */
export function isReachedByPortal(method: Method, path: string): boolean {
  return (REACHED[method] as readonly string[]).includes(path)
}

const PATTERNS: Record<Method, RegExp> = { get: patternOf(REACHED.get), post: patternOf(REACHED.post) }

function patternOf(paths: readonly string[]): RegExp {
  const each = paths.map((path) => path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+'))
  return new RegExp(`^(?:${each.join('|')})$`)
}

/**
 * Returns true if the session that a page is for reaches what a link or a form leads to; otherwise the page leaves it
 * out. Which lines the session reaches is not checked here: a page only has links about its own lines.
 *
 * @param path with or without a query
 */
export function reaches({ isPortal }: { isPortal: boolean }, method: Method, path: string): boolean {
  return !isPortal || PATTERNS[method].test(path.replace(/[?#].*/, ''))
}
