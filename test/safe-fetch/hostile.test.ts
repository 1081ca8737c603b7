import { expect } from 'chai'
import { createSafeFetch, FetchFailed, type SafeFetch } from '../../src/safe-fetch.js'
import { HOSTILITIES, startHostileServer, type HostileServer } from '../helpers/services/hostile-servers.js'
import { SELF_MADE } from '../helpers/services/self-made.js'

/** Failures that a server on an open connection can bring about. */
const BY_THE_SERVER = ['reset', 'bad_response', 'too_large', 'timeout', 'network', 'tls']

const TIMEOUT_MS = 1500

describe('safe-fetch, with servers that close and lie', () => {
  let safeFetch: SafeFetch
  const servers: HostileServer[] = []

  before(() => {
    safeFetch = createSafeFetch({
      allowHttp: true,
      allowedPrivateCidrs: ['127.0.0.0/8'],
      trustedCertificates: SELF_MADE.cert,
    })
  })
  after(async () => {
    await safeFetch.close()
    await Promise.all(servers.map((server) => server.close()))
  })

  /** What may not throw outside of these promises: mocha fails a test for what does. */
  const calls: [how: string, call: (url: string) => Promise<unknown>][] = [
    ['a GET', (url) => safeFetch.request(url, { timeoutMs: TIMEOUT_MS })],
    [
      'a POST whose answer is kept whole',
      (url) =>
        safeFetch.request(url, {
          method: 'POST',
          body: 'text',
          maxResponseBytes: 5_000_000,
          timeoutMs: TIMEOUT_MS,
        }),
    ],
    ['a quick sink', (url) => safeFetch.stream(url, { take: () => true }, { timeoutMs: TIMEOUT_MS })],
    ['a slow sink', (url) => safeFetch.stream(url, { take: slowly }, { timeoutMs: TIMEOUT_MS })],
    [
      'a sink that has enough',
      (url) => safeFetch.stream(url, { take: () => Promise.resolve(false) }, { timeoutMs: TIMEOUT_MS }),
    ],
  ]

  for (const scheme of ['http', 'https']) {
    for (const [what, behave] of HOSTILITIES) {
      // TLS changes how a connection ends, and nothing of what is said on it.
      if (scheme === 'https' && !/^(closes|resets|cuts|promises)/.test(what)) continue
      it(`survives one that ${what} (${scheme})`, async () => {
        const server = await startHostileServer(scheme === 'https' ? SELF_MADE : undefined)
        servers.push(server)
        server.behave(behave)
        // Twice each: the second may find a connection of the first.
        for (let round = 0; round < 2; round += 1) {
          await Promise.all(
            calls.map(async ([how, call]) => {
              const error: unknown = await call(server.origin).then(
                () => undefined,
                (thrown: unknown) => thrown,
              )
              if (error === undefined) return
              expect(error, how).to.be.instanceOf(FetchFailed)
              expect((error as FetchFailed).failure, how).to.be.oneOf(BY_THE_SERVER)
            }),
          )
        }
        server.behave((socket) => {
          socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfine')
        })
        const after = await safeFetch.request(server.origin)
        expect(after.body.toString()).to.equal('fine')
      })
    }
  }
})

async function slowly(): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 1))
  return true
}
