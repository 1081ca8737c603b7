import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js'
import { ACCOUNT_SID, AUTH_TOKEN, newSid } from '../test/carriers/twilio/stand-in.js'
import { messageBody } from '../test/helpers/factories.js'
import type { Ledger } from './ledger.js'
import type { Seeds } from './seeds.js'

/** Longer than any answer should take; who gets none by then goes on. */
const PATIENCE_MS = 10_000
const CONVERSATIONS_PER_LINE = 4
const PAUSE_MS = { text: 350, inbound: 300, limited: 1200 }
const BRINGERS = 3
/** More than the line may send in a minute, so that some wait. */
const BURST = { toLine: 38, toOneNumber: 8 }

export interface Load {
  /** Resolves when the last answer has come. */
  stop(): Promise<void>
}

/** Clients that go on, whatever they are answered, and write all of it down. */
export function startLoad(urls: readonly string[], seeds: Seeds, ledger: Ledger): Load {
  const agent = new Agent({ connections: 64 })
  const stopping = new AbortController()
  const isOver = () => stopping.signal.aborted
  const clients: Promise<void>[] = []
  let turn = 0

  /** As a load balancer does: the next copy, and the one after it where nobody listens. @returns 0: no answer */
  const call = async (path: string, headers: Record<string, string>, body: string) => {
    const first = (turn += 1)
    for (let attempt = 0; attempt < urls.length; attempt += 1) {
      const url = urls[(first + attempt) % urls.length] ?? ''
      try {
        const signal = AbortSignal.timeout(PATIENCE_MS)
        const response = await request(url + path, {
          method: 'POST',
          headers,
          body,
          signal,
          dispatcher: agent,
        })
        const text = await response.body.text()
        return { status: response.statusCode, headers: response.headers, text }
      } catch (error) {
        if ((error as { code?: string }).code !== 'ECONNREFUSED') break
      }
    }
    return { status: 0, headers: {} as Record<string, string | string[] | undefined>, text: '' }
  }

  /** One after the other: each is posted when the one before it has been answered. */
  const converse = async (line: Seeds['lines'][number], conversation: string, toNumber: string) => {
    for (let sequence = 0; !isOver(); sequence += 1) {
      const id = `${conversation}-${String(sequence).padStart(4, '0')}`
      const postedAt = now()
      const { status, headers } = await call(
        line.webhookPath,
        { 'content-type': 'application/json' },
        JSON.stringify(messageBody({ toNumber, text: id })),
      )
      const messageId = String(headers['message-id'] ?? '')
      const text = { id, conversation, sequence, postedAt, answeredAt: now(), status, messageId }
      ledger.texts.push({ ...text, isLimited: false })
      await sleep(PAUSE_MS.text)
    }
  }

  /** By the API, which takes more than the line may send: the rest has to wait. */
  const postLimited = async (conversation: string, sequence: number, toNumber: string) => {
    const id = `${conversation}-${String(sequence).padStart(4, '0')}`
    const postedAt = now()
    const { status, text } = await call(
      '/v1/messages',
      { 'content-type': 'application/json', authorization: `Bearer ${seeds.limited.token}` },
      JSON.stringify({ lineId: seeds.limited.lineId, toNumber, text: id }),
    )
    const messageId = status === 200 ? (JSON.parse(text) as { id: string }).id : ''
    const posted = { id, conversation, sequence, postedAt, answeredAt: now(), status, messageId }
    ledger.texts.push({ ...posted, isLimited: true })
  }
  const crowdLine = async () => {
    for (let n = 0; n < BURST.toOneNumber; n += 1) await postLimited('one', n, numberOf(90, 0))
    for (let n = 0; !isOver(); n += 1) {
      await postLimited(`crowd${n}`, 0, numberOf(91, n))
      if (n >= BURST.toLine) await sleep(PAUSE_MS.limited)
    }
  }

  const bring = async (bringer: number) => {
    for (let n = 0; !isOver(); n += 1) {
      const line = seeds.lines[(bringer + n) % seeds.lines.length]
      if (line === undefined) return
      const id = `in${bringer}-${String(n).padStart(4, '0')}`
      const from = numberOf(70 + bringer, n)
      const fields = {
        AccountSid: ACCOUNT_SID,
        MessageSid: newSid('SM'),
        From: from,
        To: line.number,
        NumMedia: '0',
        Body: id,
      }
      const broughtAt = now()
      const { status } = await call(
        new URL(seeds.callbackUrl).pathname,
        {
          'content-type': 'application/x-www-form-urlencoded',
          'x-twilio-signature': getExpectedTwilioSignature(AUTH_TOKEN, seeds.callbackUrl, fields),
        },
        new URLSearchParams(fields).toString(),
      )
      ledger.inbound.push({ id, broughtAt, answeredAt: now(), status })
      await sleep(PAUSE_MS.inbound)
    }
  }

  for (const [index, line] of seeds.lines.entries()) {
    for (let n = 0; n < CONVERSATIONS_PER_LINE; n += 1) {
      const conversation = `c${String(index * CONVERSATIONS_PER_LINE + n).padStart(2, '0')}`
      clients.push(converse(line, conversation, numberOf(index, n)))
    }
  }
  for (let bringer = 0; bringer < BRINGERS; bringer += 1) clients.push(bring(bringer))
  clients.push(crowdLine())

  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(clients)
      await agent.destroy()
    },
  }
}

function numberOf(group: number, n: number): string {
  return `+1415${String(2000000 + group * 10_000 + n)}`
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
