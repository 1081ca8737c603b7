import type { CarrierKind } from '../kind.js'
import { listenToSmsc } from './listen.js'
import { smppSettings, type SmppSettings } from './settings.js'
import { createSmpp } from './smpp.js'
import { tablesOf } from './submit.js'

export const smppKind: CarrierKind<SmppSettings> = {
  title: 'SMPP',
  settings: smppSettings,
  defaults: { messagesPerSecond: null, messagesPerSecondPerLine: null, handlesOptOut: false },
  create: ({ name }, settings, { http }) => createSmpp(name, smppSettings.cast(settings), { hosts: http }),
  languages: tablesOf,
  listen: listenToSmsc,
}
