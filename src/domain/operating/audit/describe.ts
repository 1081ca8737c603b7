import type { AuditDetails, ListedAuditRow } from '../../../database/operating/audit-log.js'
import { ACTIONS, isAction, type SubjectKind } from './actions.js'
import { ACTOR_KINDS, type ActorKind } from './actor.js'

/**
 * Shows a row to the user whose data they are: it hides the names and addresses of other actors. Visitors keep the
 * address, because that is how a stranger is recognized.
 */
export function asSeenBy(userId: string, row: ListedAuditRow): ListedAuditRow {
  if (row.actorId === userId || row.actorKind === 'visitor') return row
  // An operator's search of the log may name other users.
  const after = row.action.startsWith('audit_log.') ? null : row.after
  return { ...row, after, actorId: null, actorEmail: null, credentialId: null, address: null }
}

export function describeActor(row: ListedAuditRow): string {
  const { actorKind, actorId, actorEmail, applicationName } = row
  const somebody = actorEmail ?? (actorId === null ? 'an operator' : 'a deleted user')
  if (actorKind === 'user') return somebody
  if (actorKind === 'api_token') return `${somebody}, with an API token`
  if (actorKind === 'portal_link') return `someone with a portal link from ${somebody}`
  if (actorKind === 'application') return `${applicationName ?? 'an application'}, for ${somebody}`
  return Object.hasOwn(ACTOR_KINDS, actorKind) ? ACTOR_KINDS[actorKind as ActorKind] : actorKind
}

/** Describes the action for people. An action from a later release has no words yet. */
export function describeAction({ action }: Pick<ListedAuditRow, 'action'>): string {
  return isAction(action) ? ACTIONS[action].words : action
}

export function subjectKindOf({ action }: Pick<ListedAuditRow, 'action'>): SubjectKind | null {
  return isAction(action) ? ACTIONS[action].subject : null
}

export interface Change {
  name: string
  /** undefined if the row has only the later state. */
  before: string | undefined
  after: string | undefined
}

/** Lists the differences in the order in which they were recorded. Empty fields of a new thing are left out. */
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
