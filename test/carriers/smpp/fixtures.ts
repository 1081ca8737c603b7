import type { Smsc } from '../../../dev/smsc/server.js'
import type { Timeouts } from '../../../src/carriers/smpp/session.js'
import { createSafeFetch } from '../../../src/safe-fetch.js'
import { smppSettings, type SmppSettings } from '../../../src/carriers/smpp/settings.js'

/** SMSCs of tests are on this machine. */
export const LOOPBACK = createSafeFetch({ allowHttp: false, allowedPrivateCidrs: ['127.0.0.0/8', '::1/128'] })

/**
 * Pauses are short. No test waits for the times in which something has to come, which a busy machine needs: one that is
 * about such a time names its own.
 */
export const QUICK: Timeouts = {
  connectMs: 20_000,
  bindMs: 20_000,
  outbindMs: 20_000,
  windowMs: 20_000,
  responseMs: 20_000,
  enquireMs: 20_000,
  throttledMs: 10,
  unbindMs: 2000,
}

export function settingsOf(
  { port }: Pick<Smsc, 'port'>,
  overrides: Record<string, unknown> = {},
): SmppSettings {
  return smppSettings.cast({ host: '127.0.0.1', port, systemId: 'linehook', ...overrides })
}
