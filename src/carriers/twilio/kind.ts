import type { CarrierKind } from '../kind.js'
import { twilioCallbacks } from './callbacks.js'
import { twilioSettings, type TwilioSettings } from './settings.js'
import { createTwilio } from './twilio.js'

export const twilio: CarrierKind<TwilioSettings> = {
  title: 'Twilio',
  settings: twilioSettings,
  defaults: {
    messagesPerSecond: null,
    // This is the pace of a US long code; toll-free numbers and short codes may be faster.
    messagesPerSecondPerLine: 1,
    // Twilio answers STOP, START and HELP itself unless this was switched off.
    handlesOptOut: true,
  },
  // https://www.twilio.com/docs/messaging/api/media-resource
  media: { count: 10, bytesInTotal: 5_000_000 },
  listsCharges: true,
  // An account of an earlier release lacks settings that are new.
  create: (account, settings, tools) => createTwilio(account, twilioSettings.cast(settings), tools),
  callbacks: twilioCallbacks,
}
