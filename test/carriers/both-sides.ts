import { expect } from 'chai'
import type { CallbackRequest } from '../../src/carriers/callbacks.js'
import type { Provider } from '../../src/carriers/kit.js'
import { asAccount } from '../helpers/provider-client.js'
import { anyMessage } from './conformance.js'
import { startServer, type ApiRequest } from './stand-ins/server.js'
import type { StandIn, TakenMessage } from './stand-ins/stand-in.js'

/** Keeps the last request of a stand-in, for its provider's own package and for us to judge. */
export interface Judged {
  url: string
  last(): ApiRequest
  close(): Promise<void>
}

export async function startJudged(): Promise<Judged> {
  let last: ApiRequest | undefined
  const receiver = await startServer((request) => {
    last = request
    return { status: 200 }
  })
  return {
    url: receiver.url,
    close: () => receiver.close(),
    last: () => {
      if (last === undefined) throw new Error('the stand-in has called nobody')
      return last
    },
  }
}

/** Says whether we accept a request as the provider's. */
export function isTakenByUs<Settings extends object>(
  { callbacks }: Pick<Provider<Settings>, 'callbacks'>,
  settings: Settings,
  { body, headers, method }: ApiRequest,
): boolean | undefined {
  const header = (name: string) => String(headers[name.toLowerCase()] ?? '')
  return callbacks?.verify?.(settings, { header, body, method } as CallbackRequest)
}

const TO = '+13125550199'
const TEXT = 'Grüße 🙂'

/**
 * Sends a text to a stand-in twice: from us and from the provider's own package. It must read the same from both, and
 * find nothing wrong: it was made from documentation, and could otherwise be as wrong as we are.
 *
 * @param sendAsTheyDo resolves to the id that the package gives
 * @param same the fields that both requests have
 */
export async function expectSameReading<Settings extends object>(
  standIn: StandIn,
  provider: Provider<Settings>,
  settings: Settings,
  sendAsTheyDo: (message: { from: string; to: string; text: string }) => Promise<string | undefined>,
  same: readonly (keyof TakenMessage)[] = ['from', 'to', 'text', 'mediaUrls'],
): Promise<void> {
  const message = anyMessage({ fromNumber: standIn.number, toNumber: TO, text: TEXT })
  const { carrierMessageId } = await asAccount(provider, settings, (carrier) =>
    carrier.send(message, AbortSignal.timeout(10_000)),
  )
  const theirId = await sendAsTheyDo({ from: standIn.number, to: TO, text: TEXT })
  expect(standIn.violations).to.deep.equal([])
  expect(standIn.taken.map(({ id }) => id)).to.deep.equal([carrierMessageId, theirId])
  const [ours, theirs] = standIn.taken.map((taken) => same.map((field) => taken[field]))
  expect(theirs).to.deep.equal(ours)
  expect(theirs).to.include(TEXT)
}
