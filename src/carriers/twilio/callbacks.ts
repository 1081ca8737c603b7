import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { CallbackRequest, CallbackTools, CarrierCallbacks } from '../callbacks.js'
import { callbackUrl, TWILIO_CALLBACKS, type TwilioCallbackName } from './callback-urls.js'
import { readMessage, readParameters, readParties, readRecording, readStatus } from './parameters.js'
import type { TwilioSettings } from './settings.js'
import { isSignedByTwilio } from './signature.js'
import { greetAndRecord, HANG_UP, NO_TWIML } from './twiml.js'

/** What Twilio calls us for. It lists what is refused among the account's errors, where the operator finds it. */
export const twilioCallbacks: CarrierCallbacks<TwilioSettings> = {
  names: TWILIO_CALLBACKS,
  unsignedHint: 'X-Twilio-Signature does not fit: look at PUBLIC_URL and the auth token',
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
  message: async ({ fields }, { receiveMessage, confirm }) => {
    const message = readMessage(readParameters(fields))
    if (message === undefined) {
      await confirm()
      throw new UserError('MessageSid, From and To must be there')
    }
    const { parts, keyword, ...parties } = message
    for (const { id: carrierMessageId, content } of parts) {
      await receiveMessage({
        carrierMessageId,
        ...parties,
        content,
        ...(keyword === undefined ? {} : { keyword }),
      })
    }
    return NO_TWIML
  },

  /** Our own id finds a message whose SID we never learned: its worker died, or the answer was lost. */
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
    if (parties === undefined) throw new UserError('From and To must be there')
    if (!(await hasLine(parties.toNumber))) {
      throw new UserError(`no line of ${account.name} has this number: see \`linehook line list\``, 404)
    }
    return greetAndRecord({
      greeting,
      endUrl: callbackUrl(publicUrl, account.id, 'voice', { ended: '1' }),
      // The recording's own callback says nothing of who called.
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
