import type { Smsc } from '../../../dev/smsc/server.js'
import type { Timeouts } from '../../../src/carriers/smpp/session.js'
import { createSafeFetch } from '../../../src/safe-fetch.js'
import { smppSettings, type SmppSettings } from '../../../src/carriers/smpp/settings.js'

/** SMSCs of tests are on this machine. */
export const LOOPBACK = createSafeFetch({ allowHttp: false, allowedPrivateCidrs: ['127.0.0.0/8', '::1/128'] })

/** What a test waits for goes wrong soon. */
export const QUICK: Timeouts = {
  connectMs: 1000,
  bindMs: 1000,
  outbindMs: 1000,
  windowMs: 2000,
  responseMs: 5000,
  enquireMs: 100,
  throttledMs: 10,
  unbindMs: 500,
}

export function settingsOf(
  { port }: Pick<Smsc, 'port'>,
  overrides: Record<string, unknown> = {},
): SmppSettings {
  return smppSettings.cast({ host: '127.0.0.1', port, systemId: 'linehook', ...overrides })
}
