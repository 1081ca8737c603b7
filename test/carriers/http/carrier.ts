import type { CarrierClient } from '../../../src/carriers/carrier.js'
import { httpKind } from '../../../src/carriers/http/kind.js'
import { createSafeFetch } from '../../../src/safe-fetch.js'
import { createLog } from '../../../src/telemetry/log.js'

/** The carrier of an account with these settings, over HTTP on loopback. */
export function createTestHttp(settings: Record<string, unknown>): {
  carrier: CarrierClient
  close: () => Promise<void>
} {
  const http = createSafeFetch({ allowHttp: true, allowedPrivateCidrs: ['127.0.0.0/8'] })
  const carrier = httpKind.create(
    { id: '01980000-0000-7000-8000-000000000001', name: 'http' },
    httpKind.settings.cast(settings),
    {
      http,
      log: createLog('test', 'silent'),
      publicUrl: 'https://linehook.example.com',
      simulatorOutbox: undefined,
    },
  )
  if (carrier === undefined) throw new Error('it is never switched off')
  return {
    carrier,
    close: async () => {
      await carrier.close()
      await http.close()
    },
  }
}
