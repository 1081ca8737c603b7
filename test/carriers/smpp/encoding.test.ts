import { expect } from 'chai'
import { decodeText, encodeText } from '../../../src/carriers/smpp/encoding.js'
import { smpp } from '../../../src/carriers/smpp/package.js'
import { submitsOf } from '../../../src/carriers/smpp/submit.js'
import { isGsm7 } from '../../../src/kit/text/segments.js'
import { settingsOf } from './fixtures.js'

const settings = settingsOf({ port: 1 })
const numbers = { fromNumber: '+15550000001', toNumber: '+15005550199' }

/** Segments of a text, without what is not its body. */
function bodiesOf(text: string, overrides: Record<string, unknown> = {}): Buffer[] {
  return submitsOf({ ...numbers, text }, { ...settings, ...overrides }, 7).map(
    ({ short_message: body }) => body as Buffer,
  )
}

describe('the encoding of texts for SMPP', () => {
  for (const [text, dataCoding, hex] of [
    ['Hello', 0, '48656c6c6f'],
    ['@£$_é\n', 0, '00010211050a'],
    ['[€]', 0, '1b3c1b651b3e'],
    ['^{}\\~|\f', 0, '1b141b281b291b2f1b3d1b401b0a'],
    ['ñÑ¿¡', 0, '7d5d6040'],
    ['日本', 8, '65e5672c'],
    ['a🙂', 8, '0061d83dde42'],
    ['ç', 8, '00e7'],
    ['', 0, ''],
  ] as const) {
    it(`${JSON.stringify(text)} is ${hex || 'nothing'} in data_coding ${dataCoding}, and reads back`, () => {
      const { parts, ...encoded } = encodeText(text, 'gsm-7')
      expect(encoded.dataCoding).to.equal(dataCoding)
      expect(Buffer.concat(parts).toString('hex')).to.equal(hex)
      expect(decodeText(Buffer.concat(parts), dataCoding, 'gsm-7')).to.equal(text)
    })
  }

  it('is the one of the package, which has a table of its own, for every character of GSM-7', () => {
    const all = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code)).filter(isGsm7)
    expect(all).to.have.length(127 + 10)
    const { parts } = encodeText(all.join('').slice(0, 70), 'gsm-7')
    expect(parts).to.deep.equal([smpp.encodings.ASCII.encode(all.join('').slice(0, 70))])
    for (const each of all)
      expect(encodeText(each, 'gsm-7').parts, each).to.deep.equal([smpp.encodings.ASCII.encode(each)])
  })

  for (const [text, dataCoding, hex] of [
    ['é@[', 0, 'e9405b'],
    ['€', 8, '20ac'],
    ['Ω', 8, '03a9'],
  ] as const) {
    it(`for an SMSC whose alphabet is Latin-1, ${text} is ${hex} in data_coding ${dataCoding}`, () => {
      const { parts, ...encoded } = encodeText(text, 'latin-1')
      expect(encoded.dataCoding).to.equal(dataCoding)
      expect(Buffer.concat(parts).toString('hex')).to.equal(hex)
      expect(decodeText(Buffer.concat(parts), dataCoding, 'latin-1')).to.equal(text)
    })
  }

  for (const [what, text, total] of [
    ['GSM-7', 'x'.repeat(161), 2],
    ['GSM-7 at its most', 'x'.repeat(153 * 4), 4],
    ['extension characters', '€'.repeat(81), 2],
    ['an extension character at the cut', `${'x'.repeat(152)}€${'x'.repeat(50)}`, 2],
    ['UCS-2', 'я'.repeat(71), 2],
    ['an emoji at the cut', `${'я'.repeat(66)}🙂${'я'.repeat(20)}`, 2],
    ['emojis', '🙂'.repeat(100), 4],
  ] as const) {
    it(`${what}: cut into parts of at most 140 octets with their header, that read back alone`, () => {
      const bodies = bodiesOf(text)
      expect(bodies).to.have.length(total)
      const isUcs2 = encodeText(text, 'gsm-7').dataCoding === 8
      const texts = bodies.map((body, index) => {
        expect([...body.subarray(0, 6)]).to.deep.equal([5, 0, 3, 7, total, index + 1])
        const units = body.length - 6
        // On the air septets are packed, from the septet after the header's 7.
        expect(isUcs2 ? units + 6 : Math.ceil(((units + 7) * 7) / 8)).to.be.at.most(140)
        return decodeText(body.subarray(6), isUcs2 ? 8 : 0, 'gsm-7') ?? ''
      })
      expect(texts.join('')).to.equal(text)
      for (const each of texts) expect(each.isWellFormed()).to.equal(true)
    })
  }

  it('leaves the cutting to the SMSC where the account says so', () => {
    const text = 'x'.repeat(500)
    const [submit, ...others] = submitsOf({ ...numbers, text }, { ...settings, longMessages: 'payload' }, 7)
    expect(others).to.deep.equal([])
    expect(submit).to.not.have.property('short_message')
    expect(String(submit?.message_payload)).to.equal(text)
    expect(bodiesOf('short', { longMessages: 'payload' }).map(String)).to.deep.equal(['short'])
  })

  it('writes numbers as the account says', () => {
    const [plain] = submitsOf({ ...numbers, text: 'a' }, settings, 1)
    expect(plain).to.include({
      source_addr: '15550000001',
      source_addr_ton: 1,
      source_addr_npi: 1,
      destination_addr: '15005550199',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
    })
    const [other] = submitsOf(
      { ...numbers, text: 'a' },
      { ...settings, plusSign: true, sourceTon: 0, destNpi: 0 },
      1,
    )
    expect(other).to.include({ source_addr: '+15550000001', source_addr_ton: 0, dest_addr_npi: 0 })
  })
})
