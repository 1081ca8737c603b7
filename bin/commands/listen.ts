import type { Connection } from '../../clients/typescript/src/generated.js'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { stopSignal } from '../../dev/start/stop-signal.js'
import { backoffMs } from '../../src/domain/backoff.js'
import { signatureHeaders } from '../../src/domain/endpoints/deliveries/signature.js'
import { isId } from '../../src/ids.js'
import { newSigningSecret } from '../../src/secrets.js'
import { AnswersOfListener, type ListenerAnswer } from '../answers-of-listener.js'
import { readEventStream } from '../event-stream.js'
import {
  addRemoteOptions,
  askRemote,
  fetchRemote,
  findRemoteLine,
  reasonOf,
  refusalOf,
  RemoteRefusal,
  requireHttpUrl,
  runRemote,
  type Remote,
  type RemoteLine,
  type RemoteOptions,
} from '../remote.js'
import { printable, say } from '../terminal.js'
import { shownNumber } from './hidden.js'
import { moment, TIMES } from './list-options.js'

interface ListenOptions extends RemoteOptions {
  forwardTo: string
  since?: string | Date
  numbers?: boolean
}

/** An event of `/v1/lines/…/events/stream`. */
interface StreamedEvent {
  id: string
  type: string
  fromNumber: string
  headers: Record<string, string>
  body: string
}

/** The service waits this long for an endpoint. */
const FORWARD_MS = 15_000
const RECONNECT = { baseMs: 1000, factor: 2, capMs: 30_000, jitter: 0.2 }
/** After each reconnection the events of the last ten seconds come again, and are not forwarded again. */
const MAX_REMEMBERED = 10_000

export function addListenCommand(program: Command): void {
  const command = program
    .command('listen')
    .description("forward a line's events to a local URL until Ctrl-C; needs an API token but no database")
    .argument('<line>', 'ID or number')
    .requiredOption('--forward-to <url>', 'the URL to POST each event to, such as http://localhost:4000')
    .option(
      '--since <event or time>',
      `start after the event with this ID, or at a time: ${TIMES}`,
      readSince,
    )
    .option('--numbers', 'show whole phone numbers')
    .option('--json', 'print one JSON object per line')
  addRemoteOptions(command).action((reference: string, options: ListenOptions) => {
    const stopping = stopSignal()
    return runRemote(options, (remote) => listen(remote, reference, options, stopping))
  })
}

async function listen(
  remote: Remote,
  reference: string,
  options: ListenOptions,
  stopping: AbortSignal,
): Promise<void> {
  requireHttpUrl('--forward-to', options.forwardTo)
  const line = await findRemoteLine(remote, reference)
  const secret = await readOwnSecret(remote, line)
  say(
    `Events of ${printable(line.name)} ${shownNumber(line.phoneNumber, options)} are forwarded to ${options.forwardTo}.`,
  )
  const forwarded = new Set<string>()
  let lastId = typeof options.since === 'string' ? options.since : undefined
  let failures = 0
  const answers = new AnswersOfListener(remote, line.id, say)
  while (!isOver(stopping)) {
    try {
      const stream = await openStream(remote, line, { lastId, since: options.since }, stopping)
      for await (const { id, event, data } of readEventStream(stream)) {
        if (failures > 0) say('Reconnected.')
        failures = 0
        if (event !== 'position') {
          const streamed = JSON.parse(data) as StreamedEvent
          if (!forwarded.has(streamed.id)) {
            const answer = await forward(streamed, options.forwardTo, secret, stopping)
            show(answer, options)
            if (!isOver(stopping)) answers.add(noteOf(answer))
          }
          remember(forwarded, streamed.id)
        }
        lastId = id ?? lastId
        if (isOver(stopping)) break
      }
    } catch (error) {
      if (isOver(stopping)) break
      if (error instanceof RemoteRefusal && !error.mayPass) throw error
      if (failures === 0)
        say(`${error instanceof RemoteRefusal ? error.message : 'The stream ended'}. Reconnecting.`)
      failures += 1
    }
    await sleep(backoffMs(Math.max(1, failures), RECONNECT, Math.random()), undefined, {
      signal: stopping,
    }).catch(() => undefined)
  }
  await answers.flushAll()
}

function noteOf({ id, startedAt, durationMs, status, failure }: Forwarded): ListenerAnswer {
  // Error messages of this machine are private; a page can show a code.
  const code = failure === null || /^\w{1,64}$/.test(failure) ? failure : 'no_answer'
  return { eventId: id, startedAt, durationMs, responseStatus: status, failure: code }
}

/** This is a function because the value changes, although the compiler assumes that it does not. */
function isOver(stopping: AbortSignal): boolean {
  return stopping.aborted
}

/** Without an outgoing webhook URL, a line has no signing secret. Its events are then signed here, with one of this run. */
async function readOwnSecret(remote: Remote, line: RemoteLine): Promise<string> {
  const connection = (await askRemote(remote, `/v1/lines/${line.id}/connection`)) as Connection
  const given = process.env.LINEHOOK_SIGNING_SECRET ?? ''
  const secret = given === '' ? newSigningSecret() : given
  if (connection.outgoingWebhookUrl === null) {
    say(
      given === ''
        ? `The line has no outgoing webhook URL, so events are signed with a temporary secret: ${secret}`
        : 'The line has no outgoing webhook URL, so events are signed with LINEHOOK_SIGNING_SECRET.',
    )
  }
  return secret
}

async function openStream(
  remote: Remote,
  line: RemoteLine,
  { lastId, since }: { lastId: string | undefined; since: string | Date | undefined },
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const query = lastId === undefined && since instanceof Date ? `?from=${since.toISOString()}` : ''
  const response = await fetchRemote(remote, `/v1/lines/${line.id}/events/stream${query}`, {
    headers: { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
    signal,
  })
  if (!response.ok) throw await refusalOf(response)
  if (response.body === null) throw new RemoteRefusal('the service did not return a stream', true)
  return response.body
}

interface Forwarded {
  id: string
  type: string
  number: string
  /** null if there was no answer, and then `failure` says why. */
  status: number | null
  failure: string | null
  startedAt: string
  durationMs: number
}

/** Forwards an event once: a failure is shown, and not tried again. */
async function forward(
  { id, type, fromNumber, headers, body }: StreamedEvent,
  url: string,
  secret: string,
  stopping: AbortSignal,
): Promise<Forwarded> {
  const startedAt = performance.now()
  const at = new Date().toISOString()
  const signed =
    headers['webhook-signature'] === undefined
      ? signatureHeaders(id, Number(headers['webhook-timestamp']), body, [secret])
      : {}
  const done = (status: number | null, failure: string | null) => ({
    ...{ id, type, number: fromNumber, status, failure, startedAt: at },
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, ...signed },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(FORWARD_MS)]),
    })
    await response.body?.cancel()
    return done(response.status, null)
  } catch (error) {
    return done(null, reasonOf(error))
  }
}

function show({ number, startedAt: at, ...forwarded }: Forwarded, options: ListenOptions): void {
  const { id, type, status, failure, durationMs } = forwarded
  const shown = shownNumber(number, options)
  const words = [
    at,
    type.padEnd(13),
    shown.padEnd(12),
    String(status ?? failure).padEnd(3),
    `${durationMs} ms`,
    id,
  ]
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify({ at, ...forwarded, number: shown })}\n`
      : `${words.map(printable).join('  ')}\n`,
  )
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id)
  const [oldest] = ids
  if (ids.size > MAX_REMEMBERED && oldest !== undefined) ids.delete(oldest)
}

function readSince(written: string): string | Date {
  return isId(written) ? written : moment(written)
}
