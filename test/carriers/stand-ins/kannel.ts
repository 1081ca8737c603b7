import { randomBytes, randomUUID } from 'node:crypto'
import { fillEscapeCodes, urlEncode, type KannelMessage } from './kannel-escape.js'
import { findWrongKannel, readKannel, type KannelRequest } from './kannel-request.js'
import {
  brokenAnswer,
  sendCallback,
  startServer,
  type ApiAnswer,
  type ApiRequest,
  type NoAnswer,
} from './server.js'
import { gsmLength, smsParts } from './sms-length.js'
import type {
  CallbackAnswer,
  Forgery,
  ReceivedMessage,
  StandIn,
  TakenMessage,
  Treatment,
} from './stand-in.js'

const sendDocumentation = 'https://www.kannel.org/download/kannel-userguide-snapshot/userguide.html'

export interface KannelStandIn extends StandIn {
  /** The messages that Kannel would send to phones because of the answers to its calls; see `maxMessages`. */
  readonly replies: readonly { to: string; text: string }[]
  /** Answers the next request with `3: Queued for later delivery`, which is success too. */
  queueNext(): void
  /** Waits for the receipts that the stand-in sends by itself, after `no-credit`. */
  settle(): Promise<CallbackAnswer[]>
}

export interface KannelOptions {
  number?: string
  /** The `get-url`, `post-url` or `post-xml` of the sms-service with the keyword `default`, escape codes and all. */
  messageCallbackUrl?: string
  /** The `dlr-url` of the sendsms-user, for requests that have a dlr-mask but no dlr-url. */
  receiptCallbackUrl?: string
  /** Which of the three the sms-service has. Left out: get-url. */
  service?: 'get-url' | 'post-url' | 'post-xml'
  /** `send-sender` of the sms-service; Kannel's default is false, and then POST and XML do not say who wrote. */
  sendSender?: boolean
  /** `mo-recode` of the smsbox; Kannel's default is false, and then text outside GSM-7 comes as UTF-16BE. */
  moRecode?: boolean
  /** `max-messages` of the sms-service. Left out: 0, as one sets it for a service that answers by sendsms. */
  serviceMaxMessages?: number
  /** `max-messages` of the sendsms-user. Kannel's default is 1; longer text is cut. Left out: 255. */
  maxMessages?: number
  /** What in the addresses only Kannel and the client know. Forgeries leave it out or put another in its place. */
  secret?: string
}

interface Kept extends TakenMessage {
  request: KannelRequest
  recipient: string
  foreignId: string
}

