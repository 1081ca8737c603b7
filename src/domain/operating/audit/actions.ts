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
 * line and `docs/audit.md` are generated from this table, so an action without words does not compile.
 */
export const ACTIONS = {
  'sign_in.succeeded': { subject: 'session', words: 'signed in' },
  'sign_in.failed': { subject: 'user', words: 'failed to sign in with a password' },
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
    words: 'failed the second factor check',
  },
  'second_factor.locked_out': {
    subject: 'user',
    words: 'was locked out for 15 minutes after too many wrong codes',
  },
  'second_factor.recovery_code_used': { subject: 'user', words: 'used a recovery code' },
  'second_factor.recovery_codes_made': { subject: 'user', words: 'created new recovery codes' },
  'session.ended': { subject: 'session', words: 'ended a session' },
  'sessions.ended': { subject: 'user', words: 'ended several sessions' },
  'password.changed': { subject: 'user', words: 'changed the password' },
  'password.set': { subject: 'user', words: 'set a password with a set-up link' },
  'password.reset_asked': { subject: 'user', words: 'requested a password reset link' },
  'access.revoked': {
    subject: 'user',
    words: 'revoked all API tokens and disconnected all applications',
  },

  'user.added': { subject: 'user', words: 'added the user' },
  'user.set_up_link.created': { subject: 'user', words: 'created a set-up link' },
  'portal_link.created': { subject: 'user', words: "created a portal link to the user's lines" },
  'portal_link.opened': { subject: 'session', words: 'opened a portal link' },
  'user.disabled': { subject: 'user', words: 'disabled the user' },
  'user.enabled': { subject: 'user', words: 'enabled the user' },
  'user.spend_cap.set': { subject: 'user', words: "set the user's daily segment cap" },
  'user.monthly_cap.set': { subject: 'user', words: "set the user's monthly cap" },
  'user.country.paused': {
    subject: 'user',
    words: "paused the user's messages to a country after a sudden rise",
  },
  'user.country.resumed': { subject: 'user', words: "resumed the user's messages to a country" },
  'user.exported': { subject: 'user', words: "exported the account's data" },
  'user.activity.exported': { subject: 'user', words: 'exported messages and deliveries' },
  'user.viewed': { subject: 'user', words: "viewed the user's page" },
  'user.messages.opened': { subject: 'user', words: "gave a reason to view the user's messages" },
  'user.person.found': { subject: 'user', words: "found a person's number in the user's messages" },
  'user.person.exported': {
    subject: 'user',
    words: "exported a person's data, including the user's messages with them",
  },
  'user.person.forgotten': {
    subject: 'user',
    words: "erased a person's data, including the user's messages with them",
  },
  'message.rescheduled': { subject: 'message', words: 'rescheduled the message' },
  'message.cancelled': { subject: 'message', words: 'cancelled the message' },
  'message.viewed': { subject: 'message', words: 'viewed the message' },

  'api_token.created': { subject: 'api_token', words: 'created an API token' },
  'api_token.revoked': { subject: 'api_token', words: 'revoked an API token' },

  'line.added': { subject: 'line', words: 'added the line' },
  'line.changed': {
    subject: 'line',
    words: 'changed the countries, limits or carrier account of the line',
  },
  'line.routed': { subject: 'line', words: 'changed the routes of the line' },
  'line.short_codes.set': { subject: 'line', words: 'set which short codes the line may text' },
  'line.renamed': { subject: 'line', words: 'renamed the line' },
  'line.disabled': { subject: 'line', words: 'disabled the line' },
  'line.enabled': { subject: 'line', words: 'enabled the line' },
  'line.paused': { subject: 'line', words: 'paused sending on the line' },
  'line.resumed': { subject: 'line', words: 'resumed sending on the line' },
  'line.spend_cap.set': { subject: 'line', words: "set the line's daily segment cap" },
  'line.monthly_cap.set': { subject: 'line', words: "set the line's monthly cap" },
  'line.connection.changed': { subject: 'line', words: 'changed the developer connection' },
  'line.incoming_webhook.created': { subject: 'line', words: 'created the incoming webhook' },
  'line.incoming_webhook.shown': { subject: 'line', words: 'viewed the URL of the incoming webhook' },
  'line.incoming_webhook.regenerated': {
    subject: 'line',
    words: 'regenerated the token of the incoming webhook',
  },
  'line.incoming_webhook.deleted': { subject: 'line', words: 'deleted the incoming webhook' },
  'line.text_list.started': { subject: 'line', words: 'started sending a text to a list' },
  'line.exported': { subject: 'line', words: "exported the line's data" },

  'endpoint.added': { subject: 'endpoint', words: 'added an endpoint' },
  'endpoint.changed': { subject: 'endpoint', words: 'changed an endpoint' },
  'endpoint.deleted': { subject: 'endpoint', words: 'deleted an endpoint' },
  'endpoint.paused': { subject: 'endpoint', words: 'paused the events to an endpoint' },
  'endpoint.resumed': { subject: 'endpoint', words: 'resumed the events to an endpoint' },
  'endpoint.secret.shown': { subject: 'endpoint', words: 'viewed the signing secret of an endpoint' },
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
  'authorization.refused': { subject: 'application', words: 'declined to authorize the application' },
  'authorization.ended': { subject: 'application', words: 'disconnected the application' },
  'authorization.tokens_ended': {
    subject: 'application',
    words: 'lost its tokens, because it revoked them or reused a code or a token',
  },

  'carrier_account.added': { subject: 'carrier_account', words: 'added the carrier account' },
  'carrier_account.changed': { subject: 'carrier_account', words: 'changed the carrier account' },
  'carrier_account.removed': { subject: 'carrier_account', words: 'removed the carrier account' },
  'carrier_account.paused': {
    subject: 'carrier_account',
    words: "paused sending on the account's lines",
  },
  'carrier_account.resumed': {
    subject: 'carrier_account',
    words: "resumed sending on the account's lines",
  },
  'carrier_account.import_started': {
    subject: 'carrier_account',
    words: 'started importing numbers from the account',
  },
  'carrier_account.numbers_set_up': {
    subject: 'carrier_account',
    words: "set up callbacks for the account's numbers",
  },

  'sending.paused': { subject: 'sending', words: 'paused all sending' },
  'sending.resumed': { subject: 'sending', words: 'resumed all sending' },
  'sending.after_restore': {
    subject: 'sending',
    words: 'marked messages that may have been sent before a restore as unknown',
  },

  'person.viewed': { subject: 'person', words: "looked up a person's data" },
  'person.search_opened': {
    subject: 'person',
    words: "gave a reason to search users' messages for numbers",
  },
  'person.exported': { subject: 'person', words: "exported a person's data" },
  'person.forgotten': { subject: 'person', words: "erased a person's data" },
  'retention.carried_out': { subject: 'retention', words: 'deleted data past its retention period' },

  'queue.changed': { subject: 'queue', words: 'changed a queue in the dashboard' },
  'audit_log.viewed': { subject: 'audit_log', words: 'viewed the audit log' },
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
