import type { RouterMiddleware } from '@koa/router'
import {
  KEY_PARAMETER,
  type CallbackAnswer,
  type CallbackRequest,
  type CallbackTools,
  type CarrierCallbacks,
} from '../../carriers/callbacks.js'
import { callbacksOf, type CallingAccount } from '../../domain/carriers/calling-accounts.js'
import { notePhone } from '../../domain/carriers/accounts/phones.js'
import { keepUnclearCallback } from '../../domain/carriers/unclear-callbacks.js'
import type { Context } from '../../domain/context.js'
import { isLineAt } from '../../domain/lines/routes.js'
import { receiveMissedCall } from '../../domain/messages/missed-calls.js'
import { receiveOptOut } from '../../domain/messages/opt-out/receive-opt-out.js'
import { inForce } from '../../domain/messages/phone-number.js'
import { AccountChanged, receiveMessage } from '../../domain/messages/receive.js'
import { countReceipt, takeReceipt } from '../../domain/messages/receipts.js'
import { answerByRow, openRow, type OpenedRow } from '../../domain/row-cache.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { onFirstUse } from '../../kit/process/on-first-use.js'
import { pathOfOurs } from '../../telemetry/plain-line.js'
import { fieldsOf, parseCallbackBody, readCallbackBody } from '../input/callback-body.js'
import { isRecord } from '../middleware/json-body.js'
import { targetOf } from '../middleware/normalize-path.js'
import type { RequestLogState } from '../middleware/request-log.js'
import { createEarlyReceipts } from '../listening/early-receipts.js'
import { createOutageRetry } from '../listening/outage-retry.js'

/**
 * Twilio waits 15 s for an answer, which needs time too, and by default does not repeat the request after a 5xx. At
 * most `maxWaiting` requests wait; each has a connection and a body in memory, so with more of them a long outage
 * would fill the process.
 */
const retryOutage = createOutageRetry({ waitMs: 13_000, maxWaiting: 200 })

/** No carrier waits less than 2 s for an answer (Telnyx). */
const lookForMessage = createEarlyReceipts({ againAtMs: [300, 1000], maxWaiting: 200 })

/** Answers carriers' requests to us. Signatures are over the original URL and body. */
export function answerCarrierCallback(context: Context): RouterMiddleware {
  return async (ctx) => {
    const { kind = '', accountId = '', name = '' } = ctx.params
    const callbacks = callbacksOf(context.carriers, kind)
    // A HEAD is answered by the handler of GET, and carries no content.
    if (ctx.method !== 'POST' && (ctx.method !== 'GET' || callbacks?.takesGet !== true)) {
      ctx.set('Allow', 'POST')
      throw new UserError('Use POST for this callback', 405)
    }
    if (callbacks?.names.includes(name) !== true) throw new UserError('No such callback', 404)
    const isRemembered = () => context.callingAccounts.remembered(accountId) !== undefined
    // The path has only our words and this id, which an account has.
    if (isRemembered()) (ctx.state as RequestLogState).plainPath = pathOfOurs(ctx.path)

    const requestedAt = performance.now()
    const readBody = onFirstUse(() => readCallbackBody(ctx, callbacks))
    const answer = await retryOutage(async () => {
      // Anybody can send a small body that is large once unpacked, so it is read only for an existing account.
      if (!isRemembered()) await lookUpAccount(context, kind, accountId)
      return answerCallback(context, callbacks, {
        ...{ kind, accountId, name, method: ctx.method as 'GET' | 'POST', path: targetOf(ctx.originalUrl) },
        body: await readBody(),
        header: (header: string) => ctx.get(header),
        requestedAt,
      })
    }, callbacks.waitMs)
    ctx.status = answer.status ?? 200
    ctx.body = answer.body
    ctx.type = answer.type
  }
}

interface CarrierRequest extends Pick<CallbackRequest, 'method' | 'body' | 'header'> {
  kind: string
  accountId: string
  /** The name of the callback. */
  name: string
  /** The path and query, as the carrier signed them. */
  path: string
  requestedAt: number
}

/**
 * Answers a carrier's callback. A repeat does nothing. An account that this process remembers saves the look-up, if the
 * request is signed with its secret. The statement that stores what the request contains then checks whether the
 * account has changed; if it has, the signature is checked again with the account as it is now.
 *
 * @throws UserError 404 if there is no such account, or the line is not at it: carriers do not repeat
 *   such a request, but show it to the operator, who can see what is set up wrong. 403 without a valid signature, 400
 *   for requests that the carrier would not send.
 */
