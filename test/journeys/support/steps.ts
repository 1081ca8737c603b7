import { readConfig } from '../../../src/config.js'
import type { Context } from '../../../src/domain/context.js'
import { createContext } from '../../../src/domain/open-context.js'
import { whenReady } from '../../../src/kit/redis/redis.js'
import { createEnvironment, type Environment } from '../../helpers/process/environment.js'
import { messageBody, type TestLine } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'

/** Limits that no story about something else comes near. */
export const WIDE = { messagesPerNumberPerMinute: 100_000, messagesPerMinute: 100_000 }

/** One configuration for processes, and a context over the same data to look and to seed with. */
export async function createInstallation(
  overrides: Environment = {},
): Promise<{ environment: Environment; context: Context }> {
  const environment = await createEnvironment(overrides)
  const context = createContext(readConfig(environment), { process: 'test' })
  await whenReady(context.redis)
  return { environment, context }
}

export interface Posted {
  status: number
  body: Record<string, unknown>
  headers: Headers
  /** '' when the message was not accepted. */
  messageId: string
}

/** Posts a text to a line's incoming webhook. */
export async function post(
  url: string,
  line: Pick<TestLine, 'webhookPath'>,
  data: Record<string, unknown> = {},
): Promise<Posted> {
  const response = await fetch(url + line.webhookPath, {
    method: 'POST',
    body: JSON.stringify(messageBody(data)),
  })
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
    messageId: response.headers.get('message-id') ?? '',
  }
}

/** Posts texts that must all be accepted, at most ten at a time. @returns their ids in the order of `texts` */
export async function postAll(
  url: string,
  line: TestLine,
  texts: readonly Record<string, unknown>[],
): Promise<string[]> {
  const ids: string[] = []
  for (let start = 0; start < texts.length; start += 10) {
    const posted = await Promise.all(texts.slice(start, start + 10).map((data) => post(url, line, data)))
    for (const { status, body, messageId } of posted) {
      if (status !== 200) throw new Error(`answered ${status} ${JSON.stringify(body)}`)
      ids.push(messageId)
    }
  }
  return ids
}

/** The simulator's network brings a text to a line. */
export async function textTo(
  url: string,
  inbound: { fromNumber: string; toNumber: string; text: string },
): Promise<number> {
  const response = await fetch(`${url}/simulator/inbound`, { method: 'POST', body: JSON.stringify(inbound) })
  await response.body?.cancel()
  return response.status
}

/** Numbers of other people, all different. */
export function numbers(count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, n) => `+1415555${String(first + n).padStart(4, '0')}`)
}

export function times(count: number, data: Record<string, unknown>): Record<string, unknown>[] {
  return Array.from({ length: count }, () => data)
}

export interface MessageRow {
  id: string
  status: string
  error: string | null
  to_number: string
}

export async function outboundMessages({ db }: Context, line: TestLine): Promise<MessageRow[]> {
  const rows: MessageRow[] = await db('messages')
    .where({ line_id: line.lineId, direction: 'outbound' })
    .orderBy('id')
    .select('id', 'status', 'error', 'to_number')
  return rows
}

/** How often the simulator took each message of a line. */
export async function takenCounts({ db }: Context, line: TestLine): Promise<Map<string, number>> {
  const rows: { message_id: string; count: number }[] = await db('simulator_outbox')
    .where({ from_number: line.number })
    .groupBy('message_id')
    .select('message_id', db.raw('count(*)::integer as count'))
  return new Map(rows.map((row) => [row.message_id, row.count]))
}

/** Waits until every message of the line has come to its end. @returns them */
export async function whenSettled(
  context: Context,
  line: TestLine,
  timeoutMs = 120_000,
): Promise<MessageRow[]> {
  let open: MessageRow[] = []
  return until(
    () => `no message is on its way: ${JSON.stringify(open.slice(0, 10))}`,
    async () => {
      const rows = await outboundMessages(context, line)
      open = rows.filter(({ status }) => ['queued', 'sending', 'sent'].includes(status))
      return open.length === 0 && rows
    },
    timeoutMs,
  )
}

/** Ends the leases of lost workers now instead of after a while. */
export async function endLeases({ db }: Context, table: 'messages' | 'deliveries'): Promise<void> {
  await db(table)
    .whereNotNull('lease_until')
    .update({ lease_until: db.raw(`now() - interval '1 second'`) })
}
