import { createHash, generateKeyPairSync, randomBytes, randomUUID, verify } from 'node:crypto'
import type { CallbackAnswer, Forgery, StandIn, TakenMessage, Treatment } from './stand-in.js'
import {
  brokenAnswer,
  isHttpUrl,
  isRecord,
  parseJson,
  sendCallback,
  startServer,
  type ApiAnswer,
  type ApiRequest,
  type NoAnswer,
} from './server.js'
import { problem, refuse, wrongCredentials } from './vonage-answer.js'
import { findWrongMessage } from './vonage-request.js'
import { inbound, signToken, statusOf } from './vonage-webhook.js'

const authenticationDocumentation = 'https://developer.vonage.com/en/getting-started/concepts/authentication'
const apiDocumentation = 'https://developer.vonage.com/en/api/messages'

export interface VonageStandIn extends StandIn {
  /** The settings of its number. An update replaces them all. */
  numberSettings: Record<string, string>
  /** Waits for the statuses that the stand-in sends by itself, after `opted-out`. */
  settle(): Promise<CallbackAnswer[]>
}

interface Kept extends TakenMessage {
  channel: 'sms' | 'mms'
}

/**
 * The Messages API v1, not the SMS API: Vonage calls that one legacy, keeps it for accounts that have it, and
 * recommends this one for everything new: https://developer.vonage.com/en/messages/guides/sms-migration-to-messages
 */
