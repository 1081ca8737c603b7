import { Option, type Command } from 'commander'
import { findLineNames } from '../../src/database/lines/lines.js'
import {
  DIRECTIONS,
  MESSAGE_TYPES,
  type Direction,
  type Message,
  type MessageType,
} from '../../src/database/messages/message.js'
import { listAnyMessages, listMessages } from '../../src/database/messages/reading.js'
import { storable } from '../../src/database/text.js'
import type { Context } from '../../src/domain/context.js'
import {
  findEvents,
  type EventWithDeliveries,
} from '../../src/domain/endpoints/deliveries/delivery-history.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { getAnyMessage } from '../../src/domain/messages/get-message.js'
import { cancelMessage, rescheduleMessage } from '../../src/domain/messages/scheduling.js'
import { postMessage } from '../../src/domain/messages/post.js'
import { sendMessageAgain } from '../../src/domain/messages/send-again.js'
import { tryMessageNow } from '../../src/domain/messages/try-now.js'
import { newId } from '../../src/ids.js'
import { MESSAGE_STATUSES } from '../../src/states.js'
import { readInput } from '../input.js'
import { run } from '../run.js'
import { commandsAbout } from '../subject-command.js'
import { facts, printable, table } from '../terminal.js'
import { originOf, shownAttempt, shownDelivery, shownMessage, shownNumber, type Shown } from './hidden.js'
import {
  momentAhead,
  readFilter,
  readWhose,
  TIMES_AHEAD,
  withListOptions,
  type ListOptions,
} from './list-options.js'

interface MessageListOptions extends ListOptions, Shown {
  status?: string
  type?: MessageType
  direction?: Direction
  clientRef?: string
}

interface SendOptions {
  line: string
  to: string
  text?: string
  mediaUrl?: string[]
  sendAt?: Date
  expiresAt?: Date
  clientRef?: string
  idempotencyKey?: string
  json?: boolean
}

/** The query may cover all users, who may have a hundred thousand lines. */
const STATEMENT_MS = 10_000

export function addMessageCommands(program: Command): void {
  const message = program.command('message').description('messages that lines send and receive')

  withListOptions(
    message
      .command('list')
      .description('list messages, newest first, of all users or of one line or user')
      .addOption(new Option('--direction <direction>', 'only this direction').choices(DIRECTIONS))
      .option('--client-ref <name>', 'only with this client reference')
      .option('--text', 'show the texts'),
    MESSAGE_STATUSES,
    MESSAGE_TYPES,
  ).action((options: MessageListOptions) =>
    run(options, (context) => list(context, options), { statementTimeoutMs: STATEMENT_MS }),
  )

  message
    .command('send')
    .description('send a text or media from a line, now or later')
    .requiredOption('--line <line>', 'ID or number of the line to send from')
    .requiredOption('--to <number>', 'the number to send to')
    .option('--text <text>', 'the text; - reads it from standard input')
    .option('--media-url <url...>', 'the URL of a png, jpg, gif or mpg file; can be repeated')
    .option('--send-at <time>', `when to send it, up to 30 days ahead: ${TIMES_AHEAD}`, momentAhead)
    .option('--expires-at <time>', 'when it expires if it has not been sent', momentAhead)
    .option('--client-ref <name>', 'your own reference')
    .option('--idempotency-key <key>', 'repeating the command with the same key sends nothing')
    .option('--json', 'print JSON')
    .action((options: SendOptions) => run(options, (context) => send(context, options)))

  const about = commandsAbout(message, ['<id>', 'ID of the message'], getAnyMessage)

  about(
    'reschedule',
    'change when a message is sent, if it has not been handed to a carrier yet',
    async (context, { id, userId }, { sendAt }: { sendAt: Date }) => {
      const moved = await rescheduleMessage(context, userId, id, sendAt)
      return { result: shownMessage(context, moved, {}), lines: [`${moved.id} is ${whenOf(moved)}`] }
    },
    (command) => command.requiredOption('--send-at <time>', `when to send it: ${TIMES_AHEAD}`, momentAhead),
  )

  about('cancel', 'cancel a scheduled or queued message', async (context, { id, userId }) => {
    const cancelled = await cancelMessage(context, userId, id)
    return { result: shownMessage(context, cancelled, {}), lines: [`${cancelled.id} is cancelled`] }
  })

  about('show', 'show a message, its status and where its events went', show, (command) =>
    command
      .option('--numbers', 'show whole phone numbers')
      .option('--text', "show the text and the endpoints' responses"),
  )

  about('try-now', 'retry a waiting message now', async (context, { id, userId }) => {
    const restarted = await tryMessageNow(context, userId, id)
    return { result: shownMessage(context, restarted, {}), lines: [`retrying ${id} now`] }
  })

  about(
    'send-again',
    'resend a failed or unknown message as a new message',
    async (context, { id, userId }) => {
      const again = await sendMessageAgain(context, userId, id, newId(), 'console')
      return {
        result: shownMessage(context, again, {}),
        lines: [`${id} resent as ${again.id}, which is ${again.status}`],
      }
    },
  )
}

