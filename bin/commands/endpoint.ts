import { OPT_IN_EVENT_TYPES } from '../../src/event-types.js'
import type { Command } from 'commander'
import { endpointStateOf } from '../../src/domain/endpoints/deliveries/endpoint-state.js'
import { sendHeldEvents } from '../../src/domain/endpoints/deliveries/held-events.js'
import { tryEndpointNow } from '../../src/domain/endpoints/deliveries/try-now.js'
import {
  addEndpoint,
  changeEndpoint,
  deleteEndpoint,
  enableEndpoint,
  getEndpoint,
  listEndpoints,
  MAX_LINE_ENDPOINTS,
  type Endpoint,
  type EndpointOwner,
} from '../../src/domain/endpoints/endpoints.js'
import { findClient } from '../../src/domain/applications/applications.js'
import type { Context } from '../../src/domain/context.js'
import { changePolicy, getPolicy, type ShownPolicy } from '../../src/domain/endpoints/policies.js'
import { POLICY_FIELDS } from '../../src/domain/endpoints/policy-fields.js'
import { parsePolicyText } from '../../src/domain/endpoints/policy-text.js'
import { revealSigningSecret, rotateSigningSecret } from '../../src/domain/endpoints/signing-secrets.js'
import { sendTestEvent } from '../../src/domain/endpoints/test-event.js'
import { getUserByEmail } from '../../src/domain/people/users.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { MAX_OVERLAP_SECONDS } from '../../src/domain/overlap.js'
import { withHost } from '../../src/domain/operating/overview/endpoints.js'
import { COMMAND_LINE, pauseEndpoint, resumeEndpoint } from '../../src/domain/operating/pauses.js'
import { commandsAbout } from '../subject-command.js'
import { printable, table } from '../terminal.js'
import { collect, readSettingOptions } from './carrier-options.js'
import { wholeNumber } from '../whole-number.js'

/** A user of the command line may act for every user. */
const OPERATOR = { isOperator: true } as const

const EVENTS = [
  '--events <types>',
  `events to send in addition to received messages: ${OPT_IN_EVENT_TYPES.join(',')}; empty for none`,
] as const

interface WrittenOptions {
  url?: string
  name?: string
  events?: string
}

