import { getEventListeners, once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { freePort } from '../dev/services/free-port.js'
import {
  createSafeFetch,
  FetchFailed,
  isForbiddenAddress,
  type Lookup,
  parseRanges,
  type SafeFetch,
  type SafeFetchOptions,
  type SafeRequest,
} from '../src/safe-fetch.js'

const words = (text: string) => text.trim().split(/\s+/)

/** As hosts of a URL; those that WHATWG parsing turns into another spelling are there to show that it helps nobody. */
const FORBIDDEN_HOSTS = [
  // this network, loopback
  ...words('0.0.0.0 0.0.0.1 0.255.255.255 127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.255'),
  // loopback in decimal, octal, hexadecimal, short, mixed, percent-encoded, full-width and trailing-dot spellings
  ...words(`2130706433 017700000001 0x7f000001 0x7f.1 127.1 127.0.1 0177.0.0.1 0x7F.0x0.0x0.0x1 00000177.0.0.1
    127.0x1 %31%32%37.0.0.1 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 127.0.0.1. 0`),
  // private (RFC 1918), carrier-grade NAT (RFC 6598; 100.100.100.200 is Alibaba's metadata)
  ...words(`10.0.0.0 10.0.0.1 10.255.255.255 167772161 0xa000001 10.1 172.16.0.1 172.31.255.255
    192.168.0.1 192.168.255.255 3232235521 0300.0250.0.1 192.168.257
    100.64.0.1 100.100.100.200 100.127.255.255`),
  // link-local with the metadata of AWS, GCP and Azure; Azure's wire server
  ...words(`169.254.0.1 169.254.169.254 2852039166 0xA9FEA9FE 0251.0376.0251.0376 169.254.43518 169.254.170.2
    168.63.129.16 2822734096 0xa8.0x3f.0x81.0x10`),
  // IETF assignments (192.0.0.192 is Oracle's metadata), documentation, relays, benchmarking, multicast, reserved
  ...words(`192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1
    203.0.113.1 192.31.196.1 192.52.193.1 192.175.48.1 224.0.0.1 239.255.255.250 240.0.0.1
    255.255.255.254 255.255.255.255 4294967295 0xffffffff`),
  // IPv6: unspecified, loopback, IPv4-compatible, IPv4-mapped, IPv4-translated
  ...words(`[::] [::1] [0:0:0:0:0:0:0:1] [::7f00:1] [::127.0.0.1] [::a00:1] [::808:808] [::2]
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:a9fe:a9fe] [::ffff:a83f:8110]
    [0:0:0:0:0:FFFF:C0A8:1] [::ffff:0:127.0.0.1] [::ffff:0:808:808]`),
  // NAT64, 6to4, Teredo: each leads to the IPv4 address inside it
  ...words(`[64:ff9b::7f00:1] [64:ff9b::169.254.169.254] [64:ff9b:1::a00:1] [2002:7f00:1::] [2002:a9fe:a9fe::1]
    [2001::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2]`),
  // unique local (fd00:ec2::254 is AWS's metadata), link-local, site-local, multicast
  ...words(
    `[fc00::1] [fd00::1] [fd00:ec2::254] [fdff:ffff::1] [fe80::1] [febf::1] [fec0::1] [ff02::1] [ff0e::1]`,
  ),
  // discard, documentation, benchmarking, AMT, AS112, ORCHID, drones, segment routing, unallocated
  ...words(`[100::1] [100:0:0:1::1] [2001:db8::1] [3fff::1] [2001:2::1] [2001:3::1] [2001:4:112::1]
    [2620:4f:8000::1] [2001:10::1] [2001:20::1] [2001:30::1] [5f00::1] [200::1] [4000::1] [8000::1]`),
]

const PUBLIC_ADDRESSES = [
  ...words('1.1.1.1 8.8.8.8 9.9.9.9 93.184.215.14 140.82.112.3 151.101.1.69 168.63.129.15'),
  // the neighbours of the private blocks
  ...words(`168.63.129.17 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
    169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0
    198.17.255.255 198.20.0.0 223.255.255.255`),
  ...words(`::ffff:8.8.8.8 2001:200::1 2001:4860:4860::8888 2003::1 2400:cb00:2048:1::6810:1
    2606:4700:4700::1111 2620:fe::fe 2a00:1450:4001:80b::200e`),
]

const LOOPBACK = { allowHttp: true, allowedPrivateCidrs: ['127.0.0.0/8', '::1/128'] }
const NOTHING_ALLOWED = { allowHttp: true, allowedPrivateCidrs: [] }

describe('safe-fetch', () => {
  const cleanups: (() => unknown)[] = []

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  function createFetch(options: SafeFetchOptions): SafeFetch {
    const safeFetch = createSafeFetch(options)
    cleanups.push(() => safeFetch.close())
    return safeFetch
  }

  /** Starts a server on 127.0.0.1 and counts what reaches it. */
  async function listen<S extends net.Server>(server: S) {
    const counts = { connections: 0, requests: 0 }
    const sockets = new Set<Socket>()
    server.on('connection', (socket: Socket) => {
      counts.connections++
      sockets.add(socket)
      socket.on('error', () => undefined)
    })
    server.on('request', () => counts.requests++)
    cleanups.push(async () => {
      for (const socket of sockets) socket.destroy()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return { server, counts, port, url: `http://127.0.0.1:${port}/` }
  }

  const serve = (answer: http.RequestListener) => listen(http.createServer(answer))

  /** Answers the first bytes of each connection with text of any kind, HTTP or not. */
  const serveRaw = (answer: (socket: Socket) => void) =>
    listen(
      net.createServer((socket) => {
        socket.once('data', () => {
          answer(socket)
        })
      }),
    )

  /** The sockets that this process connects while the test runs. */
  function watchDials(): Socket[] {
    const dialled: Socket[] = []
    const prototype = net.Socket.prototype as { connect: (this: Socket, ...args: unknown[]) => Socket }
    const original = prototype.connect
    prototype.connect = function (...args) {
      dialled.push(this)
      return original.apply(this, args)
    }
    cleanups.push(() => (prototype.connect = original))
    return dialled
  }

  describe('addresses', () => {
    it(`forbids ${FORBIDDEN_HOSTS.length} addresses and spellings`, () => {
      expect(new Set(FORBIDDEN_HOSTS).size).to.equal(FORBIDDEN_HOSTS.length).and.at.least(80)
      for (const host of FORBIDDEN_HOSTS) {
        const { hostname } = new URL(`http://${host}/`)
        expect(isForbiddenAddress(hostname.replace(/^\[|\]$/g, '')), host).to.be.true
      }
    })

    it(`lets ${PUBLIC_ADDRESSES.length} public addresses pass`, () => {
      expect(PUBLIC_ADDRESSES).to.have.length.at.least(20)
      for (const address of PUBLIC_ADDRESSES) expect(isForbiddenAddress(address), address).to.be.false
    })

    it('forbids what is not an address, and a link-local address with its zone', () => {
      for (const text of ['', 'localhost', '1.2.3.4.5', '1.2.3.256', 'fe80::1%eth0']) {
        expect(isForbiddenAddress(text), text).to.be.true
      }
    })

    it('judges an IPv4-mapped address as the address inside it', () => {
      fc.assert(
        fc.property(fc.ipV4(), (ip) => {
          expect(isForbiddenAddress(`::ffff:${ip}`)).to.equal(isForbiddenAddress(ip))
        }),
      )
    })

    it('allows what lies in the ranges of the operator, and only that', () => {
      const allowed = parseRanges(['10.1.0.0/16', 'fd00::/8', '168.63.129.16/32'])
      for (const ip of ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '168.63.129.16', '8.8.8.8']) {
        expect(isForbiddenAddress(ip, allowed), ip).to.be.false
      }
      for (const ip of ['10.2.0.1', '::ffff:10.2.0.1', '::a01:203', 'fc00::1', '127.0.0.1']) {
        expect(isForbiddenAddress(ip, allowed), ip).to.be.true
      }
      expect(isForbiddenAddress('127.0.0.1', parseRanges(['::/0']))).to.be.true
    })

    it('refuses ranges that are not in CIDR notation', () => {
      for (const cidr of [
        '',
        ...words('10/8 10.0.0.0 10.0.0.0/33 10.0.0.0/8/8 intranet/8 ::ffff:10.0.0.0/104'),
      ]) {
        expect(() => parseRanges([cidr]), cidr).to.throw(TypeError, cidr)
      }
    })
  })

  describe('forbidden addresses', () => {
    it('are never connected to as literals, for a GET nor a POST', async () => {
      const { port, counts } = await serve((_request, response) => response.end())
      const safeFetch = createFetch(NOTHING_ALLOWED)
      const dialled = watchDials()
      for (const host of FORBIDDEN_HOSTS) {
        for (const method of ['GET', 'POST'] as const) {
          const failed = await failureOf(safeFetch.request(`http://${host}:${port}/`, { method }))
          expect(failed, host).to.include({ failure: 'blocked_address', requestSent: false })
        }
        expect(await safeFetch.explainUrl(`http://${host}:${port}/`), host).to.match(
          /not on the public internet/,
        )
      }
      expect(dialled).to.have.length(0)
      expect(counts.connections).to.equal(0)
    })

    it('are never connected to when a name leads to them, alone or beside a public one', async () => {
      const { port, counts } = await serve((_request, response) => response.end())
      const dialled = watchDials()
      const addresses = FORBIDDEN_HOSTS.map((host) => host.replace(/^\[|\]$/g, '')).filter((host) =>
        net.isIP(host),
      )
      expect(addresses).to.have.length.at.least(80)
      for (const address of addresses) {
        for (const answer of [[address], ['93.184.215.14', address], [address, '2606:4700::1111']]) {
          const safeFetch = createFetch({ ...NOTHING_ALLOWED, lookup: answers(answer) })
          const failed = await failureOf(safeFetch.request(`http://hooks.test:${port}/`))
          expect(failed, address).to.include({ failure: 'blocked_address', requestSent: false })
          expect(failed.message).not.to.include(address)
        }
      }
      expect(dialled).to.have.length(0)
      expect(counts.connections).to.equal(0)
    })

    it('are blocked under the name of this machine too', async () => {
      const { port, counts } = await serve((_request, response) => response.end())
      const failed = await failureOf(createFetch(NOTHING_ALLOWED).request(`http://localhost:${port}/`))
      expect(failed.failure).to.equal('blocked_address')
      expect(counts.connections).to.equal(0)
    })

    it('stay blocked when a name changes from a public address to loopback after it was saved', async () => {
      const { port, counts } = await serve((_request, response) => response.end())
      const safeFetch = createFetch({ ...NOTHING_ALLOWED, lookup: answers(['93.184.215.14'], ['127.0.0.1']) })
      expect(await safeFetch.explainUrl(`http://hooks.test:${port}/`)).to.be.undefined
      const failed = await failureOf(safeFetch.request(`http://hooks.test:${port}/`))
      expect(failed.failure).to.equal('blocked_address')
      expect(counts.connections).to.equal(0)
    })

    it('cannot be slipped in by a second answer, because a name is resolved once for each dial', async () => {
      const { port, counts } = await serve((_request, response) => response.end())
      const lookup = answers(['127.0.0.1'], ['10.0.0.1'])
      const safeFetch = createFetch({ ...LOOPBACK, lookup })
      expect((await safeFetch.request(`http://hooks.test:${port}/`)).status).to.equal(200)
      expect(lookup.count).to.equal(1)
      expect(counts.connections).to.equal(1)
    })

    it('get not one byte when the network connects a socket to somewhere else than asked', async () => {
      const received: Buffer[] = []
      const { port, server } = await listen(
        net.createServer((socket) => socket.on('data', (data) => received.push(data))),
      )
      for (const scheme of ['http', 'https']) {
        const safeFetch = createFetch(LOOPBACK)
        const closed = once(server, 'connection').then(([socket]) => once(socket as Socket, 'close'))
        const prototype = net.Socket.prototype as unknown as { _getpeername: () => unknown }
        const original = prototype._getpeername
        prototype._getpeername = () => ({ address: '10.0.0.1', family: 'IPv4', port: 80 })
        const failed = await failureOf(safeFetch.request(`${scheme}://127.0.0.1:${port}/`)).finally(() => {
          prototype._getpeername = original
        })
        expect(failed, scheme).to.include({ failure: 'blocked_address', requestSent: false })
        await closed
      }
      expect(received).to.have.length(0)
    })

    it('are not reached through a redirect: the redirect is the answer', async () => {
      const { url, counts } = await serve((_request, response) => {
        response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end()
      })
      const answer = await createFetch(LOOPBACK).request(url)
      expect(answer.status).to.equal(302)
      expect(answer.headers.location).to.equal('http://169.254.169.254/latest/meta-data/')
      expect(counts.requests).to.equal(1)
    })
  })

  describe('URLs', () => {
    const cases: [url: string, sentence: RegExp][] = [
      ['', /not a URL.*in full/],
      ['hook', /not a URL/],
      ['//example.com/', /not a URL/],
      ['https://', /not a URL/],
      ['https://exa mple.com/', /not a URL/],
      ['https://example.com:65536/', /not a URL/],
      ['https://[fe80::1%25eth0]/', /not a URL/],
      ['https://1.2.3.256/', /not a URL/],
      ['http://example.com/', /Use https/],
      ['ftp://example.com/', /ftp:.*Use https/],
      ['file:///etc/passwd', /file:/],
      ['javascript:alert(1)', /javascript:/],
      ['unix:/var/run/docker.sock', /unix:/],
      ['https://user@example.com/', /user name or password/],
      ['https://user:secret@example.com/', /user name or password/],
      ['https://:secret@example.com/', /user name or password/],
      ['https://example.com:0/', /Port 0/],
      ['https://example.com/a\r\nX-Injected: 1', /line break/],
      ['https://exa\tmple.com/', /line break or another control character/],
      [`https://example.com/${'x'.repeat(2_029)}`, /2049 characters.*2048/],
    ]
    for (const [url, sentence] of cases) {
      it(`refuses ${JSON.stringify(url.slice(0, 40))} and says why`, async () => {
        const lookup = answers(['93.184.215.14'])
        const safeFetch = createFetch({ allowHttp: false, allowedPrivateCidrs: [], lookup })
        const failed = await failureOf(safeFetch.request(url))
        expect(failed).to.include({ failure: 'invalid_url', requestSent: false })
        expect(failed.message)
          .to.match(sentence)
          .and.equal(await safeFetch.explainUrl(url))
        expect(lookup.count).to.equal(0)
      })
    }

    it('are fine with https, a public name, any port and 2,048 characters', async () => {
      const safeFetch = createFetch({
        ...NOTHING_ALLOWED,
        allowHttp: false,
        lookup: answers(['93.184.215.14']),
      })
      for (const url of [
        'https://example.com',
        'https://example.com:8443/hook?a=b#c',
        'https://bücher.example/',
        'https://1.1.1.1/',
        'https://[2606:4700:4700::1111]/',
        `https://example.com/${'x'.repeat(2_028)}`,
      ]) {
        expect(await safeFetch.explainUrl(url), url).to.be.undefined
      }
    })

    it('are explained when the name does not resolve, now or at all', async () => {
      const explain = (code: string) =>
        createFetch({ ...NOTHING_ALLOWED, lookup: fails(code) }).explainUrl('https://hooks.test/')
      expect(await explain('ENOTFOUND')).to.match(/hooks\.test has no address: check its spelling/)
      expect(await explain('EAI_AGAIN')).to.match(/could not be resolved right now/)
    })

    it('are explained within a few seconds when the name server does not answer', async () => {
      const safeFetch = createFetch({ ...NOTHING_ALLOWED, lookup: () => undefined })
      const startedAt = performance.now()
      expect(await safeFetch.explainUrl('https://hooks.test/')).to.match(/could not be resolved right now/)
      expect(performance.now() - startedAt).to.be.within(2_900, 10_000)
    })
  })

  describe('exchanges', () => {
    it('send the method, headers, body and query as given, and nothing that asks for compression', async () => {
      const seen: { method?: string; url?: string; headers: http.IncomingHttpHeaders; body: string }[] = []
      const { port } = await serve((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          const { method, url, headers } = request
          seen.push({ method, url, headers, body: chunks.map(String).join('') })
          response.writeHead(201, { 'X-Two': ['a', 'b'], 'Set-Cookie': ['c=1', 'd=2'] }).end('thanks')
        })
      })
      const safeFetch = createFetch({ ...LOOPBACK, lookup: answers(['127.0.0.1']) })
      const answer = await safeFetch.request(`http://hooks.test:${port}/a/../hook?x=1#here`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'webhook-id': 'evt_1' },
        body: '{"é":1}',
      })
      expect(seen[0]).to.deep.equal({
        method: 'POST',
        url: '/hook?x=1',
        headers: {
          host: `hooks.test:${port}`,
          connection: 'keep-alive',
          'content-type': 'application/json',
          'webhook-id': 'evt_1',
          'content-length': '8',
        },
        body: '{"é":1}',
      })
      expect(answer).to.include({ status: 201, truncated: false })
      expect(answer.headers).to.include({ 'x-two': 'a, b', 'set-cookie': 'c=1, d=2' })
      expect(answer.body.toString()).to.equal('thanks')
      expect(answer.durationMs).to.be.a('number').and.at.least(0)
    })

    it('resolve with 4xx and 5xx answers, an empty one, and one after early hints', async () => {
      const { url } = await serve((request, response) => {
        const status = Number(request.url?.slice(1))
        if (status === 200) response.writeEarlyHints({ link: '</style.css>; rel=preload' })
        response.writeHead(status).end(status === 204 ? undefined : 'body')
      })
      const safeFetch = createFetch(LOOPBACK)
      for (const status of [200, 204, 304, 400, 410, 429, 500, 503]) {
        expect((await safeFetch.request(`${url}${status}`)).status).to.equal(status)
      }
    })

    it('leave a compressed body as it was sent', async () => {
      const zipped = gzipSync('x'.repeat(1_000_000))
      const { url } = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped)
      })
      expect((await createFetch(LOOPBACK).request(url)).body.toString('hex')).to.equal(zipped.toString('hex'))
    })

    it('keep a header that is named like a property of every object', async () => {
      const { url } = await serveRaw((socket) => {
        socket.end('HTTP/1.1 200 OK\r\n__proto__: a\r\nconstructor: b\r\ncontent-length: 0\r\n\r\n')
      })
      const { headers } = await createFetch(LOOPBACK).request(url)
      expect(Object.entries(headers)).to.deep.include.members([
        ['__proto__', 'a'],
        ['constructor', 'b'],
      ])
    })

    it('say how long each part took, of those that there were, also when one failed', async () => {
      const { port } = await serve((request, response) => {
        if (request.url === '/') response.end('ok')
      })
      const closed = await freePort()
      const safeFetch = createFetch({ ...LOOPBACK, lookup: answers(['127.0.0.1']) })
      const partsOf = async (url: string, request: SafeRequest = {}) => {
        const { phases } = await safeFetch.request(url, request).catch((error: unknown) => {
          if (error instanceof FetchFailed) return error
          throw error
        })
        await turn()
        for (const ms of Object.values(phases)) expect(ms).to.be.at.least(0).and.satisfy(Number.isInteger)
        return Object.keys(phases)
      }
      expect(await partsOf(`http://hooks.test:${port}/`)).to.deep.equal(['dnsMs', 'connectMs', 'firstByteMs'])
      expect(await partsOf(`http://hooks.test:${port}/`), 'kept').to.deep.equal(['firstByteMs'])
      expect(await partsOf(`http://127.0.0.1:${port}/`)).to.deep.equal(['connectMs', 'firstByteMs'])
      const late = await partsOf(`http://hooks.test:${port}/never`, { timeoutMs: 1000 })
      expect(late, 'no answer').to.deep.equal(['firstByteMs'])
      expect(await partsOf(`http://hooks.test:${closed}/`)).to.deep.equal(['dnsMs', 'connectMs'])
      expect(await partsOf('ftp://hooks.test/')).to.deep.equal([])
      // Each of requests that begin together knows its own connection.
      const together = await Promise.all(
        Array.from({ length: 20 }, () => partsOf(`http://localhost:${port}/`)),
      )
      expect(together.filter((parts) => parts.includes('connectMs'))).to.have.length(20)
    })

    it('reuse a connection for the same origin and never for another one on the same address', async () => {
      const { port, counts } = await serve((_request, response) => response.end('ok'))
      const safeFetch = createFetch({ ...LOOPBACK, lookup: answers(['127.0.0.1']) })
      for (let i = 0; i < 3; i++) {
        await safeFetch.request(`http://a.test:${port}/${i}`, { method: 'POST', body: 'x' })
        await turn()
      }
      expect(counts.connections).to.equal(1)
      await safeFetch.request(`http://b.test:${port}/`)
      expect(counts).to.deep.equal({ connections: 2, requests: 4 })
    })

    it('do not fail when the server has just closed the idle connection', async () => {
      const { url, server, counts } = await serve((_request, response) => response.end('ok'))
      const safeFetch = createFetch(LOOPBACK)
      for (let i = 0; i < 20; i++) {
        expect((await safeFetch.request(url, { method: 'POST', body: 'x' })).status).to.equal(200)
        await turn()
        server.closeIdleConnections()
      }
      expect(counts).to.deep.equal({ connections: 20, requests: 20 })
    })

    describe('on a connection that the server loses', () => {
      /** A server that keeps the connection after the first answer, and loses it at the next request. */
      const losing = (lose: (socket: Socket) => void, tls?: https.ServerOptions) => {
        const seen = new WeakSet<Socket>()
        const requests: string[] = []
        const answer: http.RequestListener = ({ socket, url = '' }, response) => {
          requests.push(url)
          if (seen.has(socket) || url === '/lost') lose(socket)
          else response.end('ok')
          seen.add(socket)
        }
        return {
          requests,
          server: tls === undefined ? http.createServer(answer) : https.createServer(tls, answer),
        }
      }
      const post = (isRepeatable: boolean): SafeRequest => ({ method: 'POST', body: 'x', isRepeatable })

      for (const [how, lose] of [
        ['closes', (socket: Socket) => socket.end()],
        ['resets', (socket: Socket) => socket.resetAndDestroy()],
      ] as const) {
        it(`are sent once more on a new one, if it was kept, the server ${how} it without a word, and they may be`, async () => {
          const { server, requests } = losing(lose)
          const { url, counts } = await listen(server)
          const safeFetch = createFetch(LOOPBACK)
          await safeFetch.request(`${url}first`, post(true))
          await turn()
          const answer = await safeFetch.request(`${url}second`, post(true))
          expect(answer.status).to.equal(200)
          expect(answer.phases).to.include.keys('connectMs', 'firstByteMs')
          expect(requests).to.deep.equal(['/first', '/second', '/second'])
          expect(counts.connections).to.equal(2)
        })
      }

      it('are sent once more with TLS too', async () => {
        const own = readFileSync('test/safe-fetch/certificate.pem', 'utf8')
        const { server, requests } = losing((socket) => socket.destroy(), { key: own, cert: own })
        const { port } = await listen(server)
        const safeFetch = createFetch({
          ...{ ...LOOPBACK, lookup: answers(['127.0.0.1']), trustedCertificates: own },
        })
        for (const path of ['first', 'second']) {
          expect((await safeFetch.request(`https://hooks.test:${port}/${path}`, post(true))).status).to.equal(
            200,
          )
          await turn()
        }
        expect(requests).to.deep.equal(['/first', '/second', '/second'])
      })

      it('are not sent again on one that was new, nor more than once more', async () => {
        const { server, requests } = losing((socket) => socket.destroy())
        const { url } = await listen(server)
        const safeFetch = createFetch(LOOPBACK)
        expect((await failureOf(safeFetch.request(`${url}lost`, post(true)))).failure).to.equal('reset')
        expect(requests).to.deep.equal(['/lost'])
        await safeFetch.request(`${url}first`, post(true))
        await turn()
        expect(await failureOf(safeFetch.request(`${url}lost`, post(true)))).to.include({
          ...{ failure: 'reset', requestSent: true },
        })
        expect(requests).to.deep.equal(['/lost', '/first', '/lost', '/lost'])
      })

      it('are not sent again unless the caller says that they may be, nor after the first byte of an answer', async () => {
        const { server, requests } = losing((socket) => socket.end('HTTP/1.1 2'))
        const { url } = await listen(server)
        for (const isRepeatable of [true, false]) {
          const safeFetch = createFetch(LOOPBACK)
          await safeFetch.request(`${url}first`, post(true))
          await turn()
          await failureOf(safeFetch.request(`${url}second`, post(isRepeatable)))
        }
        const silent = losing((socket) => socket.end())
        const other = await listen(silent.server)
        const safeFetch = createFetch(LOOPBACK)
        await safeFetch.request(`${other.url}first`, post(false))
        await turn()
        expect((await failureOf(safeFetch.request(`${other.url}second`, post(false)))).failure).to.equal(
          'reset',
        )
        expect([...requests, ...silent.requests]).to.deep.equal(
          Array.from({ length: 3 }, () => ['/first', '/second']).flat(),
        )
      })
    })

    it('reach a host with two address families by the one that answers', async () => {
      const { port } = await serve((_request, response) => response.end('ok'))
      for (const answer of [
        ['::1', '127.0.0.1'],
        ['127.0.0.1', '::1'],
      ]) {
        const safeFetch = createFetch({ ...LOOPBACK, lookup: answers(answer) })
        expect((await safeFetch.request(`http://hooks.test:${port}/`)).status).to.equal(200)
      }
    })

    if (Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))) {
      it('reach an IPv6 literal that the operator allows', async () => {
        const server = http.createServer((request, response) => response.end(request.headers.host))
        cleanups.push(() => new Promise((resolve) => server.close(resolve)))
        await new Promise<void>((resolve) => server.listen(0, '::1', resolve))
        const { port } = server.address() as AddressInfo
        const answer = await createFetch(LOOPBACK).request(`http://[::1]:${port}/`)
        expect(answer.body.toString()).to.equal(`[::1]:${port}`)
      })
    }

    it('go straight to the server whatever the proxy variables say', async () => {
      const { url } = await serve((_request, response) => response.end('direct'))
      const proxy = await serve((_request, response) => response.end('proxy'))
      const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
      setEnvironment(Object.fromEntries(names.map((name) => [name, proxy.url])))
      setEnvironment({ NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' })
      expect((await createFetch(LOOPBACK).request(url)).body.toString()).to.equal('direct')
      expect(proxy.counts.connections).to.equal(0)
    })

    it('refuse headers that are malformed or not the caller’s, and go on working', async () => {
      const { url } = await serve((_request, response) => response.end('ok'))
      const safeFetch = createFetch({ ...LOOPBACK, maxConnectionsPerOrigin: 1 })
      const headerSets: Record<string, string>[] = [
        { 'x-a': 'b\r\nx-c: d' },
        { 'x a': 'b' },
        { Host: 'other.test' },
        { Connection: 'close' },
      ]
      for (const headers of headerSets) {
        const error: unknown = await safeFetch.request(url, { headers }).catch((error: unknown) => error)
        expect(error).to.be.instanceOf(FetchFailed)
        expect(error).to.include({ failure: 'invalid_headers', requestSent: false })
      }
      expect((await safeFetch.request(url)).status).to.equal(200)
    })

    function setEnvironment(variables: Record<string, string>): void {
      for (const [name, value] of Object.entries(variables)) {
        const before = process.env[name]
        process.env[name] = value
        cleanups.push(() => {
          if (before === undefined) Reflect.deleteProperty(process.env, name)
          else process.env[name] = before
        })
      }
    }
  })

  describe('bodies', () => {
    const sized = (bytes: number, headers: http.OutgoingHttpHeaders = {}) =>
      serve((_request, response) => {
        response.writeHead(200, headers).end(Buffer.alloc(bytes, 'x'))
      })

    it('are kept whole up to the limit and cut after it', async () => {
      for (const [bytes, kept, truncated] of [
        [16_384, 16_384, false],
        [16_385, 16_384, true],
        [5_000_000, 16_384, true],
      ] as const) {
        const answer = await createFetch(LOOPBACK).request((await sized(bytes)).url)
        expect(answer.body).to.have.length(kept)
        expect(answer).to.include({ status: 200, truncated })
      }
    })

    it('may be megabytes, or nothing, if the caller says so', async () => {
      const { url } = await sized(3_000_000)
      const safeFetch = createFetch(LOOPBACK)
      const whole = await safeFetch.request(url, { maxResponseBytes: 5_000_000 })
      expect(whole.body.toString() === 'x'.repeat(3_000_000)).to.be.true
      const none = await safeFetch.request(url, { maxResponseBytes: 0 })
      expect(none).to.include({ status: 200, truncated: true })
      expect(none.body).to.have.length(0)
    })

    it('are cut in the last packet of a connection that closes', async () => {
      const { url } = await sized(100, { connection: 'close' })
      const answer = await createFetch(LOOPBACK).request(url, { maxResponseBytes: 99 })
      expect(answer.truncated).to.be.true
    })

    it('that never end are cut at the limit, not waited for', async () => {
      const { url } = await serveRaw(
        drip('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', () => '1\r\nx\r\n', 5),
      )
      const answer = await createFetch(LOOPBACK).request(url, { maxResponseBytes: 10 })
      expect(answer).to.include({ status: 200, truncated: true })
      expect(answer.body.toString()).to.equal('x'.repeat(10))
    })
  })

  describe('answers whose status decides', () => {
    const broken: [what: string, rest: string, bodyFailure: string][] = [
      ['is shorter than its length', 'content-length: 9\r\nconnection: close\r\n\r\nx', 'reset'],
      ['has a broken chunk', 'transfer-encoding: chunked\r\n\r\n1\r\nx\r\nzz\r\n', 'bad_response'],
      ['stalls', 'content-length: 9\r\n\r\nx', 'timeout'],
    ]
    for (const [what, rest, bodyFailure] of broken) {
      it(`are taken with a body that ${what}, and the connection is closed`, async () => {
        const { url, server } = await serveRaw((socket) => {
          socket.write(`HTTP/1.1 200 OK\r\n${rest}`)
          if (bodyFailure === 'reset') socket.end()
        })
        const closed = new Promise((resolve) => {
          server.once('connection', (socket: Socket) => socket.once('close', resolve))
        })
        const taken = await createFetch(LOOPBACK).request(url, { statusDecides: true, timeoutMs: 3000 })
        expect(taken).to.include({ status: 200, truncated: true, bodyFailure })
        expect(taken.body.toString()).to.equal('x')
        await closed
      })
    }

    it('wait no longer than five seconds for a body without end', async () => {
      const { url } = await serveRaw((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
      const taken = await createFetch(LOOPBACK).request(url, { statusDecides: true, timeoutMs: 50_000 })
      expect(taken).to.include({ status: 200, bodyFailure: 'timeout' })
    })

    it('still fail when there are no more than early hints', async () => {
      const { url } = await serveRaw((socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'))
      const failed = await failureOf(createFetch(LOOPBACK).request(url, { statusDecides: true }))
      expect(failed).to.include({ failure: 'reset', requestSent: true })
    })
  })

  for (const [status, header] of [
    ['204 No Content', 'content-length: 2'],
    ['304 Not Modified', 'content-length: 2'],
  ] as const) {
    it(`an answer of ${status} ends with its headers, whatever its ${header} says`, async () => {
      const { url, counts } = await serveRaw((socket) =>
        socket.write(`HTTP/1.1 ${status}\r\n${header}\r\n\r\n`),
      )
      const safeFetch = createFetch(LOOPBACK)
      for (const number of [1, 2]) {
        const answer = await safeFetch.request(url)
        expect(answer).to.include({ status: Number.parseInt(status), truncated: false })
        expect(counts.connections).to.equal(number)
      }
    })
  }

  describe('failures', () => {
    const timeouts: [what: string, answer: (socket: Socket) => void][] = [
      ['never answers', () => undefined],
      ['drips headers', drip('HTTP/1.1 200 OK\r\n', (n) => `x-${n}: y\r\n`, 20)],
      ['drips 1xx answers', drip('', () => 'HTTP/1.1 103 Early Hints\r\n\r\n', 20)],
      ['drips a body', drip('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n', () => 'x', 20)],
      [
        'stalls in the middle of a body',
        (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'),
      ],
    ]
    for (const [what, answer] of timeouts) {
      it(`is a timeout when the server ${what}`, async () => {
        const { url } = await serveRaw(answer)
        const failed = await failureOf(createFetch(LOOPBACK).request(url, { timeoutMs: 1000 }))
        expect(failed).to.include({ failure: 'timeout', requestSent: true })
        expect(failed.durationMs).to.be.within(990, 20_000)
      })
    }

    it('is a timeout with nothing sent when no connection was free in time', async () => {
      const { url, counts } = await serve((request, response) => {
        if (request.url === '/next') response.end()
      })
      const safeFetch = createFetch({ ...LOOPBACK, maxConnectionsPerOrigin: 1 })
      const first = failureOf(safeFetch.request(url, { timeoutMs: 3000 }))
      const second = failureOf(safeFetch.request(`${url}waiting`, { timeoutMs: 500 }))
      expect(await second).to.include({ failure: 'timeout', requestSent: false })
      expect(await first).to.include({ failure: 'timeout', requestSent: true })
      expect((await safeFetch.request(`${url}next`)).status).to.equal(200)
      expect(counts.requests).to.equal(2)
    })

    it('is that of the connection, not of the answer, after five seconds without one', async () => {
      const safeFetch = createFetch({ ...NOTHING_ALLOWED, lookup: () => undefined })
      const failed = await failureOf(safeFetch.request('https://hooks.test/', { timeoutMs: 15_000 }))
      expect(failed).to.include({ failure: 'dns', requestSent: false })
    })

    it('is dns when a name has no address or nobody can say', async () => {
      const lookups: Lookup[] = [fails('ENOTFOUND'), fails('EAI_AGAIN'), answers([]), () => undefined]
      for (const lookup of lookups) {
        const safeFetch = createFetch({ ...NOTHING_ALLOWED, lookup, connectTimeoutMs: 200 })
        const failed = await failureOf(safeFetch.request('https://hooks.test/'))
        expect(failed).to.include({ failure: 'dns', requestSent: false })
        expect(failed.message).to.include('hooks.test')
      }
    })

    it('is connect with nothing sent when the port is closed, on one address or on both', async () => {
      const port = await freePort()
      for (const answer of [['127.0.0.1'], ['::1', '127.0.0.1']]) {
        const safeFetch = createFetch({ ...LOOPBACK, lookup: answers(answer) })
        const failed = await failureOf(
          safeFetch.request(`http://hooks.test:${port}/`, { method: 'POST', body: 'x' }),
        )
        expect(failed).to.include({ failure: 'connect', requestSent: false })
        expect(failed.message).to.include(`hooks.test`).and.include(`port ${port}`)
      }
    })

    const resets: [what: string, answer: (socket: Socket) => void][] = [
      ['before the answer', (socket) => socket.end()],
      ['hard before the answer', (socket) => socket.resetAndDestroy()],
      ['in the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nx-a: b')],
      ['in a body of known length', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx')],
      [
        'in the last body of a connection',
        (socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\nx'),
      ],
      [
        'in a chunked body',
        (socket) =>
          socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nx'),
      ],
    ]
    for (const [where, answer] of resets) {
      it(`is a reset when the server closes ${where}`, async () => {
        const { url, counts } = await serveRaw(answer)
        const failed = await failureOf(createFetch(LOOPBACK).request(url, { method: 'POST', body: 'x' }))
        expect(failed).to.include({ failure: 'reset', requestSent: true })
        expect(counts.connections).to.equal(1)
      })
    }

    it('is too_large when the headers are', async () => {
      const { url } = await serveRaw((socket) =>
        socket.write(`HTTP/1.1 200 OK\r\nx-a: ${'y'.repeat(20_000)}\r\n\r\n`),
      )
      expect(await failureOf(createFetch(LOOPBACK).request(url))).to.include({
        failure: 'too_large',
        requestSent: true,
      })
    })

    const nonsense = [
      'SSH-2.0-OpenSSH_9.2\r\n',
      '220 mail.test ESMTP\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    ]
    for (const text of nonsense) {
      it(`is bad_response when the server says ${JSON.stringify(text.slice(0, 45))}`, async () => {
        const { url } = await serveRaw((socket) => socket.write(text))
        const failed = await failureOf(createFetch(LOOPBACK).request(url))
        expect(failed).to.include({ failure: 'bad_response', requestSent: true })
      })
    }

    it('is bad_response when the server gives hints without end, before they cost the process its time', async () => {
      const hints = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200))
      const { server, url } = await serveRaw((socket) => {
        const say = () => {
          while (!socket.destroyed && socket.write(hints));
          socket.once('drain', say)
        }
        say()
      })
      const closed = () =>
        new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)))
      const safeFetch = createFetch(LOOPBACK)
      for (const call of [
        () => safeFetch.request(url, { timeoutMs: 3000 }),
        () => safeFetch.request(url, { timeoutMs: 3000, statusDecides: true }),
        () => safeFetch.stream(url, { take: () => true }, { timeoutMs: 3000 }),
      ]) {
        const end = closed()
        expect(await failureOf(call())).to.include({ failure: 'bad_response', requestSent: true })
        await end
      }
    })

    const endless: [what: string, begin: string, piece: string][] = [
      ['a chunk’s extension does', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;', 'x'],
      ['the words of its status do', 'HTTP/1.1 200 ', 'x'],
      ['the line breaks before its status do', '', '\r\n'],
    ]
    for (const [what, begin, piece] of endless) {
      it(`is too_large when ${what} not end`, async () => {
        const pieces = piece.repeat(60_000)
        const { url } = await serveRaw((socket) => {
          const say = () => {
            while (!socket.destroyed && socket.write(pieces));
            socket.once('drain', say)
          }
          socket.write(begin, say)
        })
        const failed = await failureOf(createFetch(LOOPBACK).request(url, { timeoutMs: 10_000 }))
        expect(failed).to.include({ failure: 'too_large', requestSent: true })
      })
    }

    it('is aborted when the caller’s signal fires: before, while waiting for the name, and after sending', async () => {
      const { url, server } = await serve(() => undefined)
      const safeFetch = createFetch(LOOPBACK)
      const before = await failureOf(safeFetch.request(url, { signal: AbortSignal.abort() }))
      expect(before).to.include({ failure: 'aborted', requestSent: false })

      const resolving = new AbortController()
      const lookup: Lookup = () => {
        resolving.abort()
      }
      const meanwhile = createFetch({ ...NOTHING_ALLOWED, lookup, connectTimeoutMs: 500 })
      expect(
        await failureOf(meanwhile.request('https://hooks.test/', { signal: resolving.signal })),
      ).to.include({
        failure: 'aborted',
        requestSent: false,
      })

      const sent = new AbortController()
      server.once('request', () => {
        sent.abort()
      })
      const after = await failureOf(safeFetch.request(url, { signal: sent.signal }))
      expect(after).to.include({ failure: 'aborted', requestSent: true })
    })

    it('leaves no listener on a signal that outlives its requests', async () => {
      const { url } = await serve((_request, response) => response.end())
      const { signal } = new AbortController()
      const safeFetch = createFetch(LOOPBACK)
      for (let i = 0; i < 3; i++) await safeFetch.request(url, { signal })
      await failureOf(safeFetch.request('http://10.0.0.1/', { signal }))
      expect(getEventListeners(signal, 'abort')).to.have.length(0)
    })

    it('is aborted for what is in flight at close, and for what comes after it', async () => {
      const { url, server } = await serve(() => undefined)
      const safeFetch = createSafeFetch(LOOPBACK)
      const inFlight = failureOf(safeFetch.request(url))
      await once(server, 'request')
      await safeFetch.close()
      expect(await inFlight).to.include({ failure: 'aborted', requestSent: true })
      expect(await failureOf(safeFetch.request(url))).to.include({ failure: 'aborted', requestSent: false })
    })

    it('does not dial the server again for a request that timed out or was cut', async () => {
      const { url } = await serve((request, response) => {
        if (request.url === '/long') response.end('x'.repeat(100_000))
      })
      const dialled = watchDials()
      const safeFetch = createFetch(LOOPBACK)
      for (const outcome of [
        () => failureOf(safeFetch.request(url, { method: 'POST', body: 'x', timeoutMs: 1000 })),
        () => safeFetch.request(`${url}long`, { maxResponseBytes: 1 }),
      ]) {
        dialled.length = 0
        await outcome()
        const [socket] = dialled
        if (!socket?.closed) await once(socket!, 'close')
        for (let i = 0; i < 5; i++) await turn()
        expect(dialled).to.have.length(1)
      }
    })
  })

  describe('TLS', () => {
    /** Of hooks.test and 127.0.0.1, with its key. */
    const pem = (name: string) => readFileSync(new URL(`safe-fetch/${name}.pem`, import.meta.url), 'utf8')
    const own = pem('certificate')

    const serveTls = (identity = own) =>
      listen(
        https.createServer({ key: identity, cert: identity }, (request, response) => {
          response.end((request.socket as unknown as { servername: string }).servername)
        }),
      )
    const trusting = () => ({
      ...LOOPBACK,
      allowHttp: false,
      lookup: answers(['127.0.0.1']),
      trustedCertificates: own,
    })

    it('tells and verifies the name of the host although a checked address is dialled', async () => {
      const { port, counts } = await serveTls()
      const safeFetch = createFetch(trusting())
      const { body, phases } = await safeFetch.request(`https://hooks.test:${port}/`)
      expect(body.toString()).to.equal('hooks.test')
      expect(phases).to.have.all.keys('dnsMs', 'connectMs', 'tlsMs', 'firstByteMs')
      const failed = await failureOf(safeFetch.request(`https://other.test:${port}/`))
      expect(failed).to.include({ failure: 'tls_wrong_host', requestSent: false })
      expect(failed.phases).to.have.all.keys('dnsMs', 'connectMs', 'tlsMs')
      expect(failed.message).to.equal('The certificate of other.test is for another name.')
      expect(counts.requests).to.equal(1)
    })

    it('verifies an address against the certificate too', async () => {
      const { port } = await serveTls()
      const answer = await createFetch(trusting()).request(`https://127.0.0.1:${port}/`)
      expect(answer).to.include({ status: 200 })
    })

    it('refuses a self-signed certificate, whatever the environment says', async () => {
      const { port, counts } = await serveTls()
      const [before, emitWarning] = [
        process.env.NODE_TLS_REJECT_UNAUTHORIZED,
        process.emitWarning.bind(process),
      ]
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
      process.emitWarning = () => undefined
      cleanups.push(() => {
        if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
        else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
        process.emitWarning = emitWarning
      })
      const safeFetch = createFetch({ ...trusting(), trustedCertificates: undefined })
      const failed = await failureOf(
        safeFetch.request(`https://hooks.test:${port}/`, { method: 'POST', body: 'x' }),
      )
      expect(failed).to.include({ failure: 'tls_self_signed', requestSent: false })
      expect(failed.message).to.equal('The certificate of hooks.test is self-signed.')
      expect(counts.requests).to.equal(0)
    })

    it('says that a certificate has expired', async () => {
      const expired = pem('expired-certificate')
      const { port, counts } = await serveTls(expired)
      const safeFetch = createFetch({ ...trusting(), trustedCertificates: expired })
      const failed = await failureOf(safeFetch.request(`https://hooks.test:${port}/`))
      expect(failed).to.include({ failure: 'tls_expired', requestSent: false })
      expect(failed.message).to.equal('The certificate of hooks.test has expired.')
      expect(counts.requests).to.equal(0)
    })

    it('says that the host does not speak TLS at all', async () => {
      for (const words of [
        'HTTP/1.1 400 Bad Request\r\n\r\n',
        '220 mail.test ESMTP\r\n',
        'SSH-2.0-Server\r\n',
      ]) {
        const { port } = await serveRaw((socket: Socket) => socket.end(words))
        const failed = await failureOf(createFetch(trusting()).request(`https://hooks.test:${port}/`))
        expect(failed).to.include({ failure: 'tls_not_spoken', requestSent: false })
        expect(failed.message).to.equal(`The host hooks.test does not speak TLS on port ${port}.`)
      }
    })

    it('fails with tls when the server refuses the handshake, hangs up, or says nothing', async () => {
      const refusal = Buffer.from([21, 3, 3, 0, 2, 2, 40])
      for (const answer of [
        (socket: Socket) => socket.end(refusal),
        (socket: Socket) => socket.resetAndDestroy(),
        () => undefined,
      ]) {
        const { port } = await serveRaw(answer)
        const safeFetch = createFetch({ ...trusting(), connectTimeoutMs: 1500 })
        const failed = await failureOf(safeFetch.request(`https://hooks.test:${port}/`))
        expect(failed).to.include({ failure: 'tls', requestSent: false })
      }
    })
  })
})

/** The FetchFailed that a request ends with, after a look at what its message gives away. */
async function failureOf(request: Promise<unknown>): Promise<FetchFailed> {
  const error: unknown = await request.then(
    () => expect.fail('the request succeeded'),
    (error: unknown) => error,
  )
  if (!(error instanceof FetchFailed)) throw error
  expect(error.message).to.match(/^[A-Z].*\.$/)
  expect(error.message).not.to.match(/\b(E[A-Z]{4,}|UND_|HPE_|ERR_)|undici|socket/)
  return error
}

/** One turn of the event loop, which undici lets pass before it gives a connection to the next request. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A look-up that gives these answers one after the other, the last one for ever. */
function answers(...lists: string[][]): Lookup & { count: number } {
  const lookup: Lookup & { count: number } = (_hostname, _options, callback) => {
    const list = lists[Math.min(lookup.count++, lists.length - 1)] ?? []
    process.nextTick(() => {
      callback(
        null,
        list.map((address) => ({ address, family: net.isIP(address) })),
      )
    })
  }
  lookup.count = 0
  return lookup
}

/** A look-up that fails, as dns.lookup does: the addresses are then undefined. */
function fails(code: string): Lookup {
  return (hostname, _options, callback) => {
    process.nextTick(callback, Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code }))
  }
}

/** Sends `start`, then another piece every few milliseconds until the socket closes. */
function drip(start: string, piece: (n: number) => string, everyMs: number): (socket: Socket) => void {
  return (socket) => {
    let n = 0
    socket.write(start)
    const timer = setInterval(() => socket.write(piece(n++)), everyMs)
    socket.on('close', () => {
      clearInterval(timer)
    })
  }
}
