import type { Command } from 'commander'
import type { Context } from '../../src/domain/context.js'
import { endpointStateOf } from '../../src/domain/endpoints/deliveries/endpoint-state.js'
import { sendHeldEvents } from '../../src/domain/endpoints/deliveries/held-events.js'
import { tryLineEventsNow } from '../../src/domain/endpoints/deliveries/try-now.js'
import {
  addLineEndpoint,
  changeLineEndpoint,
  deleteLineEndpoint,
  enableLineEndpoint,
  findAnyLineEndpoint,
  listLineEndpoints,
  MAX_LINE_ENDPOINTS,
  type LineEndpoint,
} from '../../src/domain/endpoints/line-endpoints.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { LINE_OPT_IN_EVENT_TYPES } from '../../src/domain/endpoints/opt-in-events.js'
import { withHost } from '../../src/domain/operating/overview/endpoints.js'
import { UserError } from '../../src/errors.js'
import { run } from '../run.js'
import { printable, table } from '../terminal.js'

interface WrittenOptions {
  url?: string
  name?: string
  events?: string
  json?: boolean
}

/** What is done with those that a line has beside its outgoing webhook URL. */
export function addFurtherCommands(endpoint: Command): void {
  endpoint
    .command('list')
    .description("list a line's further endpoints, oldest first")
    .argument('<line>', 'id or number')
    .option('--json', 'print JSON')
    .action((reference: string, options: { json?: boolean }) =>
      run(options, async (context) => {
        const { id, userId } = await getAnyLine(context, reference)
        const endpoints = await listLineEndpoints(context, userId, id)
        const none = 'There is none beside the outgoing webhook URL.'
        return { result: endpoints, lines: endpoints.length === 0 ? [none] : table(endpoints.map(rowOf)) }
      }),
    )

  endpoint
    .command('add')
    .description(
      `add an endpoint beside the outgoing webhook URL, up to ${MAX_LINE_ENDPOINTS}, and show its signing secret`,
    )
    .argument('<line>', 'id or number')
    .argument('<url>', 'where events are POSTed')
    .option('--name <name>', 'what to call it')
    .option(...EVENTS)
    .option('--json', 'print JSON')
    .action((reference: string, url: string, options: WrittenOptions) =>
      run(options, async (context) => {
        const { id, userId } = await getAnyLine(context, reference)
        const added = await addLineEndpoint(context, userId, id, { ...writtenIn(options), url })
        const { signingSecret } = added
        return {
          result: { ...added.endpoint, signingSecret },
          lines: [`endpoint ${added.endpoint.id} added; signing secret ${signingSecret}`],
        }
      }),
    )

  const further = (name: string, description: string) =>
    endpoint.command(name).description(description).argument('<endpoint>', 'id of a further endpoint')

  further('change', 'change a further endpoint; what is left out stays')
    .option('--url <url>', 'where events are POSTed')
    .option('--name <name>', 'what to call it; an empty one takes the name away')
    .option(...EVENTS)
    .option('--json', 'print JSON')
    .action((reference: string, options: WrittenOptions) =>
      run(options, async (context) => {
        const { id, lineId, userId } = await require(context, reference)
        const changed = await changeLineEndpoint(context, userId, lineId, id, writtenIn(options))
        return { result: changed, lines: ['endpoint changed'] }
      }),
    )

  const command = (
    name: string,
    description: string,
    work: (
      context: Context,
      userId: string,
      lineId: string,
      id: string,
    ) => Promise<{ result: unknown; said: string }>,
  ) =>
    further(name, description)
      .option('--json', 'print JSON')
      .action((reference: string, options: { json?: boolean }) =>
        run(options, async (context) => {
          const { id, lineId, userId } = await require(context, reference)
          const { result, said } = await work(context, userId, lineId, id)
          return { result, lines: [said] }
        }),
      )
  command('enable', 'enable a further endpoint that was disabled for failing', async (...of) => ({
    result: await enableLineEndpoint(...of),
    said: 'endpoint enabled',
  }))
  command('try-events-now', 'try all events now that wait for their next attempt', async (...of) => {
    const count = await tryLineEventsNow(...of)
    return { result: { count }, said: `${count} events are tried now` }
  })
  command(
    'send-held',
    'send the events that were held while a further endpoint was disabled',
    async (...of) => {
      const count = await sendHeldEvents(...of)
      return { result: { count }, said: `${count} held events are being sent` }
    },
  )
  command('remove', 'delete a further endpoint, and end what waits for it', async (...of) => ({
    result: await deleteLineEndpoint(...of),
    said: 'endpoint deleted',
  }))
}

const EVENTS = [
  '--events <types>',
  `the events that it gets besides those of received messages: ${LINE_OPT_IN_EVENT_TYPES.join(',')}; empty for none`,
] as const

function writtenIn({ url, name, events }: WrittenOptions) {
  return { url, name, optInEvents: events?.split(/[\s,]+/).filter((type) => type !== '') }
}

/** @throws UserError 404 */
async function require(context: Context, id: string): Promise<LineEndpoint> {
  const found = await findAnyLineEndpoint(context, id)
  if (found === undefined)
    throw new UserError(`no further endpoint has the id ${id}: see linehook endpoint list`, 404)
  return found
}

/** Of the URL only the host: the rest may be a secret. */
function rowOf(endpoint: LineEndpoint): string[] {
  const { id, name } = endpoint
  return [id, name === null ? '' : printable(name), withHost(endpoint).host, endpointStateOf(endpoint)]
}
