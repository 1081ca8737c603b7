import {
  CarrierOutcomeUnknown,
  CarrierRefused,
  type CarrierClient,
  type CarrierNumber,
  type OutboundMessage,
  type Taken,
} from '../carrier.js'
import { senderKindOf } from '../../kit/text/sender-kind.js'
import { errorOfFailure, loggingRefusals } from '../refusals.js'
import type { CarrierTools } from '../kind.js'
import { isSuccess, type Answer } from '../kit/answer.js'
import { explainFailure } from '../kit/api.js'
import { isRecord, textAt } from '../kit/reading.js'
import { createApi, type TwilioApi } from './api.js'
import { callbackUrl } from './callback-urls.js'
import { errorOfAnswer, explainAnswer } from './errors.js'
import { findSent } from './find-sent.js'
import { chargeOf, listCharges } from './charges.js'
import { listReceived } from './list-received.js'
import type { TwilioSettings } from './settings.js'

/** The bound of 40,000 numbers stops a list that would otherwise never end. */
const MAX_NUMBER_PAGES = 400

/** Makes the carrier of an account at Twilio. It keeps nothing in the process except the connections of `http`. */
export function createTwilio(
  account: { id: string; name: string },
  settings: TwilioSettings,
  { http, log, publicUrl }: CarrierTools,
): CarrierClient {
  const api = createApi(http, settings)

  async function post(message: OutboundMessage, signal: AbortSignal): Promise<Taken> {
    const request = { path: '/Messages.json', form: formOf(message) }
    const answer = await api.ask(request, signal).catch((error: unknown) => {
      throw errorOfFailure(error, signal)
    })
    if (!isSuccess(answer)) throw errorOfAnswer(answer)
    const record = isRecord(answer.body) ? answer.body : {}
    const carrierMessageId = textAt(record, 'sid')
    if (carrierMessageId === '')
      throw new CarrierOutcomeUnknown(`Twilio returned HTTP ${answer.status} without the SID of a message`)
    const charge = chargeOf(record)
    return { carrierMessageId, ...(charge === undefined ? {} : { charge }) }
  }

  function formOf({
    id,
    fromNumber,
    toNumber,
    text,
    media,
  }: OutboundMessage): Record<string, string | string[]> {
    return {
      // A service chooses the sender (https://www.twilio.com/docs/messaging/services).
      ...(isService(fromNumber) ? { MessagingServiceSid: fromNumber } : { From: fromNumber }),
      To: toNumber,
      ...(text === null || text === '' ? {} : { Body: text }),
      ...(media.length === 0 ? {} : { MediaUrl: media.map(({ url }) => url) }),
      StatusCallback: callbackUrl(publicUrl, account.id, 'status', { messageId: id }),
    }
  }

  return {
    name: account.name,
    send: loggingRefusals(post, account.name, { log }),
    test: (signal) => testAccount(api, signal),
    listNumbers: (signal) => listNumbers(api, signal),
    async setUpNumbers(numbers, signal) {
      const messageUrl = callbackUrl(publicUrl, account.id, 'message')
      const voiceUrl = callbackUrl(publicUrl, account.id, 'voice')
      const form = {
        SmsUrl: messageUrl,
        SmsMethod: 'POST',
        // If the first URL fails, Twilio calls this one, and waits another 15 s.
        SmsFallbackUrl: messageUrl,
        SmsFallbackMethod: 'POST',
        VoiceUrl: voiceUrl,
        VoiceMethod: 'POST',
        VoiceFallbackUrl: voiceUrl,
        VoiceFallbackMethod: 'POST',
      }
      for (const number of numbers) await setUpNumber(api, number, form, signal)
    },
    findSent: (message, signal) => findSent(api, message, signal),
    // Twilio lists what a number received, and a service is not a number.
    listReceived: (numbers, since, signal) =>
      listReceived(
        api,
        numbers.filter((each) => !isService(each)),
        since,
        signal,
      ),
    listCharges: (since, signal) => listCharges(api, since, signal),
    mediaHeaders: (url) => api.credentialsFor(url),
    close: () => Promise.resolve(),
  }
}

/** True if a line is a Messaging Service of Twilio's, and not one of its numbers. */
function isService(number: string): boolean {
  return senderKindOf(number) === 'service'
}

async function testAccount(api: TwilioApi, signal: AbortSignal): Promise<string | undefined> {
  try {
    const answer = await api.ask({ path: '.json' }, signal)
    const status = isSuccess(answer) ? textAt(answer.body, 'status') : ''
    if (status === 'active') return undefined
    return status === ''
      ? explainAnswer(answer)
      : `The account is ${status} at Twilio. The Twilio console shows why.`
  } catch (error) {
    return explainFailure(error, 'Twilio')
  }
}

async function listNumbers(api: TwilioApi, signal: AbortSignal): Promise<CarrierNumber[]> {
  const list = {
    path: '/IncomingPhoneNumbers.json',
    name: 'incoming_phone_numbers',
    maxPages: MAX_NUMBER_PAGES,
  }
  const numbers: CarrierNumber[] = []
  for await (const records of api.pages(list, signal)) {
    for (const { sid, phone_number: number, friendly_name: name } of records) {
      if (typeof sid !== 'string' || typeof number !== 'string') continue
      numbers.push({ id: sid, number, name: typeof name === 'string' ? name : number })
    }
  }
  return numbers
}

async function setUpNumber(
  api: TwilioApi,
  { id, number }: CarrierNumber,
  form: Record<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const request = { path: `/IncomingPhoneNumbers/${encodeURIComponent(id)}.json`, form }
  const explain = (answer: Answer) => `${number}: ${explainAnswer(answer)}`
  const { body } = await api.askOrRefuse(request, signal, explain)
  const rival = RIVALS.find(([field]) => textAt(body, field) !== '')
  if (rival) throw new CarrierRefused(`${number}: remove it from its ${rival[1]} in the Twilio console first`)
}

/** Settings at Twilio that override a number's own URLs. Our API request cannot undo them. */
const RIVALS = [
  ['sms_application_sid', 'TwiML app for messages'],
  ['voice_application_sid', 'TwiML app for calls'],
  ['trunk_sid', 'SIP trunk'],
] as const
