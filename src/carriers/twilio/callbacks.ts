import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { CallbackRequest, CallbackTools, CarrierCallbacks } from '../callbacks.js'
import { contentOf, type ReceivedContent, type SentRecord } from '../records.js'
import { callbackUrl, TWILIO_CALLBACKS, type TwilioCallbackName } from './callback-urls.js'
import type { TwilioSettings } from './settings.js'
import { isSignedByTwilio, type CallbackParameters } from './signature.js'
import { readOutcome } from './statuses.js'
import { greetAndRecord, HANG_UP, NO_TWIML } from './twiml.js'

/** The callbacks of Twilio. Twilio lists refusals among the account's errors, where the operator finds them. */
export const twilioCallbacks: CarrierCallbacks<TwilioSettings> = {
  names: TWILIO_CALLBACKS,
  unsignedHint: 'X-Twilio-Signature does not match. Check PUBLIC_URL and the auth token',
  isSigned: ({ authToken }, { url, body, fields, header }) =>
    isSignedByTwilio(authToken, {
      url,
      body,
      parameters: readParameters(fields),
      signature: header('X-Twilio-Signature'),
    }),
  answer: async (name, request, tools) => ({
    type: 'text/xml',
    body: await ANSWERS[name as TwilioCallbackName](request, tools),
  }),
}

/** @returns TwiML */
type Answer = (request: CallbackRequest, tools: CallbackTools<TwilioSettings>) => Promise<string>

const ANSWERS: Record<TwilioCallbackName, Answer> = {
  message: async ({ fields }, { receiveMessage, confirm, hasLine }) => {
    const message = readMessage(readParameters(fields))
    if (message === undefined) {
      await confirm()
      throw new UserError('MessageSid, From and To are required')
    }
    const { sid, content, keyword, serviceSid, ...numbers } = message
    // The number may be a line, or belong to a service that is one.
    const isOfService = serviceSid !== '' && !(await hasLine(numbers.toNumber))
    const parties = isOfService ? { ...numbers, toNumber: serviceSid } : numbers
    await receiveMessage({
      carrierMessageId: sid,
      ...parties,
      content,
      ...(keyword === undefined ? {} : { keyword }),
    })
    return NO_TWIML
  },

  /** Our id finds a message whose SID we never got, because its worker died or the response was lost. */
  status: async ({ fields, query }, { receiveReceipt, confirm }) => {
    const record = readStatus(readParameters(fields))
    const messageId = query.get('messageId')
    if (record === undefined) await confirm()
    else await receiveReceipt({ ...record, ...(isId(messageId) ? { messageId } : {}) })
    return NO_TWIML
  },

  voice: async ({ fields, query }, { account, publicUrl, confirm, hasLine }) => {
    const { greeting } = await confirm()
    if (query.has('ended')) return HANG_UP
    const parties = readParties(readParameters(fields))
    if (parties === undefined) throw new UserError('From and To are required')
    if (!(await hasLine(parties.toNumber))) {
      throw new UserError(`No line of ${account.name} has this number. See \`linehook line list\``, 404)
    }
    return greetAndRecord({
      greeting,
      endUrl: callbackUrl(publicUrl, account.id, 'voice', { ended: '1' }),
      // The callback about the recording itself does not say who called.
      recordingUrl: callbackUrl(publicUrl, account.id, 'recording', {
        from: parties.fromNumber,
        to: parties.toNumber,
      }),
    })
  },

  recording: async ({ fields, query }, { receiveMessage, confirm }) => {
    const recording = readRecording(readParameters(fields))
    if (recording === undefined) {
      await confirm()
      return NO_TWIML
    }
    await receiveMessage({
      carrierMessageId: recording.id,
      fromNumber: query.get('from') ?? '',
      toNumber: query.get('to') ?? '',
      content: { type: 'voiceMail', url: recording.url },
    })
    return NO_TWIML
  },
}