export function addEndpointCommands(program: Command): void {
  const endpoint = program
    .command('endpoint')
    .description('URLs that receive the events of a line, an application or an account')

  const ofOwner = commandsAbout(
    endpoint,
    ['<owner>', "a line's ID or number, an application's ID, or a user's email address"],
    ownerOf,
  )
  ofOwner(
    'list',
    "list the endpoints of a line (outgoing webhook first), an application or a user's account",
    async (context, { owner, userId }) => {
      const endpoints = await listEndpoints(context, { userId }, owner)
      const lines = endpoints.length === 0 ? ['There are no endpoints.'] : table(endpoints.map(rowOf))
      return { result: endpoints, lines }
    },
  )
  ofOwner(
    'add',
    `add an endpoint to a line (up to ${MAX_LINE_ENDPOINTS} besides its outgoing webhook), to an application that has none, or ` +
      "to a user's account for notifications, and show its signing secret",
    async (context, { owner, userId }, url: string, options: WrittenOptions) => {
      const added = await addEndpoint(context, userId, owner, { ...writtenIn(options), url })
      const { signingSecret } = added
      return {
        result: { ...added.endpoint, signingSecret },
        lines: [`endpoint ${added.endpoint.id} added; signing secret: ${signingSecret}`],
      }
    },
    (command) =>
      command
        .argument('<url>', 'the URL that events are POSTed to')
        .option('--name <name>', 'its name')
        .option(...EVENTS),
  )

  const act = commandsAbout(endpoint, ['<endpoint>', 'its ID, from `endpoint list`'], (_context, id) =>
    Promise.resolve(id),
  )
  act(
    'change',
    'change an endpoint; omitted options stay unchanged',
    async (context, id, options: WrittenOptions) => {
      const changed = await changeEndpoint(context, OPERATOR, id, writtenIn(options))
      return { result: changed, lines: ['endpoint changed'] }
    },
    (command) =>
      command
        .option('--url <url>', 'the URL that events are POSTed to')
        .option('--name <name>', 'the name; an empty value removes it')
        .option(...EVENTS),
  )
  act(
    'test',
    'send a test event once and print the result',
    async (context, id, { type }: { type?: string }) => {
      const result = await sendTestEvent(context, OPERATOR, id, type)
      const { delivered, responseStatus, failure, durationMs } = result
      if (!delivered) process.exitCode = 1
      const outcome = `${delivered ? 'delivered' : 'failed'}: ${responseStatus ?? failure ?? ''}`
      return { result, lines: [`${outcome} in ${durationMs} ms`] }
    },
    (command) =>
      command.option(
        '--type <type>',
        'such as messageStatus (default: the first type that the endpoint gets)',
      ),
  )
  act(
    'set-policy',
    'change the delivery settings, starting with the next attempt',
    async (context, id, options: { set: string[] }) => {
      const fields = parsePolicyText(await readSettingOptions(options.set))
      return answerOf(await changePolicy(context, OPERATOR, id, fields))
    },
    (command) =>
      command.requiredOption(
        '--set <field=value>',
        `${POLICY_FIELDS.join(', ')}, or headers.<name>; separate list items with commas; an empty value restores the default, and - reads the value from ` +
          "standard input, which keeps secrets out of the shell's history; can be repeated",
        collect,
        [],
      ),
  )
  act('show', 'show an endpoint and its health', async (context, id) => {
    const found = await getEndpoint(context, OPERATOR, id)
    return { result: found, lines: table([rowOf(found)]) }
  })
  act('policy', 'show the delivery settings', async (context, id) =>
    answerOf(await getPolicy(context, OPERATOR, id)),
  )
  act('enable', 'enable an endpoint that was disabled after failing', async (context, id) => ({
    result: await enableEndpoint(context, OPERATOR, id),
    lines: ['endpoint enabled'],
  }))
  act('pause', 'pause its events, which wait until an operator resumes them', async (context, id) => {
    await pauseEndpoint(context, COMMAND_LINE, await getEndpoint(context, OPERATOR, id))
    return { result: await getEndpoint(context, OPERATOR, id), lines: ['events paused'] }
  })
  act('resume', 'resume its events, in order', async (context, id) => {
    await resumeEndpoint(context, COMMAND_LINE, await getEndpoint(context, OPERATOR, id))
    return { result: await getEndpoint(context, OPERATOR, id), lines: ['events resumed'] }
  })
  act('try-now', 'retry all waiting events now', async (context, id) => {
    const count = await tryEndpointNow(context, OPERATOR, id)
    return { result: { count }, lines: [`retrying ${count} events now`] }
  })
  act('send-held', 'send the events that were held while it was disabled', async (context, id) => {
    const count = await sendHeldEvents(context, OPERATOR, id)
    return { result: { count }, lines: [`${count} held events are being sent`] }
  })
  act('secret', 'show the secret that signs its events', async (context, id) => {
    const signingSecret = await revealSigningSecret(context, OPERATOR, id)
    return { result: { signingSecret }, lines: [signingSecret] }
  })
  act(
    'rotate-secret',
    'create a new signing secret; the old one also signs for 24 hours',
    async (context, id, { overlap: overlapSeconds }: { overlap?: number }) => {
      const signingSecret = await rotateSigningSecret(context, OPERATOR, id, { overlapSeconds })
      return { result: { signingSecret }, lines: [signingSecret] }
    },
    (command) =>
      command.option(
        '--overlap <seconds>',
        `how long the old secret also signs, at most ${MAX_OVERLAP_SECONDS} (the default)`,
        wholeNumber,
      ),
  )
  act('remove', 'delete an endpoint and cancel its waiting events', async (context, id) => ({
    result: await deleteEndpoint(context, OPERATOR, id),
    lines: ['endpoint deleted'],
  }))
}

/** @throws UserError if nothing has this id, number or address */
async function ownerOf(
  context: Context,
  reference: string,
): Promise<{ owner: EndpointOwner; userId: string }> {
  const application = await findClient(context, reference)
  if (application !== undefined)
    return { owner: { applicationId: application.id }, userId: application.userId }
  if (reference.includes('@'))
    return { owner: { isOfAccount: true }, userId: (await getUserByEmail(context, reference)).id }
  const { id, userId } = await getAnyLine(context, reference)
  return { owner: { lineId: id }, userId }
}

function writtenIn({ url, name, events }: WrittenOptions) {
  return { url, name, optInEvents: events?.split(/[\s,]+/).filter((type) => type !== '') }
}

/** Only the host of the URL is shown: the rest may be a secret. */
function rowOf(endpoint: Endpoint): string[] {
  const { id, name, isOutgoingWebhook } = endpoint
  const called = name === null ? '' : printable(name)
  return [
    id,
    isOutgoingWebhook ? 'outgoing webhook' : called,
    withHost(endpoint).host,
    endpointStateOf(endpoint),
  ]
}

function answerOf(policy: ShownPolicy) {
  const lines = [...POLICY_FIELDS, 'headerNames' as const, 'publicKeyUrl' as const].map(
    (name) => `${name}: ${wordsOf(policy[name])}`,
  )
  return { result: policy, lines }
}

function wordsOf(value: ShownPolicy[keyof ShownPolicy]): string {
  if (value === null) return 'default'
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value)
}
