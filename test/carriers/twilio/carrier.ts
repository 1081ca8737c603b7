import type { CarrierClient } from '../../../src/carriers/carrier.js'
import { twilio } from '../../../src/carriers/twilio/kind.js'
import type { TwilioSettings } from '../../../src/carriers/twilio/settings.js'
import { createSafeFetch } from '../../../src/safe-fetch.js'
import { createLog } from '../../../src/telemetry/log.js'
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio, type TwilioStandIn } from './stand-in.js'

export const PUBLIC_URL = 'https://linehook.example.com'
export const ACCOUNT = { id: '01980000-0000-7000-8000-000000000001', name: 'twilio' }

/** The Twilio carrier of a test, over HTTP on loopback. */
export function createTestTwilio(
  apiUrl: string,
  settings: Partial<TwilioSettings> = {},
): { carrier: CarrierClient; close: () => Promise<void> } {
  const http = createSafeFetch({ allowHttp: true, allowedPrivateCidrs: ['127.0.0.0/8'] })
  const carrier = twilio.create(
    ACCOUNT,
    twilio.settings.cast({ accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN, apiUrl, ...settings }),
    { http, log: createLog('test', 'silent'), publicUrl: PUBLIC_URL, simulatorOutbox: undefined },
  )
  if (carrier === undefined) throw new Error('Twilio is never switched off')
  return {
    carrier,
    close: async () => {
      await carrier.close()
      await http.close()
    },
  }
}

/** Twilio's stand-in, and a carrier that calls it. */
export async function openTwilio(): Promise<{
  standIn: TwilioStandIn
  carrier: CarrierClient
  close: () => Promise<void>
}> {
  const standIn = await startTwilio()
  const { carrier, close } = createTestTwilio(standIn.url)
  return {
    standIn,
    carrier,
    close: async () => {
      await close()
      await standIn.close()
    },
  }
}
