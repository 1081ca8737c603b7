/**
 * What a page says after a form has done its work. The redirect names it (`?done=…`), so that nothing needs to be
 * kept, and nobody can make a page say something else.
 */
const NOTICES = {
  'signed-out': 'You are signed out.',
  confirmed: 'Thank you.',
  'reset-asked':
    'If an account with a password has this address, a mail with a link is on its way. It comes within a few minutes.',
  'mails-saved': 'The choice of mails is saved.',
  'password-changed': 'Your password is changed; your other sessions are ended.',
  'second-factor-added': 'Your second factor is set up; your other sessions are ended.',
  'second-factor-removed': 'It is removed, and counts no more.',
  'removal-asked': 'Another operator has to confirm it within 24 hours. The user and the operators are told.',
  'removal-confirmed': 'The second factor is removed, and the sessions of the user are ended.',
  'removal-withdrawn': 'It is withdrawn: the second factor stays.',
  'token-revoked': 'The API token is revoked.',
  'session-ended': 'The session is ended.',
  'sessions-ended': 'Your other sessions are ended.',
  'access-revoked': 'All API tokens are revoked, and all applications are disconnected.',
  renamed: 'The line has its new name.',
  'contact-named': 'The name is saved.',
  'number-blocked': 'The number is blocked: what it sends makes no events.',
  'number-unblocked': 'The number is not blocked any more.',
  'sending-paused': 'Sending is paused: messages wait.',
  'sending-resumed': 'Sending goes on: what waited goes out soon.',
  'events-paused': 'The events are paused: they wait.',
  'events-resumed': 'The events go on: what waited is sent soon.',
  enabled: 'The developer connection is enabled.',
  disabled: 'The developer connection rests: no events go out, and the incoming webhook answers 404.',
  disconnected: 'Disconnected: the connection is disabled and its incoming webhook is deleted.',
  'url-saved': 'The outgoing webhook URL is saved.',
  'url-removed': 'The outgoing webhook URL is removed.',
  'events-saved': 'The events that are posted are saved.',
  'policy-saved': 'How events are posted is saved. It counts from the next attempt on.',
  'webhook-created':
    'The incoming webhook is created. Its URL is a secret: copy it now, or come back to it here.',
  'webhook-regenerated': 'The incoming webhook has a new URL.',
  'webhook-deleted': 'The incoming webhook is deleted: its URL answers 404 from now on.',
  'secret-rotated': 'There is a new signing secret. The old one signs too for 24 hours.',
  'endpoint-added': 'The endpoint is added. It gets each event from now on, signed with the secret below.',
  'endpoint-saved': 'The endpoint is saved.',
  'endpoint-enabled': 'The endpoint is enabled again.',
  'endpoint-deleted': 'The endpoint is deleted, and what waited for it ended.',
  'retry-started': 'Undelivered events are being retried. Here is how far that is.',
  'replay-started': 'The events are being sent again. Here is how far that is.',
  'import-started': 'The numbers are being imported. Here is how far that is.',
  'task-stopping': 'It is being stopped: what is done stays done.',
  'held-sent': 'The held events are being sent.',
  'application-saved': 'The application is saved.',
  'application-deleted': 'The application is deleted: its tokens are refused, and it gets no more events.',
  'application-secret-rotated': 'There is a new signing secret. The old one signs too for 24 hours.',
  'application-enabled': 'The webhook URL is enabled again.',
  'application-disconnected': 'The application is disconnected: it can no longer use your lines.',
  'application-line-disconnected': 'The application can no longer use this line.',
  'text-accepted': 'The text is accepted. Below is how it goes.',
  'tried-now': 'It is tried now: this page shows what comes of it.',
  'events-tried-now': 'All events that waited for their next attempt are tried now.',
  'messages-tried-now': 'All messages that waited for the carrier are tried now.',
  'sent-again': 'It is being sent again.',
  cancelled: 'The message is cancelled.',
  rescheduled: 'The message has its new time.',
  'user-added': 'The user is added.',
  'user-disabled': 'The user is disabled: sessions are ended, and tokens and authorizations count no more.',
  'user-enabled': 'The user is enabled again, with what was there before.',
  'user-sessions-ended': 'All sessions of the user are ended.',
  'line-added': 'The line is added.',
  'line-disabled': 'The line is disabled: it sends and receives nothing.',
  'country-resumed': 'Messages to the country are accepted again.',
  'cap-saved': 'The cap is saved. It counts what is accepted from now on.',
  'monthly-cap-saved': 'The monthly cap is saved. It counts what this month has cost so far.',
  'cap-removed': 'The cap is removed.',
  'routes-saved': 'The routes are saved. Messages that wait go by them too.',
  'line-enabled': 'The line works again.',
  'carrier-added': 'The account is added. Test it, then import its numbers.',
  'carrier-changed': 'The account is changed. Test it.',
  'carrier-removed': 'The account is removed, with its credentials.',
  'carrier-numbers-set-up': 'The carrier now calls us for what the account’s lines receive.',
} as const

export type Notice = keyof typeof NOTICES

export function noticeOf(name: string): string | undefined {
  return Object.hasOwn(NOTICES, name) ? NOTICES[name as Notice] : undefined
}

/** A path of ours with the notice in its query. */
export function withNotice(path: string, notice: Notice): string {
  return `${path}${path.includes('?') ? '&' : '?'}done=${notice}`
}
