import { callbackUrl, type TwilioCallbackName } from '../carriers/twilio/callback-urls.js'
import {
  readMessage,
  readParties,
  readRecording,
  readStatus,
  type Parties,
} from '../carriers/twilio/callbacks.js'
import { twilioSettings, type TwilioSettings } from '../carriers/twilio/settings.js'
import { isSignedByTwilio, type CallbackParameters } from '../carriers/twilio/signature.js'
import { greetAndRecord, HANG_UP, NO_TWIML } from '../carriers/twilio/twiml.js'
import { findCarrierAccount, type CarrierAccount } from '../database/carrier-accounts.js'
import { available } from '../database/connection.js'
import { linkCarrierMessage } from '../database/messages/unknown.js'
import { UserError } from '../errors.js'
import { isId } from '../ids.js'
import { openSettings } from './carriers.js'
import type { Context } from './context.js'
import { receiveMessage, receiveReceipt } from './messages/receive.js'

export interface TwilioRequest {
  accountId: string
  /** Path and query, as they came. */
  path: string
  signature: string
  body: Buffer
  parameters: CallbackParameters
}

/** A request that Twilio has signed. */
interface Callback {
  account: CarrierAccount
  settings: TwilioSettings
  parameters: CallbackParameters
  /** What our URL carried, covered by the signature. */
  query: URLSearchParams
}

/**
 * What Twilio calls us for. A repeat does nothing.
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
  return ANSWERS[name](context, await verify(context, request))
}

async function verify(context: Context, request: TwilioRequest): Promise<Callback> {
  const { accountId, path, ...signed } = request
  const account = isId(accountId)
    ? await available(() => findCarrierAccount(context.db, { id: accountId }))
    : undefined
  if (account?.kind !== 'twilio') throw new UserError('no such account at Twilio', 404)
  const settings = twilioSettings.cast(await openSettings(context, account.id))
  const url = context.config.publicUrl + path
  if (!isSignedByTwilio(settings.authToken, { ...signed, url })) {
    context.log.warn({ carrierAccountId: account.id }, 'callback.signature_invalid')
    throw new UserError('X-Twilio-Signature does not fit: look at PUBLIC_URL and the auth token', 403)
  }
  return { account, settings, parameters: signed.parameters, query: new URL(url).searchParams }
}

type Answer = (context: Context, callback: Callback) => Promise<string>

const ANSWERS: Record<TwilioCallbackName, Answer> = {
  message: async (context, { account, parameters }) => {
    const message = readMessage(parameters)
    if (message === undefined) throw new UserError('MessageSid, From and To must be there')
    const { parts, keyword, ...parties } = message
    await requireLineOf(context, account, parties)
    for (const { id: carrierMessageId, content } of parts) {
      await receiveMessage(context, {
        carrier: account.name,
        carrierMessageId,
        ...parties,
        content,
        ...(keyword === undefined ? {} : { carrierKeyword: keyword }),
      })
    }
    return NO_TWIML
  },

  /** Our own id finds a message whose SID we never learned: its worker died, or the answer was lost. */
  status: async (context, { account, parameters, query }) => {
    const record = readStatus(parameters)
    if (record === undefined) return NO_TWIML
    const { name: carrier } = account
    const messageId = query.get('messageId')
    if (isId(messageId)) {
      const link = { carrier, carrierMessageId: record.carrierMessageId, messageId }
      await available(() => linkCarrierMessage(context.db, link))
    }
    await receiveReceipt(context, { carrier, ...record })
    return NO_TWIML
  },

  voice: async (context, { account, settings, parameters, query }) => {
    if (query.has('ended')) return HANG_UP
    const parties = readParties(parameters)
    if (parties === undefined) throw new UserError('From and To must be there')
    await requireLineOf(context, account, parties)
    const { publicUrl } = context.config
    return greetAndRecord({
      greeting: settings.greeting,
      endUrl: callbackUrl(publicUrl, account.id, 'voice', { ended: '1' }),
      // The recording's own callback says nothing of who called.
      recordingUrl: callbackUrl(publicUrl, account.id, 'recording', {
        from: parties.fromNumber,
        to: parties.toNumber,
      }),
    })
  },

  recording: async (context, { account, parameters, query }) => {
    const recording = readRecording(parameters)
    if (recording === undefined) return NO_TWIML
    const parties = { fromNumber: query.get('from') ?? '', toNumber: query.get('to') ?? '' }
    await requireLineOf(context, account, parties)
    await receiveMessage(context, {
      carrier: account.name,
      carrierMessageId: recording.id,
      ...parties,
      content: { type: 'voiceMail', url: recording.url },
    })
    return NO_TWIML
  },
}

/** @throws UserError 404 */
async function requireLineOf(
  { batched }: Context,
  account: CarrierAccount,
  { toNumber }: Parties,
): Promise<void> {
  const line = await batched.findLineByNumber(toNumber)
  if (line?.carrier !== account.name) {
    throw new UserError(`no line of ${account.name} has this number: see \`linehook line list\``, 404)
  }
}
