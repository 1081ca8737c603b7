import type { CarrierKind } from '../kind.js'
import { httpCallbacks } from './callbacks.js'
import { createHttp } from './http.js'
import { httpSettings, type HttpSettings } from './settings.js'

/** Any carrier that takes one HTTP request for each message, and posts what comes in. */
export const httpKind: CarrierKind<HttpSettings> = {
  title: 'HTTP',
  settings: httpSettings,
  defaults: { messagesPerSecond: null, messagesPerSecondPerLine: null, handlesOptOut: false },
  create: createHttp,
  callbacks: httpCallbacks,
}
