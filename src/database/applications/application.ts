import { OPT_IN_EVENT_TYPES } from '../../event-types.js'
import { MAX_URL_LENGTH } from '../../safe-fetch.js'
import {
  count,
  internal,
  listOf,
  made,
  moment,
  named,
  oneOf,
  orNull,
  shown,
  text,
  url,
  uuid,
  type Kind,
  type Row,
} from '../../shape.js'
import { DISABLED_REASONS } from '../endpoints/endpoints.js'

/**
 * A confidential application has a server that keeps its secret; a public one runs where everyone can read it, and
 * has none.
 */
const APPLICATION_KINDS = ['confidential', 'public'] as const

export type ApplicationKind = (typeof APPLICATION_KINDS)[number]

const name: Kind<string> = { schema: { type: 'string', minLength: 1, maxLength: 100, pattern: '\\S' } }
const redirectUris: Kind<string[]> = {
  schema: {
    type: 'array',
    items: { type: 'string', format: 'uri', maxLength: MAX_URL_LENGTH },
    minItems: 1,
    maxItems: 10,
  },
}
const hash: Kind<Buffer> = { schema: {} }

/**
 * An application as its owner sees it. The columns are those of `applications a`, of its owner `u`, of its endpoint
 * `e`, and of the endpoint `k` that remains when its URL is removed.
 */
export const APPLICATION_FIELDS = {
  id: shown('a.id', uuid),
  /** The user who registered it. */
  userId: internal('a.user_id', uuid),
  ownerName: internal('u.name', text),
  clientId: shown('a.client_id', text),
  kind: shown(
    'a.kind',
    oneOf(...APPLICATION_KINDS),
    '`confidential`: has a server that can keep a secret. `public`: has no secret and must use PKCE.',
  ),
  /** A SHA-256; null for a public application. */
  clientSecretHash: internal('a.client_secret_hash', orNull(hash)),
  name: shown('a.name', name, 'Shown to users when they authorize the application.'),
  /** The description may be empty. */
  description: shown('a.description', text),
  website: shown('a.website', orNull(url)),
  redirectUris: shown(
    'a.redirect_uris',
    redirectUris,
    "Must match exactly. Use https, an app's own scheme, or http on the local machine, with any port.",
  ),
  /** The endpoint, even if its webhook URL was removed. */
  keptEndpointId: internal('a.endpoint_id', orNull(uuid)),
  /** The endpoint's fields are all set with a webhook URL, and all null without one. */
  endpointId: internal('e.id', orNull(uuid)),
  webhookUrl: shown('e.url', orNull(url), 'The URL that receives its events. Null if there is none.'),
  /** The kept endpoint has them too: they return with a webhook URL. */
  optInEvents: shown(
    `coalesce(k.opt_in_events, '{}')`,
    listOf(oneOf(...OPT_IN_EVENT_TYPES)),
    'The events it gets in addition to received messages. `lineDisconnected` is sent when a user disconnects a {line}.',
  ),
  endpoint: made(orNull(named('EndpointHealth')), "The webhook URL's health; null without a URL."),
  endpointFailingSince: internal('e.failing_since', orNull(moment)),
  endpointFailureCount: internal('e.consecutive_failure_count', orNull(count)),
  endpointDisabledAt: internal('e.disabled_at', orNull(moment)),
  endpointPausedAt: internal('e.paused_at', orNull(moment)),
  /** A user's id; null for the command line. */
  endpointPausedBy: internal('e.paused_by', orNull(uuid)),
  endpointDisabledReason: internal('e.disabled_reason', orNull(oneOf(...DISABLED_REASONS))),
  /** Until then, events are also signed with the secret from before the last rotation. */
  previousSecretUntil: internal(
    'case when e.previous_secret_until > now() then e.previous_secret_until end',
    orNull(moment),
  ),
  createdAt: shown('a.created_at', moment),
}

export type Application = Row<typeof APPLICATION_FIELDS>
