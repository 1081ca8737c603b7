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