/** The sender or caller and our number, as Twilio gives them. A caller without a number has a word there instead. */
interface Parties {
  fromNumber: string
  toNumber: string
}

interface TwilioMessage extends Parties {
  sid: string
  content: ReceivedContent
  /** The Messaging Service that the number belongs to; '' if there is none. */
  serviceSid: string
  /** The keyword that Twilio recognized in the text, and has already answered. */
  keyword: 'stop' | 'start' | 'help' | undefined
}

/**
 * The values of `OptOutType`, which is present if Twilio has answered
 * (https://www.twilio.com/docs/messaging/tutorials/advanced-opt-out).
 */
const KEYWORDS = { STOP: 'stop', START: 'start', HELP: 'help' } as const

/** A value that is neither a text nor a list of texts is not a parameter of Twilio's. */
function readParameters(fields: Readonly<Record<string, unknown>>): CallbackParameters {
  return Object.fromEntries(
    Object.entries(fields).filter(
      (field): field is [string, string | string[]] =>
        isText(field[1]) || (Array.isArray(field[1]) && field[1].every(isText)),
    ),
  )
}

function readMessage(parameters: CallbackParameters): TwilioMessage | undefined {
  const parties = readParties(parameters)
  const sid = readSid(parameters)
  if (parties === undefined || sid === '') return undefined
  const optOutType = textOf(parameters, 'OptOutType').toUpperCase()
  return {
    ...parties,
    serviceSid: textOf(parameters, 'MessagingServiceSid'),
    sid,
    content: contentOf(textOf(parameters, 'Body'), readMediaUrls(parameters)),
    keyword: Object.hasOwn(KEYWORDS, optOutType) ? KEYWORDS[optOutType as keyof typeof KEYWORDS] : undefined,
  }
}

/** The states before these add nothing to the response to our request. */
const NEWS = new Set(['sent', 'delivered', 'read', 'undelivered', 'failed', 'canceled'])

/** @returns undefined if there is nothing to note */
function readStatus(parameters: CallbackParameters): SentRecord | undefined {
  const carrierMessageId = readSid(parameters)
  const status = textOf(parameters, 'MessageStatus')
  if (carrierMessageId === '' || !NEWS.has(status)) return undefined
  const outcome = readOutcome(status, textOf(parameters, 'ErrorCode'), textOf(parameters, 'ErrorMessage'))
  return outcome && { carrierMessageId, ...outcome }
}

function readParties(parameters: CallbackParameters): Parties | undefined {
  const fromNumber = textOf(parameters, 'From')
  const toNumber = textOf(parameters, 'To')
  return fromNumber === '' || toNumber === '' ? undefined : { fromNumber, toNumber }
}

/**
 * Reads a finished recording of a call.
 *
 * @returns undefined if it is not finished, or is silence
 */
function readRecording(parameters: CallbackParameters): { id: string; url: string } | undefined {
  const id = textOf(parameters, 'RecordingSid')
  const url = textOf(parameters, 'RecordingUrl')
  const isThere = isHeard(textOf(parameters, 'RecordingStatus'), textOf(parameters, 'RecordingDuration'))
  return isThere && id !== '' && url !== '' ? { id, url: soundOf(url) } : undefined
}

/** True if a recording is finished, and not silence. */
export function isHeard(status: string, duration: string): boolean {
  return status === 'completed' && duration !== '0'
}

/** The URL of a recording's bytes. */
export function soundOf(url: string): string {
  return `${url}.mp3`
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function readSid(parameters: CallbackParameters): string {
  return textOf(parameters, 'MessageSid') || textOf(parameters, 'SmsSid')
}

function readMediaUrls(parameters: CallbackParameters): string[] {
  const urls: string[] = []
  for (
    let url = textOf(parameters, 'MediaUrl0');
    url !== '';
    url = textOf(parameters, `MediaUrl${urls.length}`)
  ) {
    urls.push(url)
  }
  return urls
}

function textOf(parameters: CallbackParameters, name: string): string {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
  return typeof value === 'string' ? value : ''
}
