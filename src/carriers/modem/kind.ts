import type { CarrierKind } from '../kind.js'
import { listenToModem } from './listen.js'
import { createModem } from './modem.js'
import { modemSettings, type ModemSettings } from './settings.js'

export const modemKind: CarrierKind<ModemSettings> = {
  title: 'GSM modem',
  settings: modemSettings,
  defaults: { messagesPerSecond: null, messagesPerSecondPerLine: null, handlesOptOut: false },
  create: ({ name }, settings) => createModem(name, modemSettings.cast(settings)),
  listen: listenToModem,
  sessionWord: 'connected',
  isTestedWhereHeld: true,
}
