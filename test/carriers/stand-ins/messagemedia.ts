/**
 * MessageMedia, now Sinch Engage. https://messagemedia.github.io/documentation/
 * APAC `https://api.messagemedia.com` (newer: `https://au.app.api.sinch.com`), EU `https://eu.app.api.sinch.com`.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { handleKeys } from './messagemedia-keys.js'
import {
  badRequest,
  bodyOf,
  checkMessages,
  checkWebhook,
  docs,
  isAuthorized,
  json,
  notFound,
  sendDocs,
} from './messagemedia-request.js'
import type { Message, WebhookRequest } from './messagemedia-request.js'
import { createKey, defaultBody, deliver, pushBody, render, statusOf } from './messagemedia-webhooks.js'
import type { SignatureKey, Values } from './messagemedia-webhooks.js'
import { brokenAnswer, startServer } from './server.js'
import type { ApiAnswer, ApiRequest, NoAnswer } from './server.js'
import type {
  CallbackAnswer,
  Forgery,
  ReceivedMessage,
  StandIn,
  TakenMessage,
  Treatment,
} from './stand-in.js'

export interface MessageMediaOptions {
  number?: string
  messageCallbackUrl?: string
  receiptCallbackUrl?: string
  /** Callbacks are signed only where a signature key is enabled. It is, unless this says otherwise. */
  isSigned?: boolean
  digest?: SignatureKey['digest']
  /** The header says SHA-512 (the OpenAPI description) or, with `false`, SHA512 (the older guides). */
  hasDashInDigest?: boolean
}

export interface MessageMediaStandIn extends StandIn {
  /** What was created through the API. */
  readonly webhooks: readonly (WebhookRequest & { id: string })[]
  /** Somebody wrote one of the words that end it: the event OPT_OUT_SMS, to the message callback. */
  optOut(from: string, text?: string, forgery?: Forgery): Promise<CallbackAnswer[]>
}

type Stored = Message & { message_id: string; status: string }

