import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as yup from 'yup'
import { CarrierRefused, type CarrierNumber } from '../../../src/carriers/carrier.js'
import type { CarrierKind } from '../../../src/carriers/kind.js'
import { countSegments } from '../../../src/kit/text/segments.js'
import { CARRIER_KINDS } from '../../../src/carriers/registry.js'

/** A kind of carrier with a setting of every sort, for tests of accounts. Its other side is `startParrot`. */
const parrot: CarrierKind<{
  url: string
  apiKey: string
  recoveryCode?: string | undefined
  region: string
  retries: number
  song?: string | undefined
  loud: boolean
}> = {
  title: 'Parrot',
  settings: yup.object({
    url: yup
      .string()
      .required()
      .matches(/^http:/, 'must start with http://')
      .meta({ about: 'Where it sits.' }),
    apiKey: yup.string().required().min(8).meta({ about: 'What it listens to.', secret: true }),
    recoveryCode: yup.string().meta({ about: 'For when it has flown.', secret: true }),
    region: yup.string().oneOf(['jungle', 'cage']).default('jungle').meta({ about: 'Where it lives.' }),
    retries: yup.number().integer().min(0).default(3).meta({ about: 'How often it repeats.' }),
    song: yup.string().meta({ about: 'What it sings.', multiline: true }),
    loud: yup.boolean().default(false).meta({ about: 'Whether it shouts.' }),
  }),
  defaults: { messagesPerSecond: null, messagesPerSecondPerLine: 1, handlesOptOut: true },
  create: ({ name }, { url, apiKey }, { http }) => {
    const call = async (path: string, signal: AbortSignal, body?: object): Promise<string> => {
      const { status, body: answer } = await http.request(url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { Authorization: apiKey },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
      })
      if (status !== 200) throw new CarrierRefused(`the parrot answered ${status}: look at apiKey`)
      return answer.toString()
    }
    return {
      name,
      send: async ({ id, text }, signal) => {
        await call('/messages', signal, { id, text })
        return { carrierMessageId: id }
      },
      test: async (signal) => {
        try {
          await call('/', signal)
          return undefined
        } catch (error) {
          if (error instanceof CarrierRefused) return error.message
          throw error
        }
      },
      listNumbers: async (signal) => JSON.parse(await call('/numbers', signal)) as CarrierNumber[],
      setUpNumbers: async (numbers, signal) => {
        for (const { id } of numbers) await call(`/numbers/${id}`, signal, { call: 'back' })
      },
      close: () => Promise.resolve(),
    }
  },
}

/** As a parrot that only sends, in parts: it has no numbers to list. */
const finch: CarrierKind = {
  ...parrot,
  title: 'Finch',
  settings: yup.object({ pin: yup.string().required().meta({ about: 'Its ring.', secret: true }) }),
  create: ({ name }) => ({
    name,
    send: ({ id }) => Promise.resolve({ carrierMessageId: id }),
    countParts: (text) => countSegments(text),
    test: () => Promise.reject(new TypeError('a fault of the finch')),
    close: () => Promise.resolve(),
  }),
}

export const BIRDS: typeof CARRIER_KINDS = new Map<string, CarrierKind>([
  ...[...CARRIER_KINDS].filter(([kind]) => kind === 'simulator'),
  ['parrot', parrot],
  ['finch', finch],
])

export const API_KEY = 'polly-wants-a-cracker'

export interface Parrot {
  url: string
  numbers: CarrierNumber[]
  /** Ids of the numbers that were set up. */
  setUp: string[]
  /** What comes while this is true gets no answer. */
  isSilent: boolean
  close(): void
}

/** The other side of a `parrot`: answers who gives API_KEY, on loopback. */
export async function startParrot(): Promise<Parrot> {
  const server = createServer((request, response) => {
    if (state.isSilent) return
    const { url = '', headers } = request
    const setUpId = /^\/numbers\/(.+)/.exec(url)?.[1]
    const isAllowed = headers.authorization === API_KEY
    if (isAllowed && setUpId !== undefined) state.setUp.push(setUpId)
    response.writeHead(isAllowed ? 200 : 401).end(JSON.stringify(state.numbers))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const state: Parrot = {
    url: `http://127.0.0.1:${port}`,
    numbers: [],
    setUp: [],
    isSilent: false,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return state
}