export async function startKannel(options: KannelOptions = {}): Promise<KannelStandIn> {
  const number = options.number ?? '+4915550142'
  const username = 'stand-in'
  const password = randomBytes(12).toString('base64url')
  const smscId = 'SMSC1'
  const callbackUrls: StandIn['callbackUrls'] = {
    ...(options.messageCallbackUrl === undefined ? {} : { message: options.messageCallbackUrl }),
    ...(options.receiptCallbackUrl === undefined ? {} : { receipt: options.receiptCallbackUrl }),
  }
  const taken: Kept[] = []
  const violations: string[] = []
  const replies: { to: string; text: string }[] = []
  let recorded: Parameters<typeof sendCallback> | undefined
  let waiting: Promise<CallbackAnswer[]>[] = []
  let isQueueNext = false
  let treatment: Treatment | undefined

  function answer(got: ApiRequest): ApiAnswer | NoAnswer {
    if (got.path !== '/cgi-bin/sendsms') {
      violations.push(`There is no ${got.path} at the smsbox. ${sendDocumentation}`)
      return { status: 404, body: 'Unknown request.' }
    }
    const read = readKannel(got)
    if ('refusal' in read) {
      violations.push(`${String(read.refusal.body)} ${sendDocumentation}`)
      return read.refusal
    }
    const { request } = read
    for (const name of read.unknown) violations.push(`There is no variable ${name}. ${sendDocumentation}`)
    if (request.username !== username || request.password !== password) {
      violations.push(`The username or password is wrong. ${sendDocumentation}`)
      return wrongCredentials
    }
    const wrong = findWrongKannel(request)
    if (wrong !== undefined) {
      violations.push(`${wrong} ${sendDocumentation}`)
      return { status: 400, body: wrong }
    }
    const text = check(request)
    const how = treatment
    treatment = undefined
    switch (how) {
      case 'invalid-recipient':
      case 'opted-out':
        // A black-list, or a white-list, is all that Kannel has of both.
        return { status: 400, body: 'Number(s) has/have been denied by white- and/or black-lists.' }
      case 'wrong-credentials':
        return wrongCredentials
      case 'throttled':
        return { status: 503, body: 'Temporal failure, try again later.' }
      case 'server-error':
        return { status: 500, body: 'Sending failed.' }
      case undefined:
      case 'no-credit':
        break
      default:
        return brokenAnswer(how, 202) ?? 'close'
    }
    const recipients = (request.to ?? '').split(/\s+/).filter((word) => word !== '')
    const messages = recipients.map((to) => keep(request, to, text))
    if (how === 'no-credit') {
      // Kannel knows no credit: the SMS centre refuses, after the 202, and a receipt of type 16 tells.
      waiting.push(
        new Promise((resolve) => setTimeout(resolve, 20)).then(async () => {
          const all = await Promise.all(
            messages.map((message) => report(message, 'failed', 'NACK/No credit')),
          )
          return all.flat()
        }),
      )
    }
    const isQueued = isQueueNext
    isQueueNext = false
    return { status: 202, body: isQueued ? '3: Queued for later delivery' : '0: Accepted for delivery' }
  }

  /** What Kannel takes but changes: it is a violation, as nobody wants it. Gives the text that the phone gets. */
  function check(request: KannelRequest): string {
    let { text } = request
    if (request.coding !== 2 && gsmLength(text) === undefined) {
      violations.push(
        `The text has characters that GSM-7 lacks, and coding is not 2: Kannel puts ? for them. ${sendDocumentation}`,
      )
      text = Array.from(text, (character) => (gsmLength(character) === undefined ? '?' : character)).join('')
    }
    const most = options.maxMessages ?? 255
    if (smsParts(text).parts > most) {
      violations.push(
        `The text needs more messages than max-messages, ${most}: Kannel cuts it. ${sendDocumentation}`,
      )
      const isGsm = gsmLength(text) !== undefined
      text = text.slice(0, most === 1 ? (isGsm ? 160 : 70) : most * (isGsm ? 153 : 67))
    }
    return text
  }

  function keep(request: KannelRequest, recipient: string, text: string): Kept {
    const message: Kept = {
      id: randomUUID(),
      from: request.from ?? '',
      to: recipient,
      text,
      mediaUrls: [],
      reference: undefined,
      receiptUrl: request.dlrUrl,
      request,
      recipient,
      foreignId: randomBytes(4).toString('hex'),
    }
    taken.push(message)
    return message
  }

  async function call(
    url: string,
    callback: { method: string; headers: Record<string, string>; body?: string | Buffer },
    forgery: Forgery | undefined,
    forged: () => { url: string; body?: string | Buffer },
  ): Promise<CallbackAnswer> {
    let fresh: Parameters<typeof sendCallback> = [url, callback]
    if (forgery === 'unsigned' || forgery === 'wrong-secret') {
      // Kannel signs nothing: only what the addresses hold can be secret.
      const { secret } = options
      if (secret === undefined || !url.includes(secret))
        throw new Error('No secret is in this address of Kannel.')
      fresh = [url.replaceAll(secret, forgery === 'unsigned' ? '' : 'another'), callback]
    } else if (forgery === 'other-body') {
      const other = forged()
      fresh = [other.url, { ...callback, ...(other.body === undefined ? {} : { body: other.body }) }]
    } else if (forgery === 'old') fresh = recorded ?? fresh
    else recorded = fresh
    const { status, body } = await sendCallback(...withBasic(fresh))
    // 200 and 202 only, not 204: `url_result_thread` of gw/smsbox.c. Else again `http-request-retry` times, 0 if unset.
    return { status, body, isSuccess: status === 200 || status === 202 }
  }

  async function receiveOne(message: ReceivedMessage, forgery: Forgery | undefined): Promise<CallbackAnswer> {
    if ((message.mediaUrls ?? []).length > 0) throw new Error("Kannel's smsbox receives no media.")
    const pattern = callbackUrls.message
    if (pattern === undefined)
      return { status: 0, body: 'no address for the callback is set', isSuccess: false }
    const id = message.id ?? randomUUID()
    const written = (text: string) => fromPhone({ ...message, text, id })
    const kannel = written(message.text)
    const url = fillEscapeCodes(pattern, kannel)
    const service = options.service ?? 'get-url'
    const userAgent = { 'User-Agent': 'Kannel/1.4.5' }
    const sender: Record<string, string> =
      options.sendSender === true ? { 'X-Kannel-From': kannel.phone } : {}
    const other = written('something else')
    const forged = () => ({
      url: fillEscapeCodes(pattern, other),
      ...(service === 'get-url' ? {} : { body: service === 'post-xml' ? xml(other) : other.data }),
    })
    let result: CallbackAnswer
    if (service === 'get-url') {
      result = await call(url, { method: 'GET', headers: { ...userAgent, ...sender } }, forgery, forged)
    } else if (service === 'post-url') {
      const charset = kannel.coding === 2 ? 'UTF-16BE' : (kannel.charset ?? 'UTF-8')
      const headers = {
        ...userAgent,
        'Content-Type': `text/plain; charset="${charset}"`,
        ...sender,
        'X-Kannel-To': kannel.service,
        'X-Kannel-Time': time(kannel.date),
        Date: time(new Date()),
        'X-Kannel-SMSC': smscId,
        'X-Kannel-Coding': String(kannel.coding),
        'X-Kannel-Service': kannel.name,
      }
      result = await call(url, { method: 'POST', headers, body: kannel.data }, forgery, forged)
    } else {
      const charset =
        kannel.coding === 2 ? '; charset="ISO-8859-1"' : kannel.charset ? `; charset="${kannel.charset}"` : ''
      const headers = { ...userAgent, 'Content-Type': `text/xml${charset}`, Date: time(new Date()) }
      result = await call(url, { method: 'POST', headers, body: xml(kannel) }, forgery, forged)
    }
    if ((options.serviceMaxMessages ?? 0) > 0 && forgery === undefined)
      replies.push(replyTo(kannel.phone, result))
    return result
  }

  function fromPhone(message: ReceivedMessage): KannelMessage {
    const isGsm = gsmLength(message.text) !== undefined
    const isWide = !isGsm && options.moRecode !== true
    return {
      data: isWide ? Buffer.from(message.text, 'utf16le').swap16() : Buffer.from(message.text),
      coding: isWide ? 2 : 0,
      charset: isGsm || isWide ? undefined : 'UTF-8',
      phone: message.from,
      service: message.to ?? number,
      id: message.id ?? '',
      smscId,
      name: 'default',
      dlrType: -1,
      dlrUrl: '',
      foreignId: '',
      billing: '',
      date: new Date(),
    }
  }

  /** post-xml of `obey_request` in gw/smsbox.c: <oa> comes only with send-sender, and <ud> is URL-encoded. */
  function xml(message: KannelMessage): string {
    const tag = (name: string, value: string) => `  \t\t<${name}>${value}</${name}>\n`
    const date = message.date.toISOString()
    const part = (name: string, from: number, to: number) => `<${name}>${date.slice(from, to)}</${name}>`
    const at = `${part('year', 0, 4)}${part('month', 5, 7)}${part('day', 8, 10)}${part('hour', 11, 13)}${part('minute', 14, 16)}${part('second', 17, 19)}<timezone>0</timezone>`
    return [
      `<?xml version="1.0" encoding="${message.charset ?? 'ISO-8859-1'}"?>\n<message cid="1">\n\t<submit>\n`,
      options.sendSender === true ? tag('oa', tag('number', message.phone)) : '',
      tag('da', tag('number', message.service)),
      message.data.length > 0 ? tag('ud', urlEncode(message.data)) : '',
      tag('dcs', tag('coding', String(message.coding))),
      tag('at', at),
      tag('from', tag('account', message.smscId)),
      tag('to', tag('service', message.name)),
      '\t</submit>\n</message>\n',
    ].join('')
  }

  /** A receipt is fetched by GET from the request's dlr-url, and only where dlr-mask asks for its type. */
  async function report(
    message: Kept,
    state: 'sent' | 'delivered' | 'failed',
    code?: string,
    forgery?: Forgery,
  ): Promise<CallbackAnswer[]> {
    const mask = message.request.dlrMask ?? -1
    const pattern = message.request.dlrUrl ?? callbackUrls.receipt
    if (mask <= 0 || pattern === undefined) return []
    // 8: the SMS centre has it; 1 and 2: the phone has it, or never will; 16: the SMS centre refuses, and that comes
    // with a mask that has 2 or 16 (`bb_smscconn_send_failed`). Newer versions have 34, expired, and 66, unknown, too.
    const isRefused = state === 'failed' && code?.startsWith('NACK/') === true
    const failed = code === '34' || code === '66' ? Number(code) : 2
    const type = state === 'sent' ? 8 : state === 'delivered' ? 1 : isRefused ? 16 : failed
    if ((mask & (isRefused ? 18 : type & 31)) === 0) return []
    // The SMS centre's own words, for SMPP those of appendix B of its version 3.4.
    const now = new Date().toISOString().replace(/\D/g, '').slice(2, 12)
    const words =
      type === 8
        ? 'ACK/'
        : isRefused
          ? code
          : `id:${message.foreignId} sub:001 dlvrd:00${type === 1 ? 1 : 0} submit date:${now} done date:${now} stat:${type === 1 ? 'DELIVRD' : 'UNDELIV'} err:${code ?? '000'} text:`
    const kannel = (dlrType: number): KannelMessage => ({
      data: Buffer.from(words),
      coding: 0,
      charset: undefined,
      // In a receipt, too, %p is the phone and %P the number on Kannel's side (`dlr_find` of gw/dlr.c).
      phone: message.recipient,
      service: message.from,
      id: randomUUID(),
      smscId,
      name: username,
      dlrType,
      dlrUrl: pattern,
      foreignId: message.foreignId,
      billing: code ?? '',
      date: new Date(),
    })
    const url = fillEscapeCodes(pattern, kannel(type))
    const forged = () => ({ url: fillEscapeCodes(pattern, kannel(type === 1 ? 2 : 1)) })
    return [await call(url, { method: 'GET', headers: { 'User-Agent': 'Kannel/1.4.5' } }, forgery, forged)]
  }

  const server = await startServer(answer)
  return {
    url: server.url,
    credentials: { username, password },
    number,
    callbackUrls,
    taken,
    violations,
    replies,
    queueNext() {
      isQueueNext = true
    },
    treatNext(how) {
      if (how === 'in-2xx') throw new Error('Kannel documents no refusal inside a 2xx.')
      treatment = how
    },
    async receive(messages, forgery) {
      const answers: CallbackAnswer[] = []
      for (const message of messages) answers.push(await receiveOne(message, forgery))
      return answers
    },
    async report(id, state, code, forgery) {
      const message = taken.find((one) => one.id === id)
      if (message === undefined) throw new Error(`Kannel took no message ${id}.`)
      return report(message, state, code, forgery)
    },
    async settle() {
      const all = waiting
      waiting = []
      return (await Promise.all(all)).flat()
    },
    close: () => server.close(),
  }
}

const wrongCredentials: ApiAnswer = { status: 403, body: 'Authorization failed for sendsms' }

/** What goes to the phone as the service's answer: the guide's «How sms-service interprets the HTTP response». */
function replyTo(to: string, { isSuccess, body }: CallbackAnswer): { to: string; text: string } {
  if (!isSuccess) return { to, text: 'Could not fetch content, sorry.' }
  return { to, text: body === '' ? '<Empty reply from service provider>' : body }
}

/** A name and password in an address become Basic, as in gwlib/http.c. */
function withBasic([url, callback]: Parameters<typeof sendCallback>): Parameters<typeof sendCallback> {
  const match = /^(https?:\/\/)([^/@?]*)@(.*)$/.exec(url)
  if (match === null) return [url, callback]
  const [, scheme = '', user = '', rest = ''] = match
  const basic = `Basic ${Buffer.from(decodeURIComponent(user)).toString('base64')}`
  return [scheme + rest, { ...callback, headers: { ...callback.headers, Authorization: basic } }]
}

/** `YYYY-MM-DD HH:MM:SS` in UTC */
function time(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ')
}
