import type { ReceivedPart, SentRecord } from '../records.js'
import { partsOf } from '../records.js'
import type { CallbackParameters } from './signature.js'
import { readOutcome } from './statuses.js'

/** Who wrote or called: the numbers as Twilio gives them. A caller without a number has a word there instead. */
export interface Parties {
  fromNumber: string
  toNumber: string
}

/** A message that came in, as the parts that become events of their own. */
export interface TwilioMessage extends Parties {
  parts: ReceivedPart[]
  /** What Twilio has read in it about being written to, and answered. */
  keyword: 'stop' | 'start' | 'help' | undefined
}

/** Of `OptOutType`, which is there when Twilio has answered (https://www.twilio.com/docs/messaging/tutorials/advanced-opt-out). */
const KEYWORDS = { STOP: 'stop', START: 'start', HELP: 'help' } as const

/** What is neither a text nor a list of texts is no parameter of Twilio's. */
export function readParameters(fields: Readonly<Record<string, unknown>>): CallbackParameters {
  return Object.fromEntries(
    Object.entries(fields).filter(
      (field): field is [string, string | string[]] =>
        isText(field[1]) || (Array.isArray(field[1]) && field[1].every(isText)),
    ),
  )
}

export function readMessage(parameters: CallbackParameters): TwilioMessage | undefined {
  const parties = readParties(parameters)
  const sid = readSid(parameters)
  if (parties === undefined || sid === '') return undefined
  const optOutType = textOf(parameters, 'OptOutType').toUpperCase()
  return {
    ...parties,
    parts: partsOf(sid, textOf(parameters, 'Body'), readMediaUrls(parameters)),
    keyword: Object.hasOwn(KEYWORDS, optOutType) ? KEYWORDS[optOutType as keyof typeof KEYWORDS] : undefined,
  }
}

/** States before these say nothing that the answer to our request has not said. */
const NEWS = new Set(['sent', 'delivered', 'read', 'undelivered', 'failed', 'canceled'])

/** @returns undefined when there is nothing to note */
export function readStatus(parameters: CallbackParameters): SentRecord | undefined {
  const carrierMessageId = readSid(parameters)
  const status = textOf(parameters, 'MessageStatus')
  if (carrierMessageId === '' || !NEWS.has(status)) return undefined
  const outcome = readOutcome(status, textOf(parameters, 'ErrorCode'), textOf(parameters, 'ErrorMessage'))
  return outcome && { carrierMessageId, ...outcome }
}

export function readParties(parameters: CallbackParameters): Parties | undefined {
  const fromNumber = textOf(parameters, 'From')
  const toNumber = textOf(parameters, 'To')
  return fromNumber === '' || toNumber === '' ? undefined : { fromNumber, toNumber }
}

/** A finished recording of a call. @returns undefined for one that is not finished, or is silence */
export function readRecording(parameters: CallbackParameters): { id: string; url: string } | undefined {
  const id = textOf(parameters, 'RecordingSid')
  const url = textOf(parameters, 'RecordingUrl')
  const isThere = isHeard(textOf(parameters, 'RecordingStatus'), textOf(parameters, 'RecordingDuration'))
  return isThere && id !== '' && url !== '' ? { id, url: soundOf(url) } : undefined
}

/** Whether a recording is finished, and not silence. */
export function isHeard(status: string, duration: string): boolean {
  return status === 'completed' && duration !== '0'
}

/** Where the bytes of a recording are. */
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