export async function startVonage(
  options: { number?: string; messageCallbackUrl?: string; receiptCallbackUrl?: string } = {},
): Promise<VonageStandIn> {
  const number = options.number ?? '+14155550142'
  const apiKey = randomBytes(4).toString('hex')
  const apiSecret = randomBytes(8).toString('hex')
  const signatureSecret = randomBytes(25).toString('hex')
  const applicationId = randomUUID()
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { format: 'pem', type: 'spki' },
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
  })
  const callbackUrls: StandIn['callbackUrls'] = {
    ...(options.messageCallbackUrl === undefined ? {} : { message: options.messageCallbackUrl }),
    ...(options.receiptCallbackUrl === undefined ? {} : { receipt: options.receiptCallbackUrl }),
  }
  const taken: Kept[] = []
  const violations: string[] = []
  let waiting: Promise<CallbackAnswer>[] = []
  let treatment: Treatment | undefined

  function answer(got: ApiRequest): ApiAnswer | NoAnswer {
    const isBasic = got.headers.authorization === basic()
    if (!isBasic && !isApplicationToken(got.headers.authorization)) {
      violations.push(
        `The Authorization header is neither Basic with key and secret nor Bearer with the application's JWT. ${authenticationDocumentation}`,
      )
      return wrongCredentials()
    }
    if (got.method === 'POST' && got.path === '/v1/messages') return sendMessage(got)
    // The set-up endpoints take Basic only.
    const setUpAnswer = isBasic ? setUp(got) : undefined
    if (setUpAnswer !== undefined) return setUpAnswer
    violations.push(`The API has no ${got.method} ${got.path}. ${apiDocumentation}`)
    return problem(404, '#not-found', 'Not Found', 'The requested resource does not exist.')
  }

  function basic(): string {
    return `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`
  }

  /** RS256, with `application_id`, `iat` and `jti`: https://developer.vonage.com/en/getting-started/concepts/authentication */
  function isApplicationToken(header: string | undefined): boolean {
    const [head, claims, signature, rest] = /^Bearer (.+)$/.exec(header ?? '')?.[1]?.split('.') ?? []
    if (head === undefined || claims === undefined || signature === undefined || rest !== undefined)
      return false
    const decode = (part: string) => parseJson(Buffer.from(part, 'base64url').toString('utf8'))?.value
    const algorithm = decode(head)
    const content = decode(claims)
    if (!isRecord(algorithm) || algorithm['alg'] !== 'RS256' || !isRecord(content)) return false
    const { application_id: application, iat, exp, jti } = content
    const now = Date.now() / 1_000
    if (application !== applicationId || typeof jti !== 'string' || typeof iat !== 'number') return false
    // Without `exp` a token lasts 15 minutes, and with it 24 hours at most; a minute is for clocks that differ.
    const end = typeof exp === 'number' ? Math.min(exp, iat + 86_400) : iat + 900
    if (iat > now + 60 || end < now - 60) return false
    return verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      keys.publicKey,
      Buffer.from(signature, 'base64url'),
    )
  }

  function sendMessage(got: ApiRequest): ApiAnswer | NoAnswer {
    const body =
      got.contentType === 'application/json' ? parseJson(got.body.toString('utf8'))?.value : undefined
    if (!isRecord(body)) {
      violations.push(`The request is not a JSON object with the type application/json. ${apiDocumentation}`)
      return refuse({ kind: 'json', sentence: 'The request body did not contain a JSON object.' })
    }
    const wrong = findWrongMessage(body, number.slice(1))
    if (wrong !== undefined) {
      violations.push(`${wrong.sentence} ${apiDocumentation}`)
      return refuse(wrong)
    }
    const how = treatment
    treatment = undefined
    switch (how) {
      case 'invalid-recipient':
        return refuse({ kind: 'recipient', sentence: 'The `to` parameter is invalid for the given channel.' })
      case 'no-credit':
        return problem(
          402,
          '#low-balance',
          'Low balance',
          'The balance of the account is too low for this request.',
        )
      case 'wrong-credentials':
        return wrongCredentials()
      case 'throttled':
        return problem(429, '#throttled', 'Rate Limit Hit', 'Please wait, then retry your request', {
          'X-RateLimit-Limit': '30',
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': String(Date.now() + 1_000),
          'Retry-After': '1',
        })
      case 'server-error':
        return problem(
          500,
          '#internal-error',
          'Internal Error',
          'There was an error processing your request.',
        )
      case undefined:
      case 'opted-out':
        break
      default:
        return brokenAnswer(how, 202) ?? 'close'
    }
    const message = keep(body)
    taken.push(message)
    if (how === 'opted-out') {
      // The API takes it; the status that follows is `rejected`:
      // https://developer.vonage.com/en/opt-out-assist/guides/messaging-opted-out-numbers
      waiting.push(
        new Promise((resolve) => setTimeout(resolve, 20)).then(() => report(message, 'failed', '1240')),
      )
    }
    return { status: 202, headers: { 'X-Request-Id': randomUUID() }, body: { message_uuid: message.id } }
  }

  function keep(body: Record<string, unknown>): Kept {
    const urls = ['image', 'video', 'audio', 'file', 'vcard'].map((name) => body[name])
    const media = [...urls, ...((body['content'] ?? []) as unknown[])].filter(isRecord)
    return {
      id: randomUUID(),
      from: body['from'] as string,
      to: body['to'] as string,
      text: (body['text'] ?? media[0]?.['caption']) as string | undefined,
      mediaUrls: media.map((one) => one['url'] as string),
      reference: body['client_ref'] as string | undefined,
      receiptUrl: body['webhook_url'] as string | undefined,
      channel: body['channel'] as 'sms' | 'mms',
    }
  }

  /** Numbers (Numbers API) and an application's webhooks (Application API v2). */
  function setUp(got: ApiRequest): ApiAnswer | undefined {
    if (got.method === 'GET' && got.path === '/account/numbers') {
      const entry = {
        country: 'US',
        msisdn: number.slice(1),
        type: 'mobile-lvn',
        features: ['SMS', 'MMS', 'VOICE'],
        ...standIn.numberSettings,
      }
      return { status: 200, body: { count: 1, numbers: [entry] } }
    }
    // https://developer.vonage.com/en/api/numbers, "Update a number": a form, with the country beside the number.
    if (got.method === 'POST' && got.path === '/number/update') {
      const form = new URLSearchParams(got.body.toString('utf8'))
      const isOurs = form.get('country') === 'US' && form.get('msisdn') === number.slice(1)
      if (got.contentType !== 'application/x-www-form-urlencoded' || !isOurs) {
        violations.push(
          'The form has not the number and its country. https://developer.vonage.com/en/api/numbers',
        )
        return { status: 420, body: { 'error-code': '420', 'error-code-label': 'method failed' } }
      }
      form.delete('country')
      form.delete('msisdn')
      standIn.numberSettings = Object.fromEntries(form)
      return { status: 200, body: { 'error-code': '200', 'error-code-label': 'success' } }
    }
    if (got.path !== `/v2/applications/${applicationId}`) return undefined
    if (got.method === 'PUT') {
      const body = parseJson(got.body.toString('utf8'))?.value
      const at = (value: unknown, name: string) => (isRecord(value) ? value[name] : undefined)
      const webhooks = at(at(at(body, 'capabilities'), 'messages'), 'webhooks')
      const inbound = at(at(webhooks, 'inbound_url'), 'address')
      const status = at(at(webhooks, 'status_url'), 'address')
      if (typeof at(body, 'name') !== 'string' || !isHttpUrl(inbound) || !isHttpUrl(status)) {
        violations.push(
          'An application needs a name and both webhooks. https://developer.vonage.com/en/api/application.v2',
        )
        return problem(
          422,
          '/application#payload-validation',
          'Bad Request',
          'The request failed due to validation.',
        )
      }
      callbackUrls.message = inbound
      callbackUrls.receipt = status
    } else if (got.method !== 'GET') return undefined
    const webhook = (address: string | undefined) => ({ address: address ?? '', http_method: 'POST' })
    const webhooks = { inbound_url: webhook(callbackUrls.message), status_url: webhook(callbackUrls.receipt) }
    const messages = { version: 'v1', webhooks }
    return {
      status: 200,
      body: {
        id: applicationId,
        name: 'Stand-in',
        keys: { public_key: keys.publicKey },
        capabilities: { messages },
      },
    }
  }

  async function bring(
    url: string | undefined,
    payload: Record<string, unknown>,
    forgery: Forgery | undefined,
  ): Promise<CallbackAnswer> {
    if (url === undefined) return { status: 0, body: 'no address for the callback is set', isSuccess: false }
    const body = JSON.stringify(payload)
    // https://developer.vonage.com/en/getting-started/concepts/webhooks#decoding-signed-webhooks. There is no `exp`.
    const claims = {
      iat: Math.floor(Date.now() / 1_000) - (forgery === 'old' ? 3_600 : 0),
      jti: randomUUID(),
      iss: 'Vonage',
      payload_hash: createHash('sha256').update(body).digest('hex'),
      api_key: apiKey,
      application_id: applicationId,
    }
    const token = signToken(
      claims,
      forgery === 'wrong-secret' ? randomBytes(25).toString('hex') : signatureSecret,
    )
    const reply = await sendCallback(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(forgery === 'unsigned' ? {} : { Authorization: `Bearer ${token}` }),
      },
      body:
        forgery === 'other-body'
          ? JSON.stringify({ ...payload, text: 'something else', client_ref: 'x' })
          : body,
    })
    // The OpenAPI file and the guide of setting webhooks up ask for 200; else the callback comes again and again:
    // https://developer.vonage.com/en/messages/code-snippets/configure-webhooks
    return { status: reply.status, body: reply.body, isSuccess: reply.status === 200 }
  }

  function report(
    message: Kept,
    state: 'sent' | 'delivered' | 'failed',
    code = '1330',
    forgery?: Forgery,
  ): Promise<CallbackAnswer> {
    const payload = statusOf(message, state, code)
    return bring(message.receiptUrl ?? callbackUrls.receipt, payload, forgery)
  }

  const server = await startServer(answer)
  const standIn: VonageStandIn = {
    url: server.url,
    credentials: { apiKey, apiSecret, signatureSecret, applicationId, privateKey: keys.privateKey },
    number,
    numberSettings: {},
    callbackUrls,
    taken,
    violations,
    treatNext(how) {
      if (how === 'in-2xx') throw new Error("Vonage's Messages API documents no refusal inside a 2xx.")
      treatment = how
    },
    async receive(messages, forgery) {
      const answers: CallbackAnswer[] = []
      for (const message of messages) {
        answers.push(await bring(callbackUrls.message, inbound(message, number), forgery))
      }
      return answers
    },
    async report(id, state, code, forgery) {
      const message = taken.find((one) => one.id === id)
      if (message === undefined) throw new Error(`Vonage took no message ${id}.`)
      return [await report(message, state, code, forgery)]
    },
    async settle() {
      const all = waiting
      waiting = []
      return Promise.all(all)
    },
    close: () => server.close(),
  }
  return standIn
}
