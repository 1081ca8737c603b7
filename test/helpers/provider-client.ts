import { createClient } from '../../src/carriers/kit/client.js'
import type { Provider } from '../../src/carriers/kit.js'
import type { CarrierClient } from '../../src/carriers/carrier.js'
import { createSafeFetch } from '../../src/safe-fetch.js'
import { createLog } from '../../src/telemetry/log.js'

const ACCOUNT_ID = '01980000-0000-7000-8000-000000000001'

/**
 * Calls a stand-in over HTTP as an account of a provider.
 *
 * @param publicUrl our URL, where the provider is told to call
 */
export async function asAccount<Settings extends object, Result>(
  provider: Provider<Settings>,
  settings: Settings,
  use: (carrier: CarrierClient) => Promise<Result>,
  publicUrl = 'https://linehook.example.com',
): Promise<Result> {
  const http = createSafeFetch({ allowHttp: true, allowedPrivateCidrs: ['127.0.0.0/8'] })
  const account = { id: ACCOUNT_ID, name: provider.kind }
  const callbackUrl = (name: string) => `${publicUrl}/carriers/${provider.kind}/${ACCOUNT_ID}/${name}`
  const tools = { http, log: createLog('test', 'silent'), callbackUrl, publicUrl, simulatorOutbox: undefined }
  try {
    return await use(createClient(provider, account, settings, tools))
  } finally {
    await http.close()
  }
}

/** Sets up numbers as `carrier setup` does, with our URL as it is now. */
export async function setUp<Settings extends object>(
  provider: Provider<Settings>,
  settings: Settings,
  numbers: readonly string[],
  publicUrl?: string,
): Promise<void> {
  const list = numbers.map((number) => ({ id: number.slice(1), number, name: number }))
  const signal = AbortSignal.timeout(10_000)
  await asAccount(provider, settings, async (carrier) => carrier.setUpNumbers?.(list, signal), publicUrl)
}
