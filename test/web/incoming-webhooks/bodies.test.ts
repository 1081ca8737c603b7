import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { describeContext } from '../../helpers/context.js'
import { lineForEachTest, messageBody } from '../../helpers/factories.js'
import { memoryLog } from '../../helpers/process/log.js'
import { openForSuite } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { serveApp } from '../../helpers/web/web.js'
import { expectAccepted, expectRefused, messagesOf, newNumber } from '../support.js'

const LIMIT = 64 * 1024
const NO_INTENT = 'JSON body must contain an intent'
const TOO_LARGE = 'Request body is too large'

describeContext('the body of a message', (context) => {
  const web = openForSuite(() => serveApp({ ...context, log }))
  const line = lineForEachTest(context)
  const { log, lines } = memoryLog()

  const post = (body: string | Uint8Array, headers?: Record<string, string>) =>
    web.post(line.webhookPath, body, headers)
  const bodyText = (data?: Record<string, unknown>) =>
    JSON.stringify(messageBody({ toNumber: newNumber(), ...data }))

  describe('is read as JSON whatever its Content-Type says', () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/xml; charset=utf-16',
      'nonsense',
    ]) {
      it(type, async () => {
        expectAccepted(await post(bodyText(), { 'Content-Type': type }))
      })
    }

    it('no Content-Type at all', async () => {
      expectAccepted(await post(Buffer.from(bodyText())))
    })
  })

  describe('may have 64 KiB', () => {
    const padded = (length: number) => Buffer.from(bodyText().padEnd(length, ' '))

    it('and is refused with one byte more', async () => {
      expectAccepted(await post(padded(LIMIT)))
      expectRefused(await post(padded(LIMIT + 1)), 413, TOO_LARGE)
    })

    it('counted in bytes, not in characters', async () => {
      const body = JSON.stringify({ ...messageBody(), padding: '€'.repeat(LIMIT / 3) })
      expect(body.length).to.be.below(LIMIT)
      expectRefused(await post(body), 413, TOO_LARGE)
    })

    it('also where the length is not told before', async () => {
      const chunks = async function* (length: number) {
        const bytes = padded(length)
        for (let at = 0; at < length; at += 10_000)
          yield await Promise.resolve(bytes.subarray(at, at + 10_000))
      }
      const stream = (length: number) =>
        web.request(line.webhookPath, { method: 'POST', body: chunks(length), duplex: 'half' } as object)
      expectAccepted(await stream(LIMIT))
      expectRefused(await stream(LIMIT + 1), 413, TOO_LARGE)
    })

    it('and its sender gets the answer after 10 MiB, over a connection that is not cut off', async () => {
      const agent = new Agent({ keepAlive: true })
      try {
        const answer = await new Promise((resolve, reject) => {
          const request = httpRequest(web.url + line.webhookPath, { agent, method: 'POST' }, (response) => {
            response.resume().on('end', () => {
              // An error after the answer is one, too.
              setTimeout(resolve, 50, response.statusCode)
            })
          })
          request.on('error', reject)
          request.end(Buffer.alloc(10 * 1024 * 1024, ' '))
        })
        expect(answer).to.equal(413)
      } finally {
        agent.destroy()
      }
    })
  })

  describe('may be compressed', () => {
    it('by gzip, deflate or brotli', async () => {
      for (const [encoding, compress] of [
        ['gzip', gzipSync],
        ['GZIP', gzipSync],
        ['x-gzip', gzipSync],
        ['deflate', deflateSync],
        ['br', brotliCompressSync],
      ] as const) {
        expectAccepted(await post(compress(bodyText()), { 'Content-Encoding': encoding }))
      }
      expect(await messagesOf(context, line.lineId)).to.have.length(5)
    })

    it('and may have 64 KiB when it is unpacked', async () => {
      const gzip = { 'Content-Encoding': 'gzip' }
      expectAccepted(await post(gzipSync(bodyText().padEnd(LIMIT, ' ')), gzip))
      expectRefused(await post(gzipSync(bodyText().padEnd(LIMIT + 1, ' ')), gzip), 413, TOO_LARGE)
    })

    it('but a bomb of 50 MiB is refused', async () => {
      const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
      expect(bomb.length).to.be.below(LIMIT)
      expectRefused(await post(bomb, { 'Content-Encoding': 'gzip' }), 413, TOO_LARGE)
    })

    it('and is no JSON when it cannot be unpacked', async () => {
      const cut = gzipSync(bodyText()).subarray(0, -9)
      for (const [encoding, body] of [
        ['gzip', Buffer.from(bodyText())],
        ['gzip', cut],
        ['br', Buffer.from('not brotli')],
      ] as const) {
        expectRefused(await post(body, { 'Content-Encoding': encoding }), 400, NO_INTENT)
      }
    })

    it('and in another way than these is refused with 415, which says what would do', async () => {
      for (const encoding of ['zstd', 'constructor', 'gzip, br', 'x']) {
        for (const body of [bodyText(), gzipSync(bodyText()), '']) {
          const answer = await post(body, { 'Content-Encoding': encoding })
          expectRefused(answer, 415, 'Content-Encoding is not supported')
          expect(answer.headers.get('accept-encoding')).to.equal('gzip, deflate, br')
        }
      }
      expectAccepted(await post(bodyText(), { 'Content-Encoding': 'identity' }))
    })

    it('and damage behind the limit does not end the process', async () => {
      for (const size of [80_000, 90_000, 100_000, 120_000]) {
        for (const content of [Buffer.alloc(size, 'a'), randomBytes(size)]) {
          const damaged = gzipSync(content)
          damaged[damaged.length - 6]! ^= 0xff
          const { status } = await post(damaged, { 'Content-Encoding': 'gzip' })
          expect(status).to.be.oneOf([400, 413])
        }
      }
      expectAccepted(await post(bodyText()))
    })
  })

  it('that its sender gives up is forgotten, packed or not', async () => {
    for (const encoding of ['identity', 'gzip']) {
      lines.length = 0
      const bytes = gzipSync(randomBytes(5000))
      const begun = once(web.server, 'request')
      const socket = connect(web.port, '127.0.0.1')
      socket.write(
        `POST ${line.webhookPath} HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: ${encoding}\r\n` +
          `Content-Length: ${bytes.length}\r\n\r\n`,
      )
      socket.write(bytes.subarray(0, 1000))
      await begun
      socket.destroy()
      await until(`the request (${encoding}) is over`, () =>
        lines.some(({ msg }) => msg === 'request.handled'),
      )
    }
  })

  describe('is no JSON', () => {
    for (const [what, body] of Object.entries({
      'when it is empty': '',
      'when it is blank': ' \n',
      'as a form': 'intent=message&data[text]=Hello',
      'with something behind it': `${JSON.stringify(messageBody())}x`,
      'with single quotes': "{'intent':'message'}",
      'as an array': JSON.stringify([messageBody()]),
      'as null': 'null',
      'as a number': '1',
      'as a string': JSON.stringify(JSON.stringify(messageBody())),
      'as true': 'true',
      'in UTF-16': Buffer.from(JSON.stringify(messageBody()), 'utf16le'),
      'with __proto__': '{"__proto__":{"intent":"message"},"intent":"message","data":{}}',
      'with __proto__ in data':
        '{"intent":"message","data":{"__proto__":{"toNumber":"+15005550199","text":"x"}}}',
      'with an escaped __proto__': '{"intent":"message","\\u005f_proto__":1,"data":{}}',
      'with constructor.prototype': '{"intent":"message","constructor":{"prototype":{"x":1}},"data":{}}',
    })) {
      it(what, async () => {
        expectRefused(await post(body), 400, NO_INTENT)
      })
    }

    it('when there is none at all', async () => {
      expectRefused(await web.post(line.webhookPath), 400, NO_INTENT)
    })

    it('when it is deeper than 32 levels', async () => {
      const nested = (levels: number) =>
        `{"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},${bodyText().slice(1)}`
      expectAccepted(await post(nested(32)))
      expectRefused(await post(nested(33)), 400, NO_INTENT)
      expectRefused(await post('['.repeat(LIMIT)), 400, NO_INTENT)
      expectRefused(await post(nested(30_000)), 400, NO_INTENT)
    })
  })

  it('is told to be no UTF-8 where it is not', async () => {
    for (const bytes of [
      [0xff],
      [0xe9],
      [0xc0, 0x80],
      // A surrogate of UTF-16.
      [0xed, 0xa0, 0x80],
    ]) {
      const body = Buffer.from(JSON.stringify(messageBody({ text: '?' })), 'latin1')
      const at = body.indexOf('?')
      expectRefused(
        await post(Buffer.concat([body.subarray(0, at), Buffer.from(bytes), body.subarray(at + 1)])),
        400,
        'Request body is not UTF-8',
      )
    }
    expect(await messagesOf(context, line.lineId)).to.deep.equal([])
  })

  it('may start with a byte order mark', async () => {
    expectAccepted(await post(Buffer.from(`\uFEFF${bodyText()}`)))
  })

  it('may speak of __proto__ and have a constructor', async () => {
    const body = messageBody({ text: '"__proto__": 1', constructor: 'yes' })
    expectAccepted(await post(JSON.stringify(body)))
    expect((await messagesOf(context, line.lineId))[0]?.text).to.equal('"__proto__": 1')
  })
})
