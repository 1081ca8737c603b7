import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { isForThisMachineOnly } from '../../network.js'
import { ANSWER_SCHEMAS, OPERATIONS } from '../api/operations.js'
import { oauthPaths, oauthSchemas, SCOPE_SENTENCES } from './oauth.js'
import { withNamedBodies } from './named-bodies.js'
import { describeOperations } from './operations.js'
import { problemResponses, problemSchema } from './problems.js'
import { inProductWord } from './product-word.js'
import { servicePaths, serviceSchemas, simulatorPaths } from './service.js'
import { outgoingWebhooks, webhookPaths, webhookSchemas } from './webhooks.js'

/**
 * Describes the API of this installation for programs, in its own product word (OpenAPI 3.1). The part under /v1 is
 * made from the operations; the rest is written by hand. Tests compare all of it with the route table and with real
 * answers.
 */
export function describeApi({ config, vocabulary }: Pick<Context, 'config' | 'vocabulary'>) {
  const document = {
    openapi: '3.1.0',
    info: {
      title: config.brand.name,
      version: config.version,
      description:
        "Turns phone {lines} into webhooks. Operations below /v1 need an API token: create one in the console, under Settings. Those that list scopes also accept an application's access token. A successful request always returns " +
        '200; errors are RFC 9457 problems.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this installation', ...contactOf(config) },
    },
    // The URL is relative, so that a reader who came by another host name stays on it.
    servers: [{ url: new URL(config.publicUrl).pathname }],
    security: [{ apiToken: [] }],
    tags: TAGS.map(([name, description]) => ({ name, description })),
    paths: {
      ...describeOperations(OPERATIONS),
      ...oauthPaths(),
      ...webhookPaths(),
      ...(config.simulator ? simulatorPaths(isForThisMachineOnly(config)) : {}),
      ...servicePaths,
    },
    webhooks: outgoingWebhooks(),
    components: {
      securitySchemes: {
        apiToken: { type: 'http', scheme: 'bearer', description: TOKENS },
        application: {
          type: 'oauth2',
          description: "An application's access token, for the user who authorized it.",
          flows: {
            authorizationCode: {
              authorizationUrl: `${config.publicUrl}/oauth/authorize`,
              tokenUrl: `${config.publicUrl}/oauth/access`,
              refreshUrl: `${config.publicUrl}/oauth/access`,
              scopes: SCOPE_SENTENCES,
            },
          },
        },
      },
      responses: problemResponses,
      schemas: {
        ...ANSWER_SCHEMAS,
        ...oauthSchemas,
        ...webhookSchemas,
        ...serviceSchemas,
        Problem: problemSchema,
      },
    },
  }
  return inProductWord(document, vocabulary)
}

/** `url` would be a URL that a browser opens. */
function contactOf({ publicUrl, brand: { supportUrl = publicUrl } }: Context['config']) {
  const [, email] = /^mailto:([^?]+)/.exec(supportUrl) ?? []
  return email === undefined ? { url: supportUrl } : { email: decodeURIComponent(email) }
}

const TOKENS =
  'An API token: `lhp_…`, or `lhs_…` if it has limited permissions. It can expire (401). A read-only token gets 403 for ' +
  'changing or sending anything and for reading secrets. A token for one {line} gets 404 for other {lines}, lists only ' +
  'what belongs to its own {line}, and gets 403 for applications.'

/** The document is public, so it needs no token. It is made once, when it is first requested. */
export function getOpenApi(context: Context): Middleware {
  let document: string | undefined
  return (ctx) => {
    ctx.type = 'application/json'
    ctx.body = document ??= JSON.stringify(withNamedBodies(describeApi(context)))
  }
}

/** The groups of operations, in the order of the document. */
const TAGS: readonly (readonly [name: string, description: string])[] = [
  [`{Line}s`, `Your {lines}: names, limits and opt-outs.`],
  ['Developer connection', `The connection between a {line} and your own server.`],
  ['Endpoints', `The URLs that receive events from {lines} and applications.`],
  ['Incoming webhook', `The secret URL your programs use to send texts from a {line}.`],
  ['Messages', `The messages your {lines} sent and received. Send messages with an API token.`],
  ['Usage', 'What your {lines} sent, and the cost reported by carriers.'],
  ['Contacts', 'Names and blocks for phone numbers.'],
  ['Deliveries', 'The status of each event.'],
  ['Background tasks', 'The progress of event replays, held events, texts to a list, and number imports.'],
  ['Applications', `Applications you build for other people's {lines}.`],
  ['Authorized applications', `Other people's applications that can use your {lines}.`],
  [
    'Portal links',
    `Links that your own app uses to give users access to the pages of their {lines}. For operators.`,
  ],
  ['OAuth', 'How users authorize applications: the authorization code grant of OAuth 2.0.'],
  ['Outgoing webhook', 'The requests that are posted to your server.'],
  ['Simulator', 'Simulated phones for trying things out.'],
  ['Service', 'The health of the service, and this document.'],
]
