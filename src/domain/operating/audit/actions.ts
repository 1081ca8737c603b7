/** The kinds of subjects of an action. */
export type SubjectKind =
  | 'user'
  | 'session'
  | 'api_token'
  | 'line'
  /** The line or the application that the endpoint belongs to. */
  | 'endpoint'
  | 'contact'
  | 'message'
  | 'application'
  | 'task'
  | 'carrier_account'
  | 'sending'
  | 'queue'
  | 'person'
  | 'retention'
  | 'audit_log'

interface ActionAbout {
  subject: SubjectKind
  /** The words after the actor's name: "Ada … renamed the line". */
  words: string
}

/**
 * All actions in the audit log, in the order in which people read them. The console's words, the filters, the command
 * line and `docs/audit.md` are made from this table, so an action without words does not compile.
 */
export const ACTIONS = {
  'sign_in.succeeded': { subject: 'session', words: 'signed in' },
  'sign_in.failed': { subject: 'user', words: 'was refused at a password' },
  'sign_in.locked_out': {
    subject: 'user',
    words: 'was locked out for 15 minutes after too many wrong passwords',
  },
  'second_factor.added': { subject: 'user', words: 'added a second factor' },
  'second_factor.removed': { subject: 'user', words: 'removed a second factor' },
  'second_factor.removal_asked': {
    subject: 'user',
    words: 'asked another operator to remove a lost second factor',
  },
  'second_factor.removal_withdrawn': {
    subject: 'user',
    words: 'withdrew or refused the removal of a lost second factor',
  },
  'second_factor.refused': {
    subject: 'user',
    words: 'was refused at the second factor',
  },
  'second_factor.locked_out': {
    subject: 'user',
    words: 'was locked out for 15 minutes after too many wrong codes',
  },
  'second_factor.recovery_code_used': { subject: 'user', words: 'used a recovery code' },
  'second_factor.recovery_codes_made': { subject: 'user', words: 'made new recovery codes' },
  'session.ended': { subject: 'session', words: 'ended a session' },
  'sessions.ended': { subject: 'user', words: 'ended several sessions' },
  'password.changed': { subject: 'user', words: 'changed the password' },
  'password.set': { subject: 'user', words: 'set a password by a set-up link' },
  'password.reset_asked': { subject: 'user', words: 'asked for a mail with a link to set a new password' },
  'access.revoked': {
    subject: 'user',
    words: 'revoked all API tokens and disconnected all applications',
  },

  'user.added': { subject: 'user', words: 'added the user' },
  'user.set_up_link.created': { subject: 'user', words: 'made a set-up link' },
  'portal_link.created': { subject: 'user', words: 'made a portal link to lines of the user' },
  'portal_link.opened': { subject: 'session', words: 'opened a portal link' },
  'user.disabled': { subject: 'user', words: 'disabled the user' },
  'user.enabled': { subject: 'user', words: 'enabled the user' },
  'user.spend_cap.set': { subject: 'user', words: 'set how many segments the user may send a day' },
  'user.monthly_cap.set': { subject: 'user', words: 'set how much money the user may spend in a month' },
  'user.country.paused': {
    subject: 'user',
    words: 'paused what the user sends to a country, because it rose suddenly',
  },
  'user.country.resumed': { subject: 'user', words: 'let the user send to a country again' },
  'user.exported': { subject: 'user', words: 'exported all of the account' },
  'user.activity.exported': { subject: 'user', words: 'exported messages and deliveries' },
  'user.viewed': { subject: 'user', words: 'looked at the page of the user' },
  'user.messages.opened': { subject: 'user', words: "said why they look at the user's messages" },
  'user.person.found': { subject: 'user', words: "found a person's number in the user's messages" },
  'user.person.exported': {
    subject: 'user',
    words: "exported all of a person, with the user's messages with them",
  },
  'user.person.forgotten': {
    subject: 'user',
    words: "had a person forgotten, with the user's messages with them",
  },
  'message.rescheduled': { subject: 'message', words: 'gave the message another time' },
  'message.cancelled': { subject: 'message', words: 'cancelled the message' },
  'message.viewed': { subject: 'message', words: 'looked at the message' },

  'api_token.created': { subject: 'api_token', words: 'created an API token' },
  'api_token.revoked': { subject: 'api_token', words: 'revoked an API token' },

  'line.added': { subject: 'line', words: 'added the line' },
  'line.routed': { subject: 'line', words: 'changed the routes of the line' },
  'line.short_codes.set': { subject: 'line', words: 'set which short codes the line may text' },
  'line.renamed': { subject: 'line', words: 'renamed the line' },
  'line.disabled': { subject: 'line', words: 'disabled the line' },
  'line.enabled': { subject: 'line', words: 'enabled the line' },
  'line.paused': { subject: 'line', words: 'paused what the line sends' },
  'line.resumed': { subject: 'line', words: 'let the line send again' },
  'line.spend_cap.set': { subject: 'line', words: 'set how many segments the line may send a day' },
  'line.monthly_cap.set': { subject: 'line', words: 'set how much money the line may spend in a month' },
  'line.connection.changed': { subject: 'line', words: 'changed the developer connection' },
  'line.incoming_webhook.created': { subject: 'line', words: 'created the incoming webhook' },
  'line.incoming_webhook.shown': { subject: 'line', words: 'was shown the URL of the incoming webhook' },
  'line.incoming_webhook.regenerated': { subject: 'line', words: 'gave the incoming webhook a new token' },
  'line.incoming_webhook.deleted': { subject: 'line', words: 'deleted the incoming webhook' },
  'line.text_list.started': { subject: 'line', words: 'started to send a text to a list' },
  'line.exported': { subject: 'line', words: 'exported all of the line' },

  'endpoint.added': { subject: 'endpoint', words: 'added an endpoint' },
  'endpoint.changed': { subject: 'endpoint', words: 'changed an endpoint' },
  'endpoint.deleted': { subject: 'endpoint', words: 'deleted an endpoint' },
  'endpoint.paused': { subject: 'endpoint', words: 'paused the events to an endpoint' },
  'endpoint.resumed': { subject: 'endpoint', words: 'let the events to an endpoint go out again' },
  'endpoint.secret.shown': { subject: 'endpoint', words: 'was shown the signing secret of an endpoint' },
  'endpoint.secret.rotated': { subject: 'endpoint', words: 'rotated the signing secret of an endpoint' },
  'endpoint.held_events.sent': { subject: 'endpoint', words: 'sent the held events of an endpoint' },
  'events.replayed': { subject: 'endpoint', words: 'replayed events' },

  'contact.blocked': { subject: 'contact', words: 'blocked a number' },
  'contact.unblocked': { subject: 'contact', words: 'unblocked a number' },

  'application.registered': { subject: 'application', words: 'registered the application' },
  'application.changed': { subject: 'application', words: 'changed the application' },
  'application.deleted': { subject: 'application', words: 'deleted the application' },
  'application.client_secret.rotated': { subject: 'application', words: 'rotated the client secret' },
  'task.stopped': { subject: 'task', words: 'stopped a background task' },

  'authorization.granted': { subject: 'application', words: 'authorized the application' },
  'authorization.refused': { subject: 'application', words: 'did not authorize the application' },
  'authorization.ended': { subject: 'application', words: 'disconnected the application' },
  'authorization.tokens_ended': {
    subject: 'application',
    words: 'lost its tokens: it revoked them, or used a code or a token too often',
  },

  'carrier_account.added': { subject: 'carrier_account', words: 'added the carrier account' },
  'carrier_account.changed': { subject: 'carrier_account', words: 'changed the carrier account' },
  'carrier_account.removed': { subject: 'carrier_account', words: 'removed the carrier account' },
  'carrier_account.paused': {
    subject: 'carrier_account',
    words: 'paused what the lines of the account send',
  },
  'carrier_account.resumed': {
    subject: 'carrier_account',
    words: 'let the lines of the account send again',
  },
  'carrier_account.import_started': {
    subject: 'carrier_account',
    words: 'started to import numbers of the account',
  },
  'carrier_account.numbers_set_up': {
    subject: 'carrier_account',
    words: 'let the carrier call us for numbers of the account',
  },

  'sending.paused': { subject: 'sending', words: 'paused all sending' },
  'sending.resumed': { subject: 'sending', words: 'let all sending go on' },
  'sending.after_restore': {
    subject: 'sending',
    words: 'marked as unknown what may have been sent before a restore',
  },

  'person.viewed': { subject: 'person', words: 'looked what is kept of a person' },
  'person.search_opened': {
    subject: 'person',
    words: "said why they look for people's numbers in users' messages",
  },
  'person.exported': { subject: 'person', words: 'exported all of a person' },
  'person.forgotten': { subject: 'person', words: 'had a person forgotten' },
  'retention.carried_out': { subject: 'retention', words: 'deleted what was kept long enough' },

  'queue.changed': { subject: 'queue', words: 'changed a queue in the dashboard' },
  'audit_log.viewed': { subject: 'audit_log', words: 'looked at the audit log' },
  'audit_log.exported': { subject: 'audit_log', words: 'exported the audit log' },
} as const satisfies Record<string, ActionAbout>

export type Action = keyof typeof ACTIONS

export function isAction(written: string): written is Action {
  return Object.hasOwn(ACTIONS, written)
}

/** The words before the first dot, each of which means all actions with that prefix. */
export const ACTION_GROUPS = [...new Set(listActions().map((action) => groupOf(action)))]

export function listActions(): Action[] {
  return Object.keys(ACTIONS) as Action[]
}

export function groupOf(action: string): string {
  return action.split('.')[0] ?? ''
}