export async function startMessageMedia(options: MessageMediaOptions = {}): Promise<MessageMediaStandIn> {
  const number = options.number ?? '+61491593156'
  const accountId = 'LineTest001'
  const keys: SignatureKey[] = []
  const digest = options.digest ?? 'SHA256'
  const firstKey = await createKey(digest)
  if (options.isSigned !== false) keys.push({ ...firstKey, isEnabled: true })
  const credentials = {
    apiKey: randomBytes(15).toString('base64url'),
    apiSecret: randomBytes(22).toString('base64url'),
    publicKey: firstKey.publicKey,
    keyId: firstKey.keyId,
  }
  const taken: TakenMessage[] = []
  const violations: string[] = []
  const webhooks: (WebhookRequest & { id: string })[] = []
  const messages = new Map<string, Stored>()
  const replies: (Record<string, unknown> & { reply_id: string })[] = []
  const dates = new Map<string, string>()
  let next: Treatment | undefined

  const violate = (sentence: string, url = docs): void => void violations.push(`${sentence} ${url}`)
  const send = (request: ApiRequest): ApiAnswer | NoAnswer => {
    const checked = checkMessages(request)
    if ('faults' in checked) {
      for (const fault of checked.faults) violate(fault, sendDocs)
      return badRequest(checked.faults)
    }
    const treatment = next
    next = undefined
    if (treatment === 'invalid-recipient') {
      const sentence = "International address must be between 8 and 15 characters excluding the first '+'"
      return badRequest([`/messages/0/destination_number: ${sentence}.`])
    }
    // The documentation says 50X, and that errors are explained in JSON; the sentence is invented.
    if (treatment === 'server-error') return json(500, { message: 'Internal Server Error' })
    const broken = brokenAnswer(treatment, 202)
    if (broken) return broken
    const answered = checked.messages.map((message): Stored => {
      const stored = { ...message, message_id: randomUUID(), status: 'queued' }
      messages.set(stored.message_id, stored)
      taken.push({
        id: stored.message_id,
        from: message.source_number ?? '',
        to: message.destination_number,
        text: message.content,
        mediaUrls: message.media ?? [],
        reference: message.metadata && JSON.stringify(message.metadata),
        receiptUrl: message.callback_url,
      })
      return stored
    })
    return json(202, { messages: answered.map((message) => ({ format: 'SMS', ...message })) })
  }

  const handleWebhooks = (request: ApiRequest, id: string | undefined): ApiAnswer => {
    const index = webhooks.findIndex((webhook) => webhook.id === id)
    const old = webhooks[index]
    if (request.method === 'GET' && id === undefined) {
      return json(200, { page: 0, pageSize: 100, pageData: webhooks })
    }
    if (id !== undefined && !old) return notFound()
    if (request.method === 'DELETE' && old) {
      webhooks.splice(index, 1)
      return { status: 204 }
    }
    const checked = checkWebhook(request, id === undefined)
    if ('fault' in checked) {
      violate(checked.fault, `${docs}#tag/Webhooks-Management`)
      return json(400, { message: checked.fault })
    }
    const webhook = { headers: {}, retries: 0, ...old, ...checked.webhook, id: old?.id ?? randomUUID() }
    const isTaken = webhooks.some(
      (other) => other.id !== webhook.id && other.url === webhook.url && other.method === webhook.method,
    )
    if (isTaken) return json(409, { message: 'A webhook with the given url and method already exists.' })
    if (old) webhooks[index] = webhook as WebhookRequest & { id: string }
    else webhooks.push(webhook as WebhookRequest & { id: string })
    return json(old ? 200 : 201, webhook)
  }

  const handle = (request: ApiRequest): ApiAnswer | NoAnswer | Promise<ApiAnswer> => {
    const route = `${request.method} ${request.path}`
    const isSend = route === 'POST /v1/messages'
    const isRefused = isSend && next === 'wrong-credentials'
    if (isRefused) next = undefined
    if (isRefused || !isAuthorized(request, credentials.apiKey, credentials.apiSecret)) {
      if (!isRefused)
        violate('Each request is authenticated, Basic or HMAC.', `${docs}#tag/Basic-Authentication`)
      return json(401, { message: 'Invalid authentication credentials' })
    }
    if (isSend) return send(request)
    const [, kind, id] =
      /^\/v1\/(messages|webhooks\/messages|iam\/signature_keys)(?:\/([^/]+))?$/.exec(request.path) ?? []
    if (kind === 'webhooks/messages') return handleWebhooks(request, id)
    if (kind === 'iam/signature_keys') return handleKeys(request, id, keys, violate)
    if (kind === 'messages' && id !== undefined) {
      const message = messages.get(id)
      if (!message) return notFound()
      if (request.method === 'GET') return json(200, message)
      if (
        request.method === 'PUT' &&
        bodyOf(request).status === 'cancelled' &&
        message.scheduled !== undefined
      ) {
        message.status = 'cancelled'
        return { status: 200 }
      }
    }
    switch (route) {
      case 'GET /v1/replies':
        return json(200, { replies: replies.slice(0, 100) })
      case 'POST /v1/replies/confirmed': {
        const { reply_ids: ids } = bodyOf(request)
        if (!Array.isArray(ids)) return badRequest(['/reply_ids: required.'])
        for (const reply of [...replies])
          if (ids.includes(reply.reply_id)) replies.splice(replies.indexOf(reply), 1)
        return { status: 202 }
      }
      case 'GET /v1/messaging/numbers/dedicated/assignments': {
        const own = { id: randomUUID(), phone_number: number.slice(1), country: 'AU', type: 'MOBILE' }
        const data = [
          {
            assignment: { id: randomUUID(), number_id: own.id, metadata: {} },
            number: { ...own, capabilities: ['SMS', 'MMS'] },
          },
        ]
        return json(200, { pagination: { page_size: 50 }, data })
      }
      default:
        violate(`There is no ${route}.`)
        return notFound()
    }
  }
  const server = await startServer(handle)

  /** To the webhooks of the account, and to the address that the message itself named. */
  const emit = async (
    own: string | undefined,
    event: string,
    values: Values,
    push: string | undefined,
    forgery?: Forgery,
  ): Promise<CallbackAnswer[]> => {
    const all = {
      type: event === 'RECEIVED_MMS' ? 'MMS' : 'SMS',
      accountId,
      retryCount: 0,
      billingUnits: 1,
      ...values,
    }
    const named: Values = {
      ...all,
      mtId: values.messageId,
      messageContent: values.mtContent,
    }
    const other = { ...named, moContent: 'something else', mtContent: 'something else', statusCode: '400' }
    const key = keys.find(({ isEnabled }) => isEnabled)
    const hooks = webhooks.filter((webhook) => webhook.events.includes(event))
    const owns = own === undefined ? [] : [{ url: own, method: 'POST', encoding: 'JSON', events: [event] }]
    const bodyFor = (hook: WebhookRequest, from: Values): string =>
      hook.template === undefined ? JSON.stringify(defaultBody(event, from)) : render(hook.template, from)
    const deliveries = [...owns, ...hooks].map((hook: WebhookRequest) => ({
      ...hook,
      body: bodyFor(hook, named),
      otherBody: bodyFor(hook, other),
    }))
    if (push !== undefined) {
      const [body = '', otherBody = ''] = [named, other].map((from) =>
        JSON.stringify(pushBody(event, from, push)),
      )
      deliveries.push({ url: push, method: 'POST', encoding: 'JSON', events: [event], body, otherBody })
    }
    const answers: CallbackAnswer[] = []
    for (const delivery of deliveries) {
      answers.push(await deliver(delivery, key, options.hasDashInDigest !== false, forgery))
    }
    return answers
  }

  const inbound = async (
    event: string,
    message: ReceivedMessage,
    ids: Values,
    date: string,
    forgery?: Forgery,
  ): Promise<CallbackAnswer[]> => {
    // A reply belongs to the last message to that number; its id and metadata are missing if there was none.
    const original = [...messages.values()].reverse().find((sent) => sent.destination_number === message.from)
    const now = date
    const attachments = await Promise.all(
      (message.mediaUrls ?? []).map(async (mediaUrl, index) => {
        const response = await fetch(mediaUrl)
        const base64 = Buffer.from(await response.arrayBuffer()).toString('base64')
        const name = mediaUrl.startsWith('data:') ? `file${index}` : mediaUrl.split('/').pop()
        return { contentType: response.headers.get('content-type') ?? '', base64, originalName: name }
      }),
    )
    const values = {
      ...ids,
      ...(attachments.length > 0 ? { attachments } : {}),
      ...(original ? { messageId: original.message_id, mtContent: original.content } : {}),
      metadata: original?.metadata ?? {},
      sourceAddress: message.from,
      destinationAddress: message.to ?? number,
      ...(message.text === '' ? {} : { moContent: message.text, replyContent: message.text }),
      submittedTimestamp: now,
      receivedTimestamp: now,
    }
    return emit(standIn.callbackUrls.message, event, values, original?.callback_url, forgery)
  }

  const standIn: MessageMediaStandIn = {
    url: server.url,
    credentials,
    number,
    webhooks,
    taken,
    violations,
    callbackUrls: {
      ...(options.messageCallbackUrl === undefined ? {} : { message: options.messageCallbackUrl }),
      ...(options.receiptCallbackUrl === undefined ? {} : { receipt: options.receiptCallbackUrl }),
    },
    treatNext(how) {
      if (how === 'opted-out' || how === 'no-credit' || how === 'throttled' || how === 'in-2xx') {
        throw new Error(
          `MessageMedia documents no such answer to a request: ${how}. A receipt says it afterwards.`,
        )
      }
      next = how
    },
    async receive(received, forgery) {
      const answers: CallbackAnswer[] = []
      for (const message of received) {
        const id = message.id ?? randomUUID()
        const { from: source_number, to: destination_number = number, text: content } = message
        const vendor_account_id = { vendor_id: 'MessageMedia', account_id: accountId }
        // A repeat has the date of the first time.
        const date_received = dates.get(id) ?? new Date().toISOString()
        const reply = {
          reply_id: id,
          source_number,
          destination_number,
          content,
          date_received,
          vendor_account_id,
        }
        if (!dates.has(id)) replies.push(reply)
        dates.set(id, date_received)
        const event = message.mediaUrls?.length ? 'RECEIVED_MMS' : 'RECEIVED_SMS'
        answers.push(...(await inbound(event, message, { moId: id, replyId: id }, date_received, forgery)))
      }
      return answers
    },
    async report(id, state, code, forgery) {
      const message = messages.get(id)
      if (!message) throw new Error(`there is no message ${id}`)
      // Without the field delivery_report in the message there are no receipts.
      if (message.delivery_report !== true) return []
      const statusCode = code ?? { sent: '210', delivered: '220', failed: '400' }[state]
      const status = statusOf(statusCode)
      message.status = status
      const now = new Date().toISOString()
      const reportId = randomUUID()
      const values = {
        ...{ drId: reportId, reportId, messageId: id, status, statusCode, metadata: message.metadata ?? {} },
        // The source of a receipt is the phone: the number to which the message went.
        sourceAddress: message.destination_number,
        mtContent: message.content,
        submittedTimestamp: now,
        receivedTimestamp: now,
      }
      const event = `${status.toUpperCase()}_DR`
      return emit(standIn.callbackUrls.receipt, event, values, message.callback_url, forgery)
    },
    optOut: (from, text = 'STOP', forgery) =>
      inbound(
        'OPT_OUT_SMS',
        { from, text },
        { notificationId: randomUUID() },
        new Date().toISOString(),
        forgery,
      ),
    close: () => server.close(),
  }
  return standIn
}
