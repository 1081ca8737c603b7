import { expect } from 'chai'
import fc from 'fast-check'
import { readTexts } from '../../../src/carriers/alphabets/encoded-text.js'
import { readText } from '../../../src/carriers/smpp/inbound.js'
import { smpp } from '../../../src/carriers/smpp/package.js'
import { smppSettings } from '../../../src/carriers/smpp/settings.js'
import { submitsOf } from '../../../src/carriers/smpp/submit.js'
import { LANGUAGE_NAMES } from '../../../src/kit/text/national-tables.js'
import { cutIntoSegments } from '../../../src/kit/text/segments.js'
import { failure } from '../../helpers/failure.js'
import { settingsOf } from './fixtures.js'

const numbers = { fromNumber: '+15550000001', toNumber: '+15005550199' }

function submitted(text: string, nationalTables = 'turkish, spanish portuguese') {
  return submitsOf({ ...numbers, text }, settingsOf({ port: 1 }, { nationalTables }), 7).map((fields) => ({
    esmClass: fields.esm_class ?? 0,
    dataCoding: fields.data_coding,
    body: fields.short_message as Buffer,
  }))
}

/** What a receiver reads of PDUs that went over the wire. */
function received(text: string): string {
  const texts = submitted(text).map(({ esmClass, dataCoding, body }) => {
    const fields = { esm_class: esmClass, data_coding: dataCoding as number, short_message: body }
    return readText(new smpp.PDU(new smpp.PDU('deliver_sm', fields).toBuffer()), settingsOf({ port: 1 }))
  })
  expect(texts.map(({ part }) => part?.number)).to.deep.equal(
    texts.length === 1 ? [undefined] : texts.map((_, n) => n + 1),
  )
  return readTexts(texts.map(({ body }) => body))
}

describe('national tables of SMPP', () => {
  // The septets are those that the Go module warthog618/sms writes; it also cut 3,000 random texts as we do. The tables
  // are those of RestComm/jss7. The header is that of 3GPP TS 23.040 §9.2.3.24.15 and .16.
  for (const [what, text, header, septets] of [
    [
      'Turkish, single shift',
      'Işık şöyle dedi: ağaç',
      '03240101',
      '491b731b696b201b737c796c6520646564693a20611b67611b63',
    ],
    [
      'Spanish, single shift',
      '¡Qué tal, Íñigo! Ó Ú á í ó ú ç €',
      '03240102',
      '405175052074616c2c201b497d69676f21201b4f201b55201b61201b69201b6f201b75201b09201b65',
    ],
    [
      'Portuguese, single shift',
      'São Paulo: não há pão, avó! ê ô Â õ ç',
      '03240103',
      '531b7b6f205061756c6f3a206e1b7b6f20681b0f20701b7b6f2c2061761b6f21201b05201b0c201b61201b7c201b09',
    ],
  ] as const) {
    it(`${what}: is one segment of GSM-7 with a header`, () => {
      const [
        { esmClass, dataCoding, body } = { esmClass: 0, dataCoding: 0, body: Buffer.alloc(0) },
        ...more
      ] = submitted(text)
      expect(more).to.deep.equal([])
      expect({ esmClass, dataCoding }).to.deep.equal({ esmClass: 0x40, dataCoding: 0 })
      expect(body.toString('hex')).to.equal(header + septets)
      expect(received(text)).to.equal(text)
    })
  }

  for (const [what, text, headers, lengths] of [
    ['the locking table where that makes fewer', 'ğışçİŞĞ'.repeat(22), ['03250101'], [154]],
    ['two of them', 'ğışçİŞĞ'.repeat(30), ['0800030702012501 01', '0800030702022501 01'], [149, 61]],
    ['both tables', `Φ${'ãõê'.repeat(48)}`, ['06240103250103'], [146]],
    [
      'no escape is cut from its character',
      `${'x'.repeat(148)}ş${'x'.repeat(20)}`,
      ['0800030702012401 01', '0800030702022401 01'],
      [148, 22],
    ],
  ] as const) {
    it(`${what}: ${lengths.join(' and ')} septets`, () => {
      const bodies = submitted(text).map(({ body }) => body)
      const headerLength = (body: Buffer) => (body[0] ?? 0) + 1
      expect(bodies.map((body) => body.toString('hex', 0, headerLength(body)))).to.deep.equal(
        headers.map((each) => each.replace(' ', '')),
      )
      expect(bodies.map((body) => body.length - headerLength(body))).to.deep.equal(lengths)
      expect(received(text)).to.equal(text)
      // On the air septets are packed, from the first that begins after the header.
      for (const body of bodies) {
        const septets = Math.ceil((headerLength(body) * 8) / 7) + body.length - headerLength(body)
        expect(septets).to.be.at.most(160)
      }
    })
  }

  for (const [what, text, tables, dataCoding] of [
    ['what the default table has, has no header', 'Grüße, ñ €', 'turkish spanish portuguese', 0],
    ['what no table has is UCS-2', 'ş🙂', 'turkish spanish portuguese', 8],
    ['a language that is not set is UCS-2', 'şğı', 'spanish portuguese', 8],
    ['two languages in one text are UCS-2', 'şá', 'turkish spanish', 8],
    ['nothing is set', 'şğı', '', 8],
  ] as const) {
    it(what, () => {
      expect(submitted(text, tables)).to.have.length(1)
      expect(submitted(text, tables)[0]).to.include({ esmClass: 0, dataCoding })
      expect(received(text)).to.equal(text)
    })
  }

  it('never make more segments than UCS-2, and lose nothing', () => {
    const unit = fc.constantFrom(...Array.from('aaa €{ğışçİŞĞáíóúÁÍÓÚãõêôâÀÃΦΓ∞|^'))
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 500, size: 'max' }), (text) => {
        const cut = cutIntoSegments(text, { languages: LANGUAGE_NAMES })
        expect(cut.parts.length).to.be.at.most(inUcs2(text))
        expect(received(text)).to.equal(text)
      }),
      { numRuns: 200 },
    )
  })

  for (const [settings, fault] of [
    [{ nationalTables: 'klingon' }, /"klingon" must be one of turkish, spanish, portuguese/],
    [
      { nationalTables: 'turkish', longMessages: 'payload' },
      /nationalTables must be empty with longMessages/,
    ],
    [{ nationalTables: 'turkish', defaultAlphabet: 'latin-1' }, /and with defaultAlphabet=latin-1/],
  ] as const) {
    it(`are refused in ${JSON.stringify(settings)}`, async () => {
      const error = await failure(
        smppSettings.validate({ host: 'smsc.example.com', systemId: 'linehook', ...settings }),
      )
      expect(error.message).to.match(fault)
    })
  }
})

/** The segments of a text without surrogates. */
function inUcs2({ length }: string): number {
  return length <= 70 ? 1 : Math.ceil(length / 67)
}
