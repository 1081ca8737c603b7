import type { ListenTools } from '../listening.js'
import { createUnstored } from '../unstored.js'
import { takePdu } from './inbox.js'
import type { ModemSettings } from './settings.js'

/** Hands over what the modem stores nowhere. */
export function createReports(settings: ModemSettings, tools: ListenTools) {
  const { enqueue, addLate, close } = createUnstored(tools)
  return {
    add: (tpdu: Buffer) => {
      enqueue(() => takePdu(tpdu, settings, tools))
    },
    addLate,
    close,
  }
}