async function send(context: Context, options: SendOptions) {
  const { line, to, text, mediaUrl, idempotencyKey, sendAt, expiresAt, clientRef } = options
  const { id: lineId, userId } = await getAnyLine(context, line)
  const sent = await postMessage(context, {
    isFromConsole: true,
    userId,
    applicationId: undefined,
    lineId,
    toNumber: to,
    text: text === '-' ? (await readInput(['text'])).text : text,
    mediaUrls: mediaUrl,
    idempotencyKey,
    sendAt,
    expiresAt,
    clientRef,
  })
  return { result: shownMessage(context, sent, {}), lines: [`${sent.id} is ${whenOf(sent)}`] }
}

function whenOf({ status, sendAt }: Message): string {
  return status === 'scheduled' && sendAt !== null ? `scheduled for ${sendAt.toISOString()}` : status
}

async function list(context: Context, options: MessageListOptions) {
  const { userId, ...whose } = await readWhose(context, options)
  const { filter, page } = readFilter(options)
  const { status, type, direction, clientRef } = options
  const reference = clientRef === undefined ? undefined : storable(clientRef)
  const wanted = { ...filter, ...whose, status, type, direction, clientRef: reference }
  const found =
    userId === undefined
      ? await listAnyMessages(context.db, wanted, page)
      : await listMessages(context.db, userId, wanted, page)
  const names = await findLineNames(
    context.db,
    found.map(({ lineId }) => lineId),
  )
  const row = (each: Message) => [
    each.id,
    each.createdAt.toISOString(),
    each.direction,
    shownNumber(contactOf(each), options),
    each.status,
    printable(names.get(each.lineId) ?? ''),
    printable([each.error ?? '', options.text === true ? (each.text ?? '') : ''].filter(Boolean).join('  ')),
  ]
  return {
    result: found.map((each) => shownMessage(context, each, options)),
    lines: found.length === 0 ? ['No messages match.'] : table(found.map(row)),
  }
}

async function show(context: Context, message: Message, options: Shown) {
  const events = await findEvents(context, message.userId, message.id)
  const names = await findLineNames(context.db, [message.lineId])
  return {
    result: {
      ...shownMessage(context, message, options),
      events: events.map((event) => ({
        ...event,
        deliveries: event.deliveries.map((each) => ({
          ...shownDelivery(context, each, options),
          attempts: each.attempts.map((attempt) => shownAttempt(attempt, options)),
        })),
      })),
    },
    lines: [
      `${message.direction} ${message.type} ${message.id}`,
      ...factsOf(message, names.get(message.lineId) ?? '', options),
      ...events.flatMap(linesOfEvent),
    ],
  }
}

function factsOf(message: Message, lineName: string, options: Shown): string[] {
  const { text, error, carrierCode } = message
  const why = error === null ? '' : `: ${error}${carrierCode === null ? '' : ` (${carrierCode})`}`
  const length = text === null ? '' : `${text.length} characters; add --text to show them`
  return facts({
    line: `${printable(lineName)} (${message.lineId})`,
    source: message.source,
    from: shownNumber(message.fromNumber, options),
    to: shownNumber(message.toNumber, options),
    state: printable(message.status + why),
    attempts: String(message.attemptCount),
    'scheduled for': message.sendAt?.toISOString() ?? null,
    expires: message.expiresAt?.toISOString() ?? null,
    'client reference': printable(message.clientRef ?? ''),
    [message.direction === 'outbound' ? 'accepted' : 'received']: message.createdAt.toISOString(),
    sent: message.sentAt?.toISOString() ?? null,
    report: message.receiptAt?.toISOString() ?? null,
    'carrier ID': printable(message.carrierMessageId ?? ''),
    'resend of': message.againOf,
    media: message.media.length === 0 ? null : message.media.map(({ status }) => status).join(', '),
    text: options.text === true ? printable(text ?? '') : length,
  })
}

function linesOfEvent({ id, type, deliveries }: EventWithDeliveries): string[] {
  return [
    `event ${type} ${id}`,
    ...table(
      deliveries.map((each) => [
        `  delivery ${each.id}`,
        originOf(each.url),
        each.status,
        `${each.attemptCount} attempts`,
        each.lastFailure ?? '',
      ]),
    ),
  ]
}

function contactOf({ direction, fromNumber, toNumber }: Message): string {
  return direction === 'outbound' ? toNumber : fromNumber
}
