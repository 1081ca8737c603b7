import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { CallbackAnswer, Forgery, StandIn, TakenMessage, Treatment } from './stand-in.js'
import {
  brokenAnswer,
  fieldFaults,
  isHttpUrl,
  isRecord,
  parseJson,
  sendCallback,
  startServer,
} from './server.js'
import type { ApiAnswer, ApiRequest, FieldType, NoAnswer } from './server.js'

/**
 * Sinch's SMS REST API (XMS): batches of text and of media, inbound messages, delivery reports, and their callbacks.
 * The fields and limits are from Sinch's reference and its official Node SDK 1.5.
 */
const batchDocs = 'https://developers.sinch.com/docs/sms/api-reference/sms/tag/Batches/'
const statusDocs = 'https://developers.sinch.com/docs/sms/api-reference/status-codes/'
const inboundDocs = 'https://developers.sinch.com/docs/sms/api-reference/sms/tag/Inbounds/'

export interface SinchOptions {
  number?: string
  messageCallbackUrl?: string
  receiptCallbackUrl?: string
  /** Both are set up by Sinch's account manager for a service plan. `hmac` where left out. */
  callbackAuthentication?: 'hmac' | 'basic'
}

const fields = {
  ...{ to: 'array', from: 'string', type: 'string', parameters: 'object', delivery_report: 'string' },
  ...{ send_at: 'string', expire_at: 'string', callback_url: 'string', client_reference: 'string' },
  feedback_enabled: 'boolean',
} satisfies Record<string, FieldType>
const textFields = {
  ...fields,
  ...{ body: 'string', flash_message: 'boolean', truncate_concat: 'boolean' },
  ...{ max_number_of_message_parts: 'integer', from_ton: 'integer', from_npi: 'integer' },
} satisfies Record<string, FieldType>
const mediaFields = { ...fields, body: 'object', strict_validation: 'boolean' } satisfies Record<
  string,
  FieldType
>
const reportKinds = ['none', 'summary', 'full', 'per_recipient', 'per_recipient_final']

// The numbers: https://developers.sinch.com/docs/sms/api-reference/sms/tag/Delivery-reports/. Which status goes with
// which number is from memory. Numbers below 400 are those of SMPP.
const statusOf: Record<string, string> = {
  ...{
    0: 'Delivered',
    400: 'Queued',
    401: 'Dispatched',
    402: 'Aborted',
    403: 'Aborted',
    404: 'Aborted',
    405: 'Aborted',
  },
  ...{
    406: 'Expired',
    407: 'Cancelled',
    408: 'Rejected',
    410: 'Aborted',
    411: 'Aborted',
    412: 'Rejected',
    413: 'Rejected',
  },
}

interface Batch extends TakenMessage {
  kind: 'sms' | 'mms'
  report: string
  recipients: string[]
}

/** Numbers come back without +: https://developers.sinch.com/docs/sms/api-reference/sms/tag/Inbounds/ */
const digits = (number: string): string => number.replace(/^\+/, '')
/** Ids are ULIDs. */
const newId = (): string => {
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  return `01${[...randomBytes(24)].map((byte) => alphabet[byte % 32]).join('')}`
}

