import { LINE_EVENT_TYPES, type EventType } from '../../src/event-types.js'
import type { Command } from 'commander'
import type { Delivery } from '../../src/database/endpoints/deliveries/delivery.js'
import { listAnyDeliveries, listDeliveries } from '../../src/database/endpoints/deliveries/reading.js'
import { findLineNames } from '../../src/database/lines/lines.js'
import type { Context } from '../../src/domain/context.js'
import {
  getAnyDelivery,
  type DeliveryOfUser,
} from '../../src/domain/endpoints/deliveries/delivery-history.js'
import { sendDeliveryAgain } from '../../src/domain/endpoints/deliveries/send-again.js'
import { tryDeliveryNow } from '../../src/domain/endpoints/deliveries/try-now.js'
import { DELIVERY_STATUSES } from '../../src/states.js'
import { formatDuration, phaseWords } from '../../src/web/console/messages/message/labels.js'
import { run } from '../run.js'
import { commandsAbout } from '../subject-command.js'
import { facts, printable, table } from '../terminal.js'
import { originOf, shownAttempt, shownDelivery, shownNumber, type Shown } from './hidden.js'
import { readFilter, readWhose, withListOptions, type ListOptions } from './list-options.js'

type DeliveryListOptions = ListOptions & { status?: string; type?: EventType }

const STATEMENT_MS = 10_000

export function addDeliveryCommands(program: Command): void {
  const delivery = program.command('delivery').description('deliveries of events to endpoints')

  withListOptions(
    delivery
      .command('list')
      .description('list deliveries, newest first, of all users or of one line or user'),
    DELIVERY_STATUSES,
    LINE_EVENT_TYPES,
  ).action((options: DeliveryListOptions) =>
    run(options, (context) => list(context, options), { statementTimeoutMs: STATEMENT_MS }),
  )

  const about = commandsAbout(delivery, ['<id>', 'ID of the delivery'], getAnyDelivery)

  about('show', 'show a delivery with all its attempts', show, (command) =>
    command.option('--numbers', 'show whole phone numbers').option('--text', "show the endpoint's responses"),
  )

  about('try-now', 'retry a waiting delivery now', async (context, { id, userId }) => {
    const restarted = await tryDeliveryNow(context, userId, id)
    return { result: shownDelivery(context, restarted, {}), lines: [`retrying ${id} now`] }
  })

  about(
    'send-again',
    'retry a finished or held delivery with a new round of attempts and the same webhook-id',
    async (context, { id, userId }) => {
      const again = await sendDeliveryAgain(context, userId, id)
      return {
        result: shownDelivery(context, again, {}),
        lines: [`retrying ${id}, which is now ${again.status}`],
      }
    },
  )
}

async function list(context: Context, options: DeliveryListOptions) {
  const { userId, ...whose } = await readWhose(context, options)
  const { filter, page } = readFilter(options)
  const { status, type } = options
  const wanted = { ...filter, ...whose, status, type }
  const found =
    userId === undefined
      ? await listAnyDeliveries(context.db, wanted, page)
      : await listDeliveries(context.db, userId, wanted, page)
  const names = await findLineNames(
    context.db,
    found.flatMap(({ lineId }) => lineId ?? []),
  )
  const row = (each: Delivery) => [
    each.id,
    each.createdAt.toISOString(),
    each.type,
    shownNumber(each.fromNumber, options),
    each.status,
    printable(names.get(each.lineId ?? '') ?? ''),
    originOf(each.url),
    each.lastFailure ?? '',
  ]
  return {
    result: found.map((each) => shownDelivery(context, each, options)),
    lines: found.length === 0 ? ['No deliveries match.'] : table(found.map(row)),
  }
}

async function show(context: Context, delivery: DeliveryOfUser, options: Shown) {
  const { attempts } = delivery
  const names = await findLineNames(context.db, delivery.lineId === null ? [] : [delivery.lineId])
  return {
    result: {
      ...shownDelivery(context, delivery, options),
      attempts: attempts.map((attempt) => shownAttempt(attempt, options)),
    },
    lines: [
      `${delivery.type} ${delivery.id}`,
      ...facts({
        line:
          delivery.lineId === null
            ? null
            : `${printable(names.get(delivery.lineId) ?? '')} (${delivery.lineId})`,
        event: delivery.eventId,
        message: delivery.messageId,
        from: shownNumber(delivery.fromNumber, options),
        to: shownNumber(delivery.toNumber, options),
        endpoint: originOf(delivery.url),
        application: printable(delivery.applicationName ?? ''),
        state: delivery.status + (delivery.lastFailure === null ? '' : `: ${delivery.lastFailure}`),
        made: delivery.createdAt.toISOString(),
        'next attempt': delivery.status === 'pending' ? delivery.dueAt.toISOString() : null,
        delivered: delivery.deliveredAt?.toISOString() ?? null,
      }),
      ...table(
        attempts.map((attempt) => [
          `  attempt ${attempt.attemptNumber}`,
          attempt.startedAt.toISOString(),
          formatDuration(attempt.durationMs),
          phaseWords(attempt),
          attempt.failure ?? String(attempt.responseStatus ?? ''),
          options.text === true ? printable(attempt.responseExcerpt ?? '') : '',
        ]),
      ),
      ...attempts.flatMap((attempt) => [
        ...headerLines(`request of attempt ${attempt.attemptNumber}`, attempt.requestHeaders),
        ...(options.text === true
          ? headerLines(`response to attempt ${attempt.attemptNumber}`, attempt.responseHeaders)
          : []),
      ]),
    ],
  }
}

function headerLines(title: string, headers: Record<string, string> | null): string[] {
  return headers === null
    ? []
    : [`${title}:`, ...Object.entries(headers).map(([name, value]) => `  ${printable(`${name}: ${value}`)}`)]
}
