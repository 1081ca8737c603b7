import { callbackUrl, type TwilioCallbackName } from '../carriers/twilio/callback-urls.js'
import { readMessage, readParties, readRecording, readStatus } from '../carriers/twilio/callbacks.js'
import { isSignedByTwilio, type CallbackParameters } from '../carriers/twilio/signature.js'
import { greetAndRecord, HANG_UP, NO_TWIML } from '../carriers/twilio/twiml.js'
import { Unavailable, UserError } from '../errors.js'
import { isId } from '../ids.js'
import type { Context } from './context.js'
import { AccountChanged, noLineOf, receiveMessage, receiveReceipt } from './messages/receive.js'
import type { TwilioAccount } from './twilio-accounts.js'

export interface TwilioRequest {
  accountId: string
  /** Path and query, as they came. */
  path: string
  signature: string
  body: Buffer
  parameters: CallbackParameters
}

/** A request that was signed with the auth token of an account. */
interface Callback {
  /** It may be old: what takes something in is given its version, and throws AccountChanged. */
  account: TwilioAccount
  parameters: CallbackParameters
  /** What our URL carried, covered by the signature. */
  query: URLSearchParams
  /**
   * The account as it is, for an answer that takes nothing in. It is looked up, and the signature checked with it, unless
   * that was done for this request.
   *
   * @throws UserError 404, 403
   */
  confirm: () => Promise<TwilioAccount>
}

/** How often an account may be changed during one request. */
const MAX_TRIES = 3

/**
 * What Twilio calls us for. A repeat does nothing. An account that this process remembers spares the look-up, if the
 * request is signed with its auth token. Then the statement that takes in what the request brings looks whether the
 * account still is what it was; if not, the signature is checked again with what it is now.
 *
 * @returns the TwiML to answer with
 * @throws UserError 404 when there is no such account, or the line is not at it: Twilio does not repeat such a
 *   request, but lists it among the account's errors, where the operator finds what is set up wrong. 403 without a
 *   valid signature, 400 for what Twilio does not send.
 */
export async function answerTwilio(
  context: Context,
  name: TwilioCallbackName,
  request: TwilioRequest,
): Promise<string> {
  const url = context.config.publicUrl + request.path
  const isSignedFor = ({ settings }: TwilioAccount) =>
    isSignedByTwilio(settings.authToken, { ...request, url })

  const lookUp = async (): Promise<TwilioAccount> => {
    const { accountId } = request
    const account = isId(accountId) ? await context.twilioAccounts.lookUp(accountId) : undefined
    if (account === undefined) throw new UserError('no such account at Twilio', 404)
    if (isSignedFor(account)) return account
    context.log.warn({ carrierAccountId: account.id }, 'callback.signature_invalid')
    throw new UserError('X-Twilio-Signature does not fit: look at PUBLIC_URL and the auth token', 403)
  }

  const remembered = context.twilioAccounts.remembered(request.accountId)
  let mayBeOld = remembered !== undefined && isSignedFor(remembered)
  let account = mayBeOld && remembered !== undefined ? remembered : await lookUp()
  const refresh = async () => {
    account = await lookUp()
    mayBeOld = false
    return account
  }
  const confirm = () => (mayBeOld ? refresh() : Promise.resolve(account))

  const { parameters } = request
  const query = new URL(url).searchParams
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    try {
      return await ANSWERS[name](context, { account, parameters, query, confirm })
    } catch (error) {
      if (!(error instanceof AccountChanged)) throw error
      await refresh()
    }
  }
  throw new Unavailable('the carrier account is being changed', 1)
}

type Answer = (context: Context, callback: Callback) => Promise<string>

const ANSWERS: Record<TwilioCallbackName, Answer> = {
  message: async (context, { account, parameters, confirm }) => {
    const message = readMessage(parameters)
    if (message === undefined) {
      await confirm()
      throw new UserError('MessageSid, From and To must be there')
    }
    const { parts, keyword, ...parties } = message
    for (const { id: carrierMessageId, content } of parts) {
      await receiveMessage(context, {
        carrier: account.name,
        account,
        carrierMessageId,
        ...parties,
        content,
        ...(keyword === undefined ? {} : { carrierKeyword: keyword }),
      })
    }
    return NO_TWIML
  },

  /** Our own id finds a message whose SID we never learned: its worker died, or the answer was lost. */
  status: async (context, { account, parameters, query, confirm }) => {
    const record = readStatus(parameters)
    const messageId = query.get('messageId')
    if (record === undefined) await confirm()
    else {
      await receiveReceipt(context, {
        carrier: account.name,
        account,
        ...(isId(messageId) ? { messageId } : {}),
        ...record,
      })
    }
    return NO_TWIML
  },

  voice: async (context, { parameters, query, confirm }) => {
    const account = await confirm()
    if (query.has('ended')) return HANG_UP
    const parties = readParties(parameters)
    if (parties === undefined) throw new UserError('From and To must be there')
    const line = await context.batched.findLineByNumber(parties.toNumber)
    if (line?.carrier !== account.name) throw noLineOf(account.name)
    const { publicUrl } = context.config
    return greetAndRecord({
      greeting: account.settings.greeting,
      endUrl: callbackUrl(publicUrl, account.id, 'voice', { ended: '1' }),
      // The recording's own callback says nothing of who called.
      recordingUrl: callbackUrl(publicUrl, account.id, 'recording', {
        from: parties.fromNumber,
        to: parties.toNumber,
      }),
    })
  },

  recording: async (context, { account, parameters, query, confirm }) => {
    const recording = readRecording(parameters)
    if (recording === undefined) {
      await confirm()
      return NO_TWIML
    }
    await receiveMessage(context, {
      carrier: account.name,
      account,
      carrierMessageId: recording.id,
      fromNumber: query.get('from') ?? '',
      toNumber: query.get('to') ?? '',
      content: { type: 'voiceMail', url: recording.url },
    })
    return NO_TWIML
  },
}