export async function startSinch(options: SinchOptions = {}): Promise<StandIn> {
  const number = options.number ?? '+12015555555'
  const credentials = {
    servicePlanId: randomBytes(16).toString('hex'),
    apiToken: randomBytes(16).toString('hex'),
    webhookSecret: randomUUID() as string,
    webhookUsername: 'sinch',
    webhookPassword: randomUUID() as string,
  }
  const callbackUrls: StandIn['callbackUrls'] = {}
  if (options.messageCallbackUrl !== undefined) callbackUrls.message = options.messageCallbackUrl
  if (options.receiptCallbackUrl !== undefined) callbackUrls.receipt = options.receiptCallbackUrl
  const taken: Batch[] = []
  const violations: string[] = []
  const inbounds: Record<string, unknown>[] = []
  const recipientReports = new Map<string, Record<string, unknown>>()
  let treatment: Treatment | undefined

  // Statuses 400 and 403 have a body with `code` and `text`; the others have none that the documentation describes.
  const refuse = (status: 400 | 403, code: string, text: string): ApiAnswer => ({
    status,
    body: { code, text },
  })
  const violate = (fault: string, docs: string): void => void violations.push(`Sinch: ${fault}. ${docs}`)

  function checkBatch(body: Record<string, unknown>): ApiAnswer | undefined {
    const isMedia = body.type === 'mt_media'
    const faults = fieldFaults(body, isMedia ? mediaFields : textFields, ['to', 'from', 'body']).map(
      ({ fault }) => fault,
    )
    const refuseAll = (code: string): ApiAnswer => {
      for (const fault of faults) violate(fault, batchDocs)
      return refuse(400, code, faults.join('; '))
    }
    if (faults.length > 0) return refuseAll('syntax_constraint_violation')
    if (body.type !== undefined && body.type !== 'mt_text' && !isMedia)
      faults.push('type is mt_text or mt_media here')
    const to = body.to as unknown[]
    // From memory: at most 1000 recipients, 2000 characters of text, 2048 of callback_url, 255 of client_reference.
    if (to.length === 0 || to.length > 1000) faults.push('to has 1 to 1000 recipients')
    if (typeof body.body === 'string' && (body.body === '' || body.body.length > 2000))
      faults.push('body has 1 to 2000 characters')
    if (isRecord(body.body)) {
      faults.push(
        ...fieldFaults(
          body.body,
          { subject: 'string', message: 'string', url: 'string' },
          ['url'],
          'body.',
        ).map((f) => f.fault),
      )
      if (!isHttpUrl(body.body.url)) faults.push('body.url must be a URL')
    }
    if (body.delivery_report !== undefined && !reportKinds.includes(String(body.delivery_report)))
      faults.push(`delivery_report is one of ${reportKinds.join(', ')}`)
    if (body.callback_url !== undefined && (!isHttpUrl(body.callback_url) || body.callback_url.length > 2048))
      faults.push('callback_url must be a URL')
    if (typeof body.client_reference === 'string' && body.client_reference.length > 255)
      faults.push('client_reference has at most 255 characters')
    if (faults.length > 0) return refuseAll('syntax_constraint_violation')
    for (const recipient of to) {
      if (typeof recipient === 'string' && /^[0-9A-HJKMNP-TV-Z]{26}$/.test(recipient)) {
        violate(`there is no group ${recipient}`, batchDocs)
        return refuse(403, 'unknown_group', 'Unknown group')
      }
      if (typeof recipient !== 'string' || !/^\+?[1-9]\d{6,14}$/.test(recipient))
        faults.push(`${String(recipient)} is no international number`)
    }
    const from = String(body.from)
    if (!/^\+?\d{3,15}$/.test(from) && !(from.length <= 11 && /^(?=.*[^\d])[^+].*$/.test(from)))
      faults.push(`${from} is no number, short code or name`)
    for (const name of ['send_at', 'expire_at'])
      if (body[name] !== undefined && !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(String(body[name])))
        faults.push(`${name} is ISO 8601`)
    return faults.length > 0 ? refuseAll('syntax_invalid_parameter_format') : undefined
  }

  function send(request: ApiRequest): ApiAnswer | NoAnswer {
    const parsed =
      request.contentType === 'application/json' ? parseJson(request.body.toString('utf8')) : undefined
    if (parsed === undefined || !isRecord(parsed.value)) {
      violate('the body is no JSON object of type application/json', batchDocs)
      return refuse(400, 'syntax_invalid_json', 'Invalid JSON')
    }
    const body = parsed.value
    const refusal = checkBatch(body)
    if (refusal !== undefined) return refusal
    const report = typeof body.delivery_report === 'string' ? body.delivery_report : 'none'
    if (report !== 'none' && body.callback_url === undefined && callbackUrls.receipt === undefined) {
      violate('a delivery report is asked for, but there is no callback URL', statusDocs)
      return refuse(403, 'missing_callback_url', 'Callback has been requested but no URL is provided')
    }
    const how = treatment
    treatment = undefined
    const broken = brokenAnswer(how, 201)
    if (broken !== undefined) return broken
    if (how === 'invalid-recipient')
      return refuse(
        400,
        'syntax_invalid_parameter_format',
        `Invalid phone number: ${String((body.to as unknown[])[0])}`,
      )
    if (how === 'no-credit') return refuse(403, 'blocked_account', 'The account has been blocked')
    if (how === 'wrong-credentials') return { status: 401 }
    if (how === 'throttled') return { status: 429 }
    if (how === 'server-error') return { status: 500 }
    const id = newId()
    const media = isRecord(body.body) ? body.body : undefined
    const recipients = (body.to as string[]).map(digits)
    taken.push({
      ...{ id, from: String(body.from), to: (body.to as string[]).join(','), report, recipients },
      kind: media === undefined ? 'sms' : 'mms',
      text: media === undefined ? String(body.body) : (media.message as string | undefined),
      mediaUrls: media === undefined ? [] : [String(media.url)],
      reference: body.client_reference as string | undefined,
      receiptUrl: body.callback_url as string | undefined,
    })
    const now = new Date().toISOString()
    const answer = {
      ...{ type: 'mt_text', feedback_enabled: false, delivery_report: report, flash_message: false },
      ...body,
      ...{
        id,
        to: recipients,
        from: digits(String(body.from)),
        canceled: false,
        created_at: now,
        modified_at: now,
      },
      expire_at: body.expire_at ?? new Date(Date.now() + 3 * 86_400_000).toISOString(),
    }
    return { status: 201, body: answer }
  }

  function listInbounds(request: ApiRequest): ApiAnswer {
    const page = Number(request.query.get('page') ?? 0)
    const pageSize = Number(request.query.get('page_size') ?? 30)
    const since = Date.parse(
      request.query.get('start_date') ?? new Date(Date.now() - 86_400_000).toISOString(),
    )
    const until = Date.parse(request.query.get('end_date') ?? '9999-12-31T00:00:00Z')
    const to = request.query.get('to')?.split(',').map(digits)
    if (![page, pageSize].every((n) => Number.isInteger(n) && n >= 0) || pageSize < 1 || pageSize > 100) {
      violate('page starts from 0, and page_size is 1 to 100', inboundDocs)
      return refuse(400, 'syntax_constraint_violation', 'page or page_size is out of range')
    }
    if (Number.isNaN(since) || Number.isNaN(until)) {
      violate('start_date and end_date are ISO 8601', inboundDocs)
      return refuse(400, 'syntax_invalid_parameter_format', 'start_date or end_date is no date')
    }
    const found = inbounds.filter((inbound) => {
      const at = Date.parse(String(inbound.received_at))
      return at >= since && at < until && (to === undefined || to.includes(String(inbound.to)))
    })
    const list = found.slice(page * pageSize, (page + 1) * pageSize)
    return { status: 200, body: { count: found.length, page, page_size: list.length, inbounds: list } }
  }

  function handle(request: ApiRequest): ApiAnswer | NoAnswer {
    const [root, version, plan, resource, id, sub, recipient] = request.path.split('/').slice(1)
    if (request.headers.authorization !== `Bearer ${credentials.apiToken}`) {
      violate(
        'no right API token in Authorization: Bearer',
        'https://developers.sinch.com/docs/sms/api-reference/',
      )
      return { status: 401 }
    }
    if (root === 'xms' && version === 'v1' && plan === credentials.servicePlanId) {
      if (request.method === 'POST' && resource === 'batches' && id === undefined) return send(request)
      if (request.method === 'GET' && resource === 'inbounds') {
        if (id === undefined) return listInbounds(request)
        const inbound = inbounds.find((candidate) => candidate.id === id)
        return inbound === undefined ? { status: 404 } : { status: 200, body: inbound }
      }
      if (request.method === 'GET' && resource === 'batches' && sub === 'delivery_report') {
        const report = recipientReports.get(`${id}/${digits(recipient ?? '')}`)
        return report === undefined ? { status: 404 } : { status: 200, body: report }
      }
    }
    violate(`there is no ${request.method} ${request.path}`, batchDocs)
    return { status: 404 }
  }

  /**
   * With HMAC: base64 of HMAC-SHA256 over `body.nonce.timestamp`, as the official SDK's validateWebhookSignature has it.
   * The timestamp is in seconds; how old it may be, the documentation leaves to the receiver.
   */
  async function call(url: string, payload: unknown, forgery: Forgery | undefined): Promise<CallbackAnswer> {
    const text = JSON.stringify(payload)
    const isWrong = forgery === 'wrong-secret'
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (forgery !== 'unsigned' && options.callbackAuthentication === 'basic') {
      const password = isWrong ? 'not-the-password' : credentials.webhookPassword
      const basic = Buffer.from(`${credentials.webhookUsername}:${password}`).toString('base64')
      headers.authorization = `Basic ${basic}`
    } else if (forgery !== 'unsigned') {
      const nonce = newId()
      const timestamp = String(Math.floor(Date.now() / 1000) - (forgery === 'old' ? 86_400 : 0))
      const secret = isWrong ? 'not-the-secret' : credentials.webhookSecret
      headers['x-sinch-webhook-signature-timestamp'] = timestamp
      headers['x-sinch-webhook-signature-nonce'] = nonce
      headers['x-sinch-webhook-signature-algorithm'] = 'HmacSHA256'
      headers['x-sinch-webhook-signature'] = createHmac('sha256', secret)
        .update(`${text}.${nonce}.${timestamp}`)
        .digest('base64')
    }
    const body = forgery === 'other-body' ? text.replace('{', '{"forged":true,') : text
    const answer = await sendCallback(url, { headers, body })
    // 2xx is success; 5xx and 429 are tried again, other 4xx are not: https://developers.sinch.com/docs/sms/api-reference/sms/tag/Webhooks/
    return { ...answer, isSuccess: answer.status >= 200 && answer.status < 300 }
  }

  const server = await startServer(handle)
  return {
    url: server.url,
    credentials,
    number,
    callbackUrls,
    taken,
    violations,
    treatNext: (how) => {
      if (how === 'opted-out' || how === 'in-2xx')
        throw new Error(
          `Sinch has no such answer to a request: ${how}. It takes the message and reports Deleted or Rejected.`,
        )
      treatment = how
    },
    receive: async (messages, forgery) => {
      const answers: CallbackAnswer[] = []
      for (const message of messages) {
        const media = message.mediaUrls ?? []
        const now = new Date().toISOString()
        const inbound = {
          body:
            media.length === 0
              ? message.text
              : {
                  ...(message.text === '' ? {} : { message: message.text }),
                  media: media.map((url) => ({
                    url,
                    content_type: 'image/jpeg',
                    status: 'Uploaded',
                    code: 0,
                  })),
                },
          from: digits(message.from),
          id: message.id ?? newId(),
          operator_id: '311071',
          received_at: now,
          to: digits(message.to ?? number),
          type: media.length === 0 ? 'mo_text' : 'mo_media',
        }
        if (!inbounds.some(({ id }) => id === inbound.id)) inbounds.unshift(inbound)
        if (callbackUrls.message !== undefined)
          answers.push(await call(callbackUrls.message, inbound, forgery))
      }
      return answers
    },
    report: async (id, state, code, forgery) => {
      const batch = taken.find((candidate) => candidate.id === id)
      if (batch === undefined) throw new Error(`Sinch: no batch ${id}`)
      const number = Number(code ?? { sent: 401, delivered: 0, failed: 402 }[state])
      const status = statusOf[number] ?? 'Failed'
      const common = {
        batch_id: id,
        ...(batch.reference === undefined ? {} : { client_reference: batch.reference }),
      }
      const at = new Date().toISOString()
      const single = batch.recipients.map((recipient) => ({
        ...{ at, ...common, code: number, operator_status_at: at, recipient, status },
        type: `recipient_delivery_report_${batch.kind}`,
      }))
      for (const report of single) recipientReports.set(`${id}/${report.recipient}`, report)
      const url = batch.receiptUrl ?? callbackUrls.receipt
      const isFinal = state !== 'sent'
      if (url === undefined || batch.report === 'none' || (!isFinal && batch.report !== 'per_recipient'))
        return []
      if (batch.report.startsWith('per_recipient')) {
        const answers: CallbackAnswer[] = []
        for (const report of single) answers.push(await call(url, report, forgery))
        return answers
      }
      const entry = { code: number, count: batch.recipients.length, status }
      const statuses = [batch.report === 'full' ? { ...entry, recipients: batch.recipients } : entry]
      const total_message_count = batch.recipients.length
      return [
        await call(
          url,
          { ...common, statuses, total_message_count, type: `delivery_report_${batch.kind}` },
          forgery,
        ),
      ]
    },
    close: () => server.close(),
  }
}
