import type { Scope } from '../../../src/domain/applications/application-access.js'
import {
  registerApplication,
  type RegisteredApplication,
} from '../../../src/domain/applications/applications.js'
import { authorizeLines } from '../../../src/domain/applications/authorizations.js'
import type { Context } from '../../../src/domain/context.js'
import { addUser } from '../../../src/domain/people/users.js'
import { newId } from '../../../src/ids.js'
import type { TestLine } from '../../helpers/factories.js'
import { sha256 } from '../../../src/secrets.js'

export const FIELDS = { name: 'Auto Reply', redirectUris: ['https://example.com/callback'] }

/** An application of a new user. */
export async function createApplication(
  context: Context,
  overrides: Partial<Parameters<typeof registerApplication>[2]> & { userId?: string } = {},
): Promise<RegisteredApplication & { id: string; userId: string; endpointId: string }> {
  const { userId: given, ...fields } = overrides
  const userId = given ?? (await addUser(context, { email: `${newId()}@example.com`, name: 'Grace' })).id
  const registered = await registerApplication(context, userId, { ...FIELDS, ...fields })
  const { id, endpointId } = registered.application
  return { ...registered, id, userId, endpointId: endpointId ?? '' }
}

/** The endpoint that the application has now. */
export function endpointOf({ db }: Context, { id }: { id: string }) {
  return db('applications as a')
    .join('endpoints as e', 'e.id', 'a.endpoint_id')
    .where({ 'a.id': id })
    .first<EndpointRow>('e.*')
}

interface EndpointRow {
  id: string
  url: string
  failing_since: Date | null
  disabled_at: Date | null
  disabled_reason: string
}

/** Tokens of a user for an application. */
export async function grantTokens({ db }: Context, { id }: { id: string }, userId: string): Promise<void> {
  await db('oauth_records').insert({
    ...{ kind: 'Grant', id_hash: sha256(newId()), application_id: id, user_id: userId, payload: '{}' },
    expires_at: new Date(Date.now() + 3_600_000),
  })
}

/** How many of them are not over. */
export async function countTokens({ db }: Context, { id }: { id: string }, userId: string): Promise<number> {
  const granted = db('oauth_records').where({ kind: 'Grant', application_id: id, user_id: userId })
  return (await granted.where('expires_at', '>', new Date())).length
}

/** The line's owner lets the application at this line, and at no other. */
export async function connect(
  context: Context,
  application: { id: string },
  line: Pick<TestLine, 'userId' | 'lineId'>,
  scopes: readonly Scope[] = ['messages:connect'],
): Promise<void> {
  const { userId, lineId } = line
  await authorizeLines(context, { applicationId: application.id, userId, lineIds: [lineId], scopes })
}
