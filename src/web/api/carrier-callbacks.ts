import type { RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'
import type { CallbackAnswer, CallbackRequest, CallbackTools } from '../../carriers/callbacks.js'
import { callbacksOf, type CallingAccount } from '../../domain/carriers/calling-accounts.js'
import type { Context } from '../../domain/context.js'
import { isLineAt } from '../../domain/lines/routes.js'
import { AccountChanged, receiveMessage, receiveReceipt } from '../../domain/messages/receive.js'
import { MAX_JUDGEMENTS } from '../../domain/row-cache.js'
import { Unavailable, UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { pathOfOurs } from '../../telemetry/plain-line.js'
import { bodyBytesOf, isRecord, readFieldsBody } from '../middleware/json-body.js'
import type { RequestLogState } from '../middleware/request-log.js'
import { createPatience } from '../listening/patience.js'

/**
 * Twilio waits 15 s for an answer, which needs time too, and by itself does not come again after a 5xx. As many as
 * `maxWaiting` wait; each has a connection and a body in memory, so with more of them a long outage would fill the process.
 */
const patiently = createPatience({ waitMs: 13_000, maxWaiting: 200 })

/**
 * As `readFieldsBody`, for a carrier, which would not repeat what we refuse: a text with U+FFFD in it is better than none.
 * Its ids may have more digits than a number holds.
 */
export function readCallbackBody(): Middleware {
  return readFieldsBody({ toText: (bytes) => Buffer.from(bytes).toString(), isExact: true })
}

/** Carriers' requests to us, form or JSON. Signatures are over the URL and the body as they came. */
export function answerCarrierCallback(context: Context): RouterMiddleware {
  return async (ctx) => {
    const { kind = '', accountId = '', name = '' } = ctx.params
    const { body } = ctx.request
    const request = {
      kind,
      accountId,
      name,
      path: ctx.originalUrl,
      body: bodyBytesOf(ctx),
      fields: isRecord(body) ? body : {},
      header: (header: string) => ctx.get(header),
    }
    // Besides words of ours there is this id in it, which an account has.
    const isKnown = callbacksOf(context.carriers, kind)?.names.includes(name) === true
    if (isKnown && context.callingAccounts.remembered(accountId) !== undefined) {
      ;(ctx.state as RequestLogState).plainPath = pathOfOurs(ctx.path)
    }
    const answer = await patiently(() => answerCallback(context, request))
    ctx.body = answer.body
    ctx.type = answer.type
  }
}

interface CarrierRequest extends Pick<CallbackRequest, 'body' | 'fields' | 'header'> {
  kind: string
  accountId: string
  /** Which of the kind's callbacks. */
  name: string
  /** Path and query, as they came. */
  path: string
}

/**
 * Answers what a carrier calls us for. A repeat does nothing. An account that this process remembers saves the look-up,
 * if the request is signed with its secret. The statement that stores what the request brings then checks whether the
 * account has changed; if it has, the signature is checked again with the account as it is now.
 *
 * @throws UserError 404 when there is no such callback or account, or the line is not at it: carriers do not repeat such
 *   a request, but show it to the operator, who finds what is set up wrong. 403 without a valid signature, 400 for what
 *   the carrier does not send.
 */
async function answerCallback(context: Context, asked: CarrierRequest): Promise<CallbackAnswer> {
  const { carriers, config, log, callingAccounts } = context
  const { kind, name, accountId, path, ...rest } = asked
  const callbacks = callbacksOf(carriers, kind)
  if (callbacks?.names.includes(name) !== true) throw new UserError('there is no such callback', 404)

  const url = config.publicUrl + path
  const request: CallbackRequest = { ...rest, url, query: new URL(url).searchParams }
  const isSignedFor = (account: CallingAccount) =>
    account.kind === kind && callbacks.isSigned(account.settings, request)

  const lookUp = async (): Promise<CallingAccount> => {
    const account = isId(accountId) ? await callingAccounts.lookUp(accountId) : undefined
    if (account?.kind !== kind) {
      throw new UserError(`no such account at ${carriers.kinds.get(kind)?.title ?? kind}`, 404)
    }
    if (isSignedFor(account)) return account
    log.warn({ carrierAccountId: account.id }, 'callback.signature_invalid')
    throw new UserError(callbacks.unsignedHint, 403)
  }

  const remembered = callingAccounts.remembered(accountId)
  let mayBeOld = remembered !== undefined && isSignedFor(remembered)
  let account = mayBeOld && remembered !== undefined ? remembered : await lookUp()
  const refresh = async () => {
    account = await lookUp()
    mayBeOld = false
    return account
  }
  const confirm = async () => (mayBeOld ? await refresh() : account).settings

  for (let tries = 1; tries <= MAX_JUDGEMENTS; tries += 1) {
    try {
      return await callbacks.answer(name, request, { ...toolsFor(context, account), confirm })
    } catch (error) {
      if (!(error instanceof AccountChanged)) throw error
      await refresh()
    }
  }
  throw new Unavailable('the carrier account is being changed', 1)
}

function toolsFor(context: Context, account: CallingAccount): Omit<CallbackTools<object>, 'confirm'> {
  const by = { carrierAccount: account.name, account }
  return {
    account,
    settings: account.settings,
    publicUrl: context.config.publicUrl,
    receiveMessage: async ({ keyword, ...message }) => {
      await receiveMessage(context, {
        ...by,
        ...message,
        ...(keyword === undefined ? {} : { carrierKeyword: keyword }),
      })
    },
    receiveReceipt: async (receipt) => {
      await receiveReceipt(context, { ...by, ...receipt })
    },
    hasLine: async (number) => {
      const line = await context.batched.findLineByNumber(number)
      return line !== undefined && isLineAt(line, account.name)
    },
  }
}
