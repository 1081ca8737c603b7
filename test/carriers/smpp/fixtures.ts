import type { Smsc } from '../../../dev/smsc/server.js'
import type { Patience } from '../../../src/carriers/smpp/session.js'
import { smppSettings, type SmppSettings } from '../../../src/carriers/smpp/settings.js'

/** What a test waits for goes wrong soon. */
export const QUICK: Patience = {
  connectMs: 1000,
  bindMs: 1000,
  windowMs: 2000,
  responseMs: 5000,
  enquireMs: 100,
  unbindMs: 500,
}

export function settingsOf(
  { port }: Pick<Smsc, 'port'>,
  overrides: Record<string, unknown> = {},
): SmppSettings {
  return smppSettings.cast({ host: '127.0.0.1', port, systemId: 'linehook', ...overrides })
}
