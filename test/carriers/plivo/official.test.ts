import { expect } from 'chai'
import type { CallbackRequest } from '../../../src/carriers/callbacks.js'
import { isSignedByPlivo } from '../../../src/carriers/plivo/signature.js'

/**
 * Plivo's own package made these signatures (`plivo` 4.79.0, `validateV3Signature` and `validateSignature`). It is not
 * one of our packages, because it would bring 48 others. One is `request`, which nobody has maintained since 2020.
 */
const TOKEN = 'MAXXXXXXXXXXXXXXXXXXfor-a-test'
const NONCE = '05429567804466091622'
const OURS = 'https://linehook.example.com/carriers/plivo/a1/message'
const NUMBERS = { From: '13125550199', To: '13125550142' }

const SIGNED: Record<string, { url: string; fields: Record<string, string>; v3: string; v2: string }> = {
  'a text': {
    url: OURS,
    fields: { ...NUMBERS, Text: 'Hello', MessageUUID: 'u-1' },
    v3: '1w/uIKt251Fz5zdpWsk5xEV51y9rJqJrgidew1KOZY8=',
    v2: 'FLdJznMZkioQcpkO2bf4PMUY+lHr/lHX3qPQ1XGRbPU=',
  },
  'a report, to a URL with a query': {
    url: `${OURS}?key=s3cret&messageId=m-1`,
    fields: {
      ...{ From: NUMBERS.To, To: NUMBERS.From, Status: 'delivered' },
      ...{ ErrorCode: '000', MessageUUID: 'u-1', Units: '1' },
    },
    v3: 'qoK3wYBgWFmy36QRABe8yM5/blF5VLTJq/nS2bV0w9g=',
    v2: 'FLdJznMZkioQcpkO2bf4PMUY+lHr/lHX3qPQ1XGRbPU=',
  },
  'a text beyond ASCII, with an empty field': {
    url: `${OURS}?key=s3cret`,
    fields: { ...NUMBERS, Text: 'Grüße 🙂 & co', Text2: '' },
    v3: 'Quhtu4HkYLMBQsuo1ZPbn3uD6fEaFQ1hqV2P3erfVuc=',
    v2: 'FLdJznMZkioQcpkO2bf4PMUY+lHr/lHX3qPQ1XGRbPU=',
  },
  'to a port, with an escaped query that is not in order': {
    url: `${OURS.replace('.com', '.com:8443')}?key=a%2Bb%20c&b=2&a=1`,
    fields: { From: NUMBERS.From, Text: 'Hi' },
    v3: 'DrlnZSHDcR8aXrhPvjPrUzejBgR1oIQ8i100+JODu1w=',
    v2: 'zKzRZH0JQswEahsGA1x8UHqiCLI8F2zG4tv8xB/q39k=',
  },
}

function isOurs(
  signatures: 'V2' | 'V3',
  signature: string,
  request: Pick<CallbackRequest, 'url' | 'fields'>,
) {
  const headers: Record<string, string> = {
    [`X-Plivo-Signature-${signatures}`]: signature,
    [`X-Plivo-Signature-${signatures}-Nonce`]: NONCE,
  }
  const header = (name: string) => headers[name] ?? ''
  return isSignedByPlivo({ authToken: TOKEN, signatures }, { ...request, header } as CallbackRequest)
}

describe("what Plivo's own package signs", () => {
  for (const [name, { url, fields, v3, v2 }] of Object.entries(SIGNED)) {
    it(`is accepted by us too: ${name}`, () => {
      expect(isOurs('V3', v3, { url, fields })).to.equal(true)
      expect(isOurs('V2', v2, { url, fields })).to.equal(true)
    })

    it(`is refused when it is altered: ${name}`, () => {
      expect(isOurs('V3', v3, { url, fields: { ...fields, From: '13125550188' } })).to.equal(false)
      for (const [signatures, signature] of [
        ['V3', v3],
        ['V2', v2],
      ] as const)
        expect(isOurs(signatures, signature, { url: url.replace('a1', 'a2'), fields })).to.equal(false)
    })
  }
})
