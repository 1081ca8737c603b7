import type { AuditDetails, ListedAuditRow } from '../../../database/operating/audit-log.js'
import { ACTIONS, isAction, type SubjectKind } from './actions.js'
import { ACTOR_KINDS, type ActorKind } from './actor.js'

/**
 * A row as the user may see it whose data it is: of anybody else who acted, neither the name nor the address. Of visitors it
 * has the address, because that is how one knows a stranger.
 */
export function asSeenBy(userId: string, row: ListedAuditRow): ListedAuditRow {
  if (row.actorId === userId || row.actorKind === 'visitor') return row
  // What an operator asked the log for may name other users.
  const after = row.action.startsWith('audit_log.') ? null : row.after
  return { ...row, after, actorId: null, actorEmail: null, credentialId: null, address: null }
}

/** Who did it, for people. */
export function actorInWords(row: ListedAuditRow): string {
  const { actorKind, actorId, actorEmail, applicationName } = row
  const somebody = actorEmail ?? (actorId === null ? 'an operator' : 'a user who is gone')
  if (actorKind === 'user') return somebody
  if (actorKind === 'api_token') return `${somebody}, by an API token`
  if (actorKind === 'application') return `${applicationName ?? 'an application'}, for ${somebody}`
  return Object.hasOwn(ACTOR_KINDS, actorKind) ? ACTOR_KINDS[actorKind as ActorKind] : actorKind
}

/** What was done, for people. An action of a later release has no words yet. */
export function actionInWords({ action }: Pick<ListedAuditRow, 'action'>): string {
  return isAction(action) ? ACTIONS[action].words : action
}

export function subjectKindOf({ action }: Pick<ListedAuditRow, 'action'>): SubjectKind | null {
  return isAction(action) ? ACTIONS[action].subject : null
}

export interface Change {
  name: string
  /** undefined: it tells how it was, or how it is, and nothing of the other. */
  before: string | undefined
  after: string | undefined
}

/** What differs, in the order in which it was written down. Of what is new, what it has nothing of goes without saying. */
export function changesOf({ before, after }: ListedAuditRow): Change[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .map((name) => ({ name, before: textOf(before?.[name]), after: textOf(after?.[name]) }))
    .filter((change) => before !== null || change.after !== NOTHING)
}

const NOTHING = 'none'

function textOf(value: AuditDetails[string] | undefined): string | undefined {
  if (value === undefined) return undefined
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
  return text === '' ? NOTHING : text
}
