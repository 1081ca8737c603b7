import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageBody, type TestLine } from '../../test/helpers/factories.js'
import type { World } from '../fault.js'
import { isAcknowledged, saysUnknown, type PostedText } from '../ledger.js'
import { idOf, now, numberOf } from './shift.js'

/** As long as most clients wait. */
const PATIENCE_MS = 10_000
const MAX_TRIES = 3

type Asked = Pick<World, 'ledger' | 'webUrls' | 'seeds'>

/** Posts texts, each on a connection of its own. */
export interface Poster {
  post(): Promise<PostedText>
}

/** Each text goes to someone else. Every second one has an Idempotency-Key. */
export function createPoster({ ledger, webUrls, seeds }: Asked, name: string): Poster {
  let count = 0
  return {
    post: async () => {
      const n = (count += 1)
      const line = seeds.lines[n % seeds.lines.length]
      if (line === undefined) throw new Error('there is no line')
      const text = { id: idOf(name, n), toNumber: numberOf(100 + hash(name), n), key: n % 2 === 0 }
      let posted: PostedText | undefined
      for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
        const answer = await postOnce(webUrls[n % webUrls.length] ?? '', line, text)
        posted = { kind: 'text', conversation: text.id, sequence: 0, ...answer.posted }
        ledger.texts.push(posted)
        if (!mayRepeat(posted, text.key)) return posted
        await sleep(answer.retryAfterMs)
      }
      return posted as PostedText
    },
  }
}

/** 503 says that nothing was done, so anyone may repeat it; what is not known only with its key. */
function mayRepeat({ status, isUnknown }: PostedText, hasKey: boolean): boolean {
  return status === 503 && !isUnknown ? true : hasKey && (status === 0 || isUnknown)
}

function postOnce(
  url: string,
  line: TestLine,
  { id, toNumber, key }: { id: string; toNumber: string; key: boolean },
): Promise<{
  posted: Pick<PostedText, 'id' | 'postedAt' | 'answeredAt' | 'status' | 'messageId' | 'isUnknown'>
  retryAfterMs: number
}> {
  const body = JSON.stringify(messageBody({ toNumber, text: id }))
  const postedAt = now()
  return new Promise((resolve) => {
    const end = (status: number, messageId = '', answer = '', retryAfterMs = 1000) => {
      const posted = {
        id,
        postedAt,
        answeredAt: now(),
        status,
        messageId,
        isUnknown: saysUnknown(status, answer),
      }
      resolve({ posted, retryAfterMs })
    }
    const asked = request(
      url + line.webhookPath,
      {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...(key ? { 'idempotency-key': id } : {}),
        },
        signal: AbortSignal.timeout(PATIENCE_MS),
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          text += part
        })
        response.on('error', () => {
          end(0)
        })
        response.on('end', () => {
          const { headers, statusCode = 0 } = response
          const retryAfterMs = 1000 * Number(headers['retry-after'] ?? 1)
          end(statusCode, String(headers['message-id'] ?? ''), text, retryAfterMs)
        })
      },
    )
    asked.on('error', () => {
      end(0)
    })
    asked.end(body)
  })
}

/** Each of them posts the next text when the last one was answered. @returns how many were accepted a second */
export async function postInTurn(poster: Poster, clients: number, ms: number): Promise<number> {
  const startedAt = now()
  let accepted = 0
  const one = async () => {
    while (now() - startedAt < ms) {
      const posted = await poster.post()
      if (isAcknowledged(posted) && posted.answeredAt - startedAt < ms) accepted += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, one))
  return accepted / (ms / 1000)
}

/** Posts so many a second, whatever becomes of them. @returns how many were accepted a second */
export async function postAtRate(poster: Poster, perSecond: number, ms: number): Promise<number> {
  const startedAt = now()
  const posted: Promise<PostedText>[] = []
  while (now() - startedAt < ms) {
    const due = Math.floor(((now() - startedAt) / 1000) * perSecond)
    while (posted.length < due) posted.push(poster.post())
    await sleep(5)
  }
  const texts = await Promise.all(posted)
  return texts.filter((text) => isAcknowledged(text) && text.answeredAt - startedAt < ms).length / (ms / 1000)
}

function hash(name: string): number {
  return Array.from(name).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 300, 7)
}
