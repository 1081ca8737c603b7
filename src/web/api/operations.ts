import type { JsonSchema } from '../../shape.js'
import { applicationOperations, applicationSchemas } from './applications.js'
import { authorizationOperations, authorizationSchemas } from './authorizations.js'
import { connectionOperations, connectionSchemas } from './connections.js'
import { contactOperations, contactSchemas } from './contacts.js'
import { deliveryOperations, deliverySchemas } from './deliveries.js'
import { policyOperations, policySchemas } from './endpoint-policies.js'
import { endpointOperations, endpointSchemas } from './endpoints.js'
import { streamEvents } from './event-stream.js'
import { incomingWebhookOperations } from './incoming-webhook-settings.js'
import { lineOperations, lineSchemas } from './lines.js'
import { listenerOperations } from './listener-attempts.js'
import { messageOperations, messageSchemas } from './messages.js'
import type { Operation } from './operation.js'
import { portalLinkOperations, portalLinkSchemas } from './portal-links.js'
import { taskOperations, taskSchemas } from './tasks.js'
import { usageOperations, usageSchemas } from './usage.js'

/** All of /v1, in the order of the description. */
export const OPERATIONS: readonly Operation[] = [
  ...lineOperations,
  ...connectionOperations,
  ...incomingWebhookOperations,
  ...endpointOperations,
  ...policyOperations,
  ...messageOperations,
  ...usageOperations,
  ...contactOperations,
  ...deliveryOperations,
  ...taskOperations,
  streamEvents(),
  ...listenerOperations,
  ...applicationOperations,
  ...authorizationOperations,
  ...portalLinkOperations,
]

/** The schemas of their answers, by name. */
export const ANSWER_SCHEMAS: Record<string, JsonSchema> = {
  ...lineSchemas,
  ...connectionSchemas,
  ...policySchemas,
  ...endpointSchemas,
  ...messageSchemas,
  ...usageSchemas,
  ...contactSchemas,
  ...deliverySchemas,
  ...taskSchemas,
  ...applicationSchemas,
  ...authorizationSchemas,
  ...portalLinkSchemas,
}
