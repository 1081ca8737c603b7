import type { Application } from '../../database/applications/application.js'
import type { Database } from '../../database/connection.js'
import { removeEndpointUrl, setEndpointUrl } from '../../database/endpoints/endpoints.js'
import type { Context } from '../context.js'
import { makeEndpoint } from '../endpoints/endpoints.js'

/**
 * Sets or removes an application's webhook URL, while the application is locked. A changed URL starts with a clean bill
 * of health, and so does one that was disabled. A URL that is set after one was removed keeps the same secret and gets
 * the held events.
 *
 * @returns the signing secret of a new endpoint, otherwise null
 */
export async function setApplicationEndpointUrl(
  context: Context,
  trx: Database,
  application: Pick<Application, 'id' | 'userId' | 'keptEndpointId'> & Partial<Application>,
  url: string | null,
): Promise<string | null> {
  const { id, userId, keptEndpointId } = application
  if (url === null) {
    if (keptEndpointId !== null) await removeEndpointUrl(trx, keptEndpointId)
    return null
  }
  if (keptEndpointId !== null) {
    const isClean = application.webhookUrl === url && application.endpointDisabledAt === null
    if (!isClean) await setEndpointUrl(trx, keptEndpointId, url)
    return null
  }
  const { signingSecret } = await makeEndpoint(context, trx, { userId, applicationId: id }, { url })
  return signingSecret
}
