import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { isForThisMachineOnly } from '../../network.js'
import { ANSWER_SCHEMAS, OPERATIONS } from '../api/operations.js'
import { oauthPaths, oauthSchemas, SCOPE_SENTENCES } from './oauth.js'
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
        'Turns phone {lines} into webhooks. Operations below /v1 need an API token: make one in the ' +
        "console, under Settings. Those that name scopes also take an application's access token. Success is always " +
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
  'An API token: `lhp_…`, or `lhs_…` if it may do less. It may end by itself (401). One that may only read is refused with ' +
  '403 where something is changed or sent, or a secret is shown. One that is for one {line} sees nothing of the others: ' +
  'they answer 404, what is listed belongs to its own, and applications are refused with 403.'

/** The document is public, so it needs no token. */
export function getOpenApi(context: Context): Middleware {
  const document = JSON.stringify(describeApi(context))
  return (ctx) => {
    ctx.type = 'application/json'
    ctx.body = document
  }
}

/** The groups of operations, in the order of the document. */
const TAGS = [
  [`{Line}s`, `Your {lines}: their names, limits, and who has opted out of them.`],
  ['Developer connection', `The connection between a {line} and your own server.`],
  ['Endpoints', `The URLs that get events: those of {lines}, and those of applications.`],
  ['Incoming webhook', `The secret URL by which your programs send texts from a {line}.`],
  ['Messages', `What your {lines} sent and received, and sending by token.`],
  ['Usage', 'What your {lines} sent, and what carriers say that it cost.'],
  ['Contacts', 'What you call numbers, and which of them are blocked.'],
  ['Deliveries', 'What became of each event.'],
  [
    'Background tasks',
    'Replays of events, held events by the thousand, and imports of numbers: how far they are.',
  ],
  ['Applications', `Programs that you make for other people's {lines}.`],
  ['Authorized applications', `Other people's programs that may use your {lines}.`],
  ['Portal links', `Links by which your own app lets users into the pages of their {lines}; for operators.`],
  ['OAuth', 'How users authorize applications: the authorization code grant of OAuth 2.0.'],
  ['Outgoing webhook', 'What is posted to your server.'],
  ['Simulator', 'A network of simulated phones, to try things out.'],
  ['Service', 'The health of the service, and this document.'],
]
