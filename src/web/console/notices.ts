/**
 * A page shows one of these after a form's work. The redirect names it (`?done=…`), so that nothing needs to be kept,
 * and a link cannot make a page say anything else.
 */
const NOTICES = {
  'portal-over': 'Your access through the link has ended. Get a new link where you got this one, or sign in.',
  'signed-out': 'You are signed out.',
  'reset-asked':
    'If an account with a password uses this address, we have sent it a link. It should arrive within a few minutes.',
  'mails-saved': 'Email preferences saved.',
  'password-changed': 'Password changed. Your other sessions are signed out.',
  'second-factor-added': 'Second factor set up. Your other sessions are signed out.',
  'second-factor-removed': 'Removed. You can no longer sign in with it.',
  'removal-asked':
    'Another operator has to confirm this within 24 hours. The user and all operators have been notified.',
  'removal-confirmed': 'Second factor removed. The user is signed out everywhere.',
  'removal-withdrawn': 'Request withdrawn. The second factor stays in place.',
  'token-revoked': 'API token revoked.',
  'session-ended': 'Session ended.',
  'sessions-ended': 'Your other sessions are signed out.',
  'access-revoked': 'All API tokens revoked and all applications disconnected.',
  'tour-closed': 'Tour closed.',
  renamed: 'Line renamed.',
  'contact-named': 'Name saved.',
  'number-blocked': 'Number blocked. Its messages no longer create events.',
  'number-unblocked': 'Number unblocked.',
  'notices-read': 'Marked as read.',
  'conversation-unread': 'Marked as unread.',
  'conversations-read': 'Conversations marked as read.',
  'conversation-archived': 'Conversation archived until the next message arrives.',
  'conversation-not-archived': 'Not archived: a new message has arrived.',
  'conversation-back': 'Conversation unarchived.',
  'sending-paused': 'Sending paused. Messages wait until you resume it.',
  'sending-resumed': 'Sending resumed. Waiting messages go out shortly.',
  'events-paused': 'Events paused. They wait until you resume them.',
  'events-resumed': 'Events resumed. Waiting events go out shortly.',
  enabled: 'Developer connection enabled.',
  disabled: 'Developer connection is off. No events are sent, and the incoming webhook returns 404.',
  disconnected: 'Disconnected. The connection is disabled and its incoming webhook is deleted.',
  'url-saved': 'Outgoing webhook URL saved.',
  'url-removed': 'Outgoing webhook URL removed.',
  'policy-saved': 'Delivery settings saved. They apply from the next attempt.',
  'webhook-created': 'Incoming webhook created. Its URL is a secret. You can copy it here at any time.',
  'webhook-regenerated': 'Incoming webhook URL regenerated.',
  'webhook-deleted': 'Incoming webhook deleted. Its URL now returns 404.',
  'secret-rotated': 'New signing secret created.',
  'endpoint-added': 'Endpoint added. It receives every new event, signed with the secret below.',
  'endpoint-saved': 'Endpoint saved.',
  'endpoint-enabled': 'Endpoint enabled.',
  'endpoint-deleted': 'Endpoint deleted. Its waiting events are cancelled.',
  'retry-started': 'Retrying undelivered events. Follow the progress here.',
  'retry-started-in-part':
    'Retrying undelivered events. Only the newest messages have been searched: filter by an earlier time to retry older ones.',
  'retry-started-full':
    'Retrying the newest 5,000 undelivered events, which is the maximum at a time. Filter by an earlier time to retry older ones.',
  'replay-started': 'Replaying events. Follow the progress here.',
  'import-started': 'Importing numbers. Follow the progress here.',
  'task-stopping': 'Stopping. Work already done is kept.',
  'held-sent': 'Sending the held events.',
  'application-saved': 'Application saved.',
  'application-deleted': 'Application deleted. Its tokens no longer work and it receives no more events.',
  'application-disconnected': 'Application disconnected. It can no longer use your lines.',
  'application-line-disconnected': 'Application disconnected from this line.',
  'text-accepted': 'Message accepted. Follow its progress below.',
  'list-started': 'Sending to the list. Follow the progress here.',
  'tried-now': 'Retrying now. This page updates automatically.',
  'events-tried-now': 'Retrying all waiting events now.',
  'messages-tried-now': 'Retrying all waiting messages now.',
  'sent-again': 'Resending now.',
  cancelled: 'Message cancelled.',
  rescheduled: 'Message rescheduled.',
  'user-disabled': 'User disabled. Sessions have ended, and tokens and authorizations no longer work.',
  'user-enabled': 'User enabled. Everything is as it was before.',
  'user-sessions-ended': 'The user is signed out everywhere.',
  'line-added': 'Line added.',
  'line-changed': 'Line changed. Waiting messages use the new settings.',
  'line-disabled': 'Line disabled. It neither sends nor receives.',
  'country-resumed': 'Messages to this country are accepted again.',
  'cap-saved': 'Cap saved. It counts messages accepted from now on.',
  'monthly-cap-saved': "Monthly cap saved. This month's cost so far counts towards it.",
  'cap-removed': 'Cap removed.',
  'routes-saved': 'Routes saved. They also apply to waiting messages.',
  'line-enabled': 'Line enabled.',
  'carrier-added': 'Account added. Test it, then import its numbers.',
  'carrier-changed': 'Account saved. Test it now.',
  'carrier-removed': 'Account and credentials removed.',
  'carrier-numbers-set-up':
    "Callbacks set up. The carrier now calls us when the account's lines receive a message.",
} as const

export type Notice = keyof typeof NOTICES

export function noticeOf(name: string): string | undefined {
  return Object.hasOwn(NOTICES, name) ? NOTICES[name as Notice] : undefined
}

export function withNotice(path: string, notice: Notice): string {
  return withParameter(path, 'done', notice)
}

/** Makes a path of ours with one more parameter in its query, which is before the part of the page that it may name. */
export function withParameter(path: string, name: string, value: string): string {
  const [page = '', part] = path.split('#')
  return `${page}${page.includes('?') ? '&' : '?'}${name}=${value}${part === undefined ? '' : `#${part}`}`
}
