import type { CarrierKind } from '../kind.js'
import { LATIN_1 } from '../../kit/text/segments.js'
import { listenToSmsc } from './listen.js'
import { readLanguages } from './setting-lines.js'
import { smppSettings, type SmppSettings } from './settings.js'
import { createSmpp } from './smpp.js'

export const smppKind: CarrierKind<SmppSettings> = {
  title: 'SMPP',
  settings: smppSettings,
  defaults: { messagesPerSecond: null, messagesPerSecondPerLine: null, handlesOptOut: false },
  create: ({ name }, settings, { http }) => createSmpp(name, smppSettings.cast(settings), { hosts: http }),
  languages: ({ nationalTables, defaultAlphabet }) =>
    defaultAlphabet === LATIN_1 ? [LATIN_1] : readLanguages(nationalTables),
  listen: listenToSmsc,
  sendsBySegment: true,
}
