import { expect } from 'chai'
import fc from 'fast-check'
import { lineForAllTests, messageBody } from '../../helpers/factories.js'
import { describeWeb, type Answer } from '../../helpers/web/web.js'
import { UNLIMITED } from '../../domain/fixtures.js'
import { expectAccepted } from '../support.js'
import { requestRaw } from '../../helpers/web/raw-request.js'

const RUNS = { numRuns: 150 }

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.integer({ min: 0xd7f0, max: 0xe010 }).map((code) => String.fromCharCode(code)) }),
  fc.constantFrom('\0', '__proto__', '\ufeff', '‮', '1e309', '-0', "';--", '{{', '%', '\\u0000'),
)
const anything = fc.anything({
  key: text,
  values: [text, fc.double(), fc.boolean(), fc.constant(null)],
  maxDepth: 4,
})
const number = fc.oneof(
  anything,
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789+-() .;,*#xp٣５')) }),
  fc.constantFrom('+15005550199', '+447400123456', '+883510012345', '+1', '911'),
)
const message = fc.record(
  {
    intent: fc.oneof({ weight: 4, arbitrary: fc.constant('message') }, anything),
    data: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ toNumber: number, text: fc.oneof(text, anything) }, { requiredKeys: [] }),
      },
      anything,
    ),
    extra: anything,
  },
  { requiredKeys: [] },
)
const rawBody = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.tuple(message, fc.nat(), fc.nat(255)).map(([value, at, byte]) => {
    const bytes = Buffer.from(toJson(value))
    bytes[at % bytes.length] = byte
    return bytes
  }),
  fc.json(),
)
const headers = fc.record(
  {
    'Content-Type': fc.constantFrom(
      'application/json',
      'text/xml; charset=utf-7',
      'multipart/form-data',
      ';;;',
    ),
    'Content-Encoding': fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'gzip, br', 'toString', ''),
    'Idempotency-Key': fc.string({ unit: 'grapheme-ascii', maxLength: 300 }).map((key) => key.trim()),
    'X-Forwarded-For': fc.string({ unit: 'grapheme-ascii' }).map((address) => address.trim()),
  },
  { requiredKeys: [] },
)

const environment = { MAX_QUEUED_PER_LINE: '100000' }

describeWeb('whatever is sent', { environment }, ({ context, web }) => {
  const line = lineForAllTests(context, UNLIMITED)

  afterEach('a message is accepted as ever', async () => {
    expectAccepted(await web.post(line.webhookPath, messageBody()))
  })

  function expectWebhookAnswer({ status, body }: Answer): void {
    expect(status).to.be.below(500)
    if (status === 200) expect(body).to.deep.equal({ success: true })
    else expect(body).to.have.all.keys('success', 'error').and.to.include({ success: false })
  }

  it('to a webhook as JSON, the answer is JSON and no failure of ours', async () => {
    await fc.assert(
      fc.asyncProperty(message, async (value) => {
        expectWebhookAnswer(await web.post(line.webhookPath, toJson(value)))
      }),
      RUNS,
    )
  })

  it('to a webhook as bytes with any headers, the answer is JSON and no failure of ours', async () => {
    await fc.assert(
      fc.asyncProperty(rawBody, headers, async (body, given) => {
        expectWebhookAnswer(await web.post(line.webhookPath, body, given))
      }),
      RUNS,
    )
  })

  it('in the path and the query, the answer is JSON and no failure of ours', async () => {
    const ascii = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    })
    const encoded = fc.string({ unit: 'binary' }).map((value) => encodeURIComponent(value.toWellFormed()))
    const part = fc.oneof(ascii, encoded, fc.constantFrom('%00', '%zz', '..', '%2e%2e', '[]', line.lineId))
    const path = fc
      .tuple(fc.constantFrom('lineId', 'line', 'x'), part, part, part)
      .map(([shape, id, name, value]) => `/webhooks/${shape}/${id}?${name}=${value}&token=${value}`)
    await fc.assert(
      fc.asyncProperty(path, async (target) => {
        const sent = { method: 'POST', body: JSON.stringify(messageBody()) }
        const { status, text } = await requestRaw(web.port, target, sent)
        expect(status).to.be.oneOf([400, 403, 404])
        expect(JSON.parse(text)).to.be.an('object')
      }),
      RUNS,
    )
  })

  it('to the simulator, the answer is JSON and no failure of ours', async () => {
    const inbound = fc.record(
      {
        fromNumber: number,
        toNumber: fc.oneof(fc.constant(line.number), number),
        messageId: fc.oneof(text, anything),
        text: fc.oneof(text, anything),
        mediaUrl: fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), text),
        voicemailUrl: fc.oneof(fc.webUrl(), anything),
      },
      { requiredKeys: [] },
    )
    const text3 = inbound.map(({ fromNumber, toNumber, messageId, text: body }) => ({
      fromNumber,
      toNumber,
      messageId,
      text: body,
    }))
    await fc.assert(
      fc.asyncProperty(fc.oneof(inbound, text3), async (value) => {
        const { status, body } = await web.post('/simulator/inbound', toJson(value))
        expect(status).to.be.below(500)
        expect(body).to.be.an('object')
      }),
      RUNS,
    )
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (value) => {
        const query = encodeURIComponent(value.toWellFormed())
        const { status, body } = await web.request(`/simulator/outbox?toNumber=${query}`)
        expect(status).to.be.below(500)
        expect(body).to.be.an(status === 200 ? 'array' : 'object')
      }),
      { numRuns: 50 },
    )
  })
})

/** What JSON has no word for is left out. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner))
}