async function answerCallback(
  context: Context,
  callbacks: CarrierCallbacks<object>,
  called: CarrierRequest,
): Promise<CallbackAnswer> {
  const { name } = called
  const request = readRequest(context.config.publicUrl, callbacks, called)
  const sender = await identifySender(context, callbacks, called, request)

  return answerByRow(sender, 'The carrier account', () =>
    callbacks
      .answer(name, request, toolsFor(context, sender, { name, request }, called.requestedAt))
      .catch((error: unknown) => {
        if (error instanceof AccountChanged) return undefined
        throw error
      }),
  )
}

function readRequest(
  publicUrl: string,
  callbacks: CarrierCallbacks<object>,
  { path, method, body, header }: CarrierRequest,
): CallbackRequest {
  const url = publicUrl + path
  const query = new URL(url).searchParams
  const key = query.get(KEY_PARAMETER) ?? ''
  if (callbacks.key !== undefined) query.delete(KEY_PARAMETER)
  // Parsing a large body takes a while, so it waits for the signature check, if that is over the bytes.
  const content = onFirstCall(() => (method === 'GET' ? fieldsOf(query) : parseCallbackBody(body)))
  return {
    ...{ method, body, header, url, query, key },
    get content() {
      return content()
    },
    get fields() {
      const fields = content()
      return isRecord(fields) ? fields : {}
    },
  }
}

function onFirstCall<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** The account whose secret a request is signed with. */
type Sender = OpenedRow<CallingAccount>

async function identifySender(
  context: Context,
  callbacks: CarrierCallbacks<object>,
  { kind, accountId }: CarrierRequest,
  request: CallbackRequest,
): Promise<Sender> {
  const isSignedFor = (account: CallingAccount) =>
    account.kind === kind && callbacks.isSigned(account.settings, request)

  const lookUp = async (): Promise<CallingAccount> => {
    const account = await lookUpAccount(context, kind, accountId)
    if (isSignedFor(account)) return account
    context.log.warn({ carrierAccountId: account.id }, 'callback.signature_invalid')
    throw new UserError(callbacks.unsignedHint, 403)
  }

  return openRow(context.callingAccounts.remembered(accountId), isSignedFor, lookUp)
}

/** @throws UserError 404 if no account of this kind has the id */
async function lookUpAccount(
  { carriers, callingAccounts }: Context,
  kind: string,
  accountId: string,
): Promise<CallingAccount> {
  const account = isId(accountId) ? await callingAccounts.lookUp(accountId) : undefined
  if (account?.kind === kind) return account
  throw new UserError(`No such account at ${carriers.kinds.get(kind)?.title ?? kind}`, 404)
}

/** The account as it is now: looked up, if it was only remembered, with its signature checked again. */
async function confirmed(sender: Sender): Promise<CallingAccount> {
  return sender.mayBeOld ? sender.refresh() : sender.row
}

function toolsFor(
  context: Context,
  sender: Sender,
  callback: { name: string; request: CallbackRequest },
  requestedAt: number,
): CallbackTools<object> {
  const { row: account } = sender
  const by = { carrierAccount: account.name, account }
  return {
    account,
    settings: account.settings,
    publicUrl: context.config.publicUrl,
    confirm: async () => (await confirmed(sender)).settings,
    receiveMessage: async ({ keyword, ...message }) => {
      await receiveMessage(context, {
        ...by,
        ...message,
        ...(keyword === undefined ? {} : { carrierKeyword: keyword }),
      })
    },
    receiveReceipt: async (receipt) => {
      const given = { ...by, carrierKind: account.kind, ...receipt }
      const take = () => takeReceipt(context, given)
      // Our own id, which the carrier returns beside its own, finds the message immediately or never.
      const isOurs = receipt.messageId !== undefined && receipt.messageId !== receipt.carrierMessageId
      const outcome = isOurs ? await take() : await lookForMessage(requestedAt, take)
      if (outcome === 'of_nothing') countReceipt(given, outcome)
    },
    receiveMissedCall: async (call) => {
      await receiveMissedCall(context, (await confirmed(sender)).name, call)
    },
    noteOptOut: async (optOut) => {
      await receiveOptOut(context, (await confirmed(sender)).name, optOut)
    },
    notePhone: async (phone) => {
      await notePhone(context, await confirmed(sender), phone)
    },
    keepUnclear: async (why) => {
      await keepUnclearCallback(context, await confirmed(sender), { why, ...callback })
    },
    hasLine: async (number) => {
      const line = await context.batched.findLineByNumber(inForce(number))
      return line !== undefined && isLineAt(line, account.name)
    },
  }
}
