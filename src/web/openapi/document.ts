import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { isForThisMachineOnly } from '../../network.js'
import { applicationPaths, applicationSchemas } from './applications.js'
import { authorizationPaths, authorizationSchemas } from './authorizations.js'
import { connectionPaths, connectionSchemas } from './connections.js'
import { contactPaths, contactSchemas } from './contacts.js'
import { deliveryPaths, deliverySchemas } from './deliveries.js'
import { endpointPolicyPaths, policySchemas } from './endpoint-policies.js'
import { endpointPaths, endpointSchemas } from './endpoints.js'
import { eventPaths } from './events.js'
import { incomingWebhookSettingPaths } from './incoming-webhook-settings.js'
import { linePaths, lineSchemas } from './lines.js'
import { messagePaths, messageSchemas } from './messages.js'
import { describeScopes, oauthPaths, oauthSchemas } from './oauth.js'
import { closed, type Paths, type Schema } from './parts.js'
import { problemResponses, problems, problemSchema } from './problems.js'
import { productNamesOf, type ProductNames } from './product-names.js'
import { servicePaths, serviceSchemas, simulatorPaths } from './service.js'
import { taskPaths, taskSchemas } from './tasks.js'
import { outgoingWebhooks, webhookPaths, webhookSchemas } from './webhooks.js'

/**
 * Describes what programs can ask of this installation, in its own product word (OpenAPI 3.1). It is written by hand,
 * and tests compare it with the route table and with real answers.
 */
export function describeApi({ config, vocabulary }: Pick<Context, 'config' | 'vocabulary'>) {
  const words = productNamesOf(vocabulary)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Linehook',
      version: config.version,
      description:
        `Turns phone ${words.lines} into webhooks. Operations below /v1 need an API token: make one in the ` +
        "console, under Settings. Those that name scopes also take an application's access token. Success is always " +
        '200; errors are RFC 9457 problems.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this installation', url: config.publicUrl },
    },
    // The URL is relative, so that a reader who came by another host name goes on using that name.
    servers: [{ url: new URL(config.publicUrl).pathname }],
    security: [{ apiToken: [] }],
    tags: describeTags(words),
    paths: refuseUnknown({
      ...linePaths(words),
      ...connectionPaths(words),
      ...incomingWebhookSettingPaths(words),
      ...endpointPaths(words),
      ...endpointPolicyPaths(),
      ...messagePaths(words),
      ...contactPaths(words),
      ...deliveryPaths(words),
      ...taskPaths(words),
      ...eventPaths(words),
      ...applicationPaths(words),
      ...authorizationPaths(words),
      ...oauthPaths(words),
      ...webhookPaths(words),
      ...(config.simulator ? simulatorPaths(words, isForThisMachineOnly(config)) : {}),
      ...servicePaths,
    }),
    webhooks: outgoingWebhooks(words),
    components: {
      securitySchemes: {
        apiToken: { type: 'http', scheme: 'bearer', description: describeTokens(words) },
        application: {
          type: 'oauth2',
          description: "An application's access token, for the user who authorized it.",
          flows: {
            authorizationCode: {
              authorizationUrl: `${config.publicUrl}/oauth/authorize`,
              tokenUrl: `${config.publicUrl}/oauth/access`,
              refreshUrl: `${config.publicUrl}/oauth/access`,
              scopes: describeScopes(words),
            },
          },
        },
      },
      responses: problemResponses,
      schemas: {
        ...lineSchemas(words),
        ...connectionSchemas(words),
        ...policySchemas,
        ...endpointSchemas(words),
        ...messageSchemas(words),
        ...contactSchemas(words),
        ...deliverySchemas(words),
        ...taskSchemas(words),
        ...applicationSchemas(words),
        ...authorizationSchemas(words),
        ...oauthSchemas(words),
        ...webhookSchemas(words),
        ...serviceSchemas,
        Problem: problemSchema,
      },
    },
  }
}

/** What is below /v1 refuses fields and parameters that it does not know, except where the original had it. */
function refuseUnknown(paths: Paths): Paths {
  for (const [path, item] of Object.entries(paths)) {
    if (!path.startsWith('/v1/') || path.startsWith('/v1/oauth/')) continue
    for (const method of METHODS) {
      const operation = item[method]
      if (operation === undefined || operation['x-unknown-fields'] === 'ignored') continue
      operation.responses = { ...problems(400), ...operation.responses }
      const { content } = (operation.requestBody ?? {}) as { content?: Record<string, { schema: Schema }> }
      const json = content?.['application/json']
      if (content !== undefined && json !== undefined) {
        content['application/json'] = { ...json, schema: closed(json.schema) }
      }
    }
  }
  return paths
}

const METHODS = ['get', 'put', 'patch', 'post', 'delete'] as const

const describeTokens = ({ line }: ProductNames) =>
  'An API token: `lhp_…`, or `lhs_…` if it may do less. It may end by itself (401). One that may only read is refused with ' +
  `403 where something is changed or sent, or a secret is shown. One that is for one ${line} sees nothing of the others: ` +
  'they answer 404, what is listed belongs to its own, and applications are refused with 403.'

/** Nothing in it is secret, so it needs no token. */
export function getOpenApi(context: Context): Middleware {
  const document = JSON.stringify(describeApi(context))
  return (ctx) => {
    ctx.type = 'application/json'
    ctx.body = document
  }
}

/** The groups of operations, in the order of the document. */
function describeTags({ line, lines, Line }: ProductNames) {
  return [
    [`${Line}s`, `Your ${lines}: their names, limits, and who has opted out of them.`],
    ['Developer connection', `The connection between a ${line} and your own server.`],
    ['Endpoints', `The URLs that get events: those of ${lines}, and those of applications.`],
    ['Incoming webhook', `The secret URL by which your programs send texts from a ${line}.`],
    ['Messages', `What your ${lines} sent and received, and sending by token.`],
    ['Contacts', 'What you call numbers, and which of them are blocked.'],
    ['Deliveries', 'What became of each event.'],
    [
      'Background tasks',
      'Replays of events, held events by the thousand, and imports of numbers: how far they are.',
    ],
    ['Applications', `Programs that you make for other people's ${lines}.`],
    ['Authorized applications', `Other people's programs that may use your ${lines}.`],
    ['OAuth', 'How users authorize applications: the authorization code grant of OAuth 2.0.'],
    ['Outgoing webhook', 'What is posted to your server.'],
    ['Simulator', 'A network of simulated phones, to try things out.'],
    ['Service', 'The health of the service, and this document.'],
  ].map(([name, description]) => ({ name, description }))
}
