import { expect } from 'chai'
import { NATIONAL_TABLES } from '../../../src/kit/text/national-tables.js'
import { readTexts } from '../../../src/carriers/alphabets/encoded-text.js'
import { encodedText } from '../../../src/carriers/sms/data-coding.js'
import { decodeText } from '../../../src/carriers/smpp/encoding.js'

const HELLO = 'こんにちは、世界'

/** The Asian bytes are what Python's codecs write. */
describe('data codings of SMPP', () => {
  for (const [what, dataCoding, hex, text] of [
    ['octets that are ASCII', 2, '48656c6c6f', 'Hello'],
    ['octets that are UTF-8', 4, 'c3a9e282ac', 'é€'],
    ['octets that are Latin-1', 4, '48e9', 'Hé'],
    ['octets of a message class', 0xf5, '48656c6c6f', 'Hello'],
    ['octets of a class that is not there', 0x14, '48656c6c6f', 'Hello'],
    ['octets that are no text', 2, '0b0504158a', undefined],
    ['one octet that is no text', 4, '00', undefined],
    ['an octet of a message class that is no text', 0xf5, '00', undefined],
    ['Shift_JIS', 5, '82b182f182c982bf82cd814190a28a45', HELLO],
    ['EUC-JP', 5, '8fb0a1a4b3a4f3', '丂こん'],
    ['JIS X 0208 as the standard has it', 5, '24332473244b2441244f212240243326', HELLO],
    ['JIS with escapes', 5, '1b244224332473244b2441244f2122402433261b2842', HELLO],
    ['ASCII that is called JIS', 5, '313233343536', '123456'],
    ['half-width katakana', 5, 'b1b2b3', 'ｱｲｳ'],
    ['half-width katakana with escapes', 10, '1b284931321b2842', 'ｱｲ'],
    ['ISO-2022-JP', 10, '411b244224332473244b2441244f2122402433261b284242', `A${HELLO}B`],
    // Row 85 is empty in JIS X 0208; operators have put emoji there.
    ['ISO-2022-JP with a character of no table', 10, '1b2442243375212473', 'こ[7521]ん'],
    ['ISO-2022-JP with a line end', 10, '1b244224331b28420a1b244224731b2842', 'こ\nん'],
    ['JIS X 0212 with escapes', 13, '1b24284430211b2842411b2442244b1b2842', '丂Aに'],
    ['JIS X 0212 as the standard has it', 13, '3021', '丂'],
    ['KS C 5601', 14, 'bec8b3e72041', '안녕 A'],
    ['KS C 5601 with what Windows adds', 14, '8c63', '똠'],
    ['Cyrillic', 6, 'bfe0d8d2d5e2', 'Привет'],
    ['Hebrew', 7, 'f9ece5ed', 'שלום'],
    ['Latin-1 with what Windows adds', 3, '80e9', '€é'],
    ['Latin-1 that is called ASCII', 1, '48e9', 'Hé'],
    ['half a character of UCS-2', 8, '00', ''],
    ['UCS-2 of a message class', 0x18, '20ac', '€'],
    ['GSM-7 of a message class', 0x10, '00', '@'],
    ['GSM-7 of a message class, in its other form', 0xf1, '1b65', '€'],
    ['an escape before what has no other character', 0, '1b01', '£'],
    ['UCS-2 with a byte order mark', 8, 'feff0041', 'A'],
    ['UCS-2 the other way round, which its mark says', 8, 'fffe4100', 'A'],
    ['GSM-7 that is Latin-1', 0, '636166e9', 'café'],
    ['GSM-7 that is UTF-8', 0, '636166c3a9', 'café'],
    ['GSM-7 with two escapes', 0, '411b1b42', 'A B'],
    ['a reserved coding, which is GSM-7', 0x80, '00', '@'],
    ['a sign for a voice mail', 0xc8, '1b65', '€'],
    ['compressed GSM-7', 0x20, '48656c6c6f', undefined],
    ['pictograms', 9, '0ef8a0', undefined],
  ] as const) {
    it(`reads ${what} (${dataCoding})`, () => {
      expect(decodeText(Buffer.from(hex, 'hex'), dataCoding, 'gsm-7')).to.equal(text)
    })
  }

  for (const [what, dataCoding, parts, text] of [
    ['an escape and its character', 0, ['411b', '6542'], 'A€B'],
    ['a unit of UTF-16', 8, ['004100', '42d83d', 'de42'], 'AB🙂'],
    ['a character of Shift_JIS', 5, ['82b182', 'f182c9'], 'こんに'],
    ['a character of KS C 5601', 14, ['bec8b3', 'e7'], '안녕'],
    ['a character of UTF-8', 4, ['c3', 'a9'], 'é'],
    ['what an escape has begun', 10, ['1b24422433', '24731b2842'], 'こん'],
  ] as const) {
    it(`joins parts between which is cut ${what}`, () => {
      const pieces = parts.map((hex) => encodedText(Buffer.from(hex, 'hex'), dataCoding, 'gsm-7'))
      expect(readTexts(pieces)).to.equal(text)
    })
  }

  it('has all national languages, each with all of its characters', () => {
    expect(NATIONAL_TABLES.map(({ language }) => language)).to.deep.equal(
      Array.from({ length: 13 }, (_, n) => n + 1),
    )
    for (const { language, locking } of NATIONAL_TABLES) {
      // There is no locking table for Spanish.
      expect(locking?.length, String(language)).to.equal(language === 2 ? undefined : 128)
      if (locking !== undefined) expect(locking[0x1b]).to.equal('\x1b')
    }
  })
})
