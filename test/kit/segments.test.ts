import { expect } from 'chai'
import fc from 'fast-check'
import { LANGUAGE_NAMES } from '../../src/kit/text/national-tables.js'
import {
  countSegments,
  cutIntoSegments,
  isGsm7,
  LATIN_1,
  mayNeedLanguage,
  roomOf,
} from '../../src/kit/text/segments.js'

describe('segments', () => {
  for (const [what, text, encoding, partCount, unitCount] of [
    ['nothing', '', 'GSM-7', 1, 0],
    ['160 letters', 'a'.repeat(160), 'GSM-7', 1, 160],
    ['161 letters', 'a'.repeat(161), 'GSM-7', 2, 161],
    ['306 letters', 'a'.repeat(306), 'GSM-7', 2, 306],
    ['307 letters', 'a'.repeat(307), 'GSM-7', 3, 307],
    ['80 euro signs, of two septets each', '€'.repeat(80), 'GSM-7', 1, 160],
    ['81 euro signs, of which none is cut in two', '€'.repeat(81), 'GSM-7', 2, 162],
    ['umlauts that are in the alphabet', 'Grüße', 'GSM-7', 1, 5],
    ['one letter that is not', 'Zoë', 'UCS-2', 1, 3],
    ['70 letters with one that is not', 'ë'.repeat(70), 'UCS-2', 1, 70],
    ['71 of them', 'ë'.repeat(71), 'UCS-2', 2, 71],
    ['134 of them', 'ë'.repeat(134), 'UCS-2', 2, 134],
    ['135 of them', 'ë'.repeat(135), 'UCS-2', 3, 135],
    ['35 emoji, of two units each', '🙂'.repeat(35), 'UCS-2', 1, 70],
    ['36 emoji, of which none is cut in two', '🙂'.repeat(36), 'UCS-2', 2, 72],
  ] as const) {
    it(`${what}: ${partCount} in ${encoding}`, () => {
      const segments = cutIntoSegments(text)
      expect(segments).to.include({ encoding, unitCount })
      expect(segments.parts).to.have.length(partCount)
      expect(segments.parts.join('')).to.equal(text)
      expect(countSegments(text)).to.equal(partCount)
      expect(isGsm7(text)).to.equal(encoding === 'GSM-7')
    })
  }

  for (const [text, encoding, partCount] of [
    ['a'.repeat(160), 'GSM-7', 1],
    ['€'.repeat(80), 'UCS-2', 2],
    [`${'a'.repeat(121)}€`, 'UCS-2', 2],
    ['Δ'.repeat(100), 'UCS-2', 2],
    ['Grüße', 'GSM-7', 1],
  ] as const) {
    it(`at an account with Latin-1 for its default alphabet, ${text.slice(-3)}: ${partCount} in ${encoding}`, () => {
      const segments = cutIntoSegments(text, { languages: [LATIN_1] })
      expect(segments).to.include({ encoding })
      expect(segments.parts).to.have.length(partCount)
      expect(countSegments(text, [LATIN_1])).to.equal(partCount)
      if (encoding === 'UCS-2') expect(mayNeedLanguage(text)).to.equal(true)
    })
  }

  for (const [what, encoding, headerOctets, units] of [
    ['no header', 'GSM-7', 0, 160],
    ['no header', 'UCS-2', 0, 70],
    ['a part’s header, with its reference in 8 bits', 'GSM-7', 6, 153],
    ['a part’s header, with its reference in 8 bits', 'UCS-2', 6, 67],
    ['one with its reference in 16 bits', 'GSM-7', 7, 152],
    ['one with its reference in 16 bits', 'UCS-2', 7, 66],
    ['one national table', 'GSM-7', 4, 155],
    ['two of them', 'GSM-7', 7, 152],
    ['a part’s header and one of them', 'GSM-7', 9, 149],
    ['a part’s header and two of them', 'GSM-7', 12, 146],
  ] as const) {
    it(`have room for ${units} units of ${encoding} beside ${what}`, () => {
      expect(roomOf(encoding, headerOctets)).to.equal(units)
    })
  }

  for (const [what, text, cuts] of [
    ['an escape', `${'a'.repeat(152)}€${'a'.repeat(151)}`, [152, 152]],
    ['an escape that just fits', `${'a'.repeat(151)}€${'a'.repeat(153)}`, [152, 153]],
    ['an emoji', `${'ë'.repeat(66)}🙂${'ë'.repeat(10)}`, [66, 12]],
    ['an emoji that just fits', `${'ë'.repeat(65)}🙂${'ë'.repeat(10)}`, [67, 10]],
    ['emoji of seven code points, between these', '👩‍👩‍👧‍👦'.repeat(13), [66, 66, 11]],
  ] as const) {
    it(`are cut before or after ${what}`, () => {
      const { parts } = cutIntoSegments(text)
      expect(parts.map(({ length }) => length)).to.deep.equal(cuts)
      for (const part of parts) expect(part.isWellFormed()).to.equal(true)
    })
  }

  it('are counted without being cut, and as many', () => {
    const unit = fc.constantFrom(...Array.from('a€ë🙂 ^]-\\\n[~Ä\r£'))
    const plain = fc.constantFrom(...Array.from('aÄ '))
    const national = fc.constantFrom(...Array.from('aÄ €ğışçİŞĞá'))
    for (const units of [unit, plain, national]) {
      fc.assert(
        fc.property(fc.string({ unit: units, maxLength: 700, size: 'max' }), (text) => {
          for (const languages of [[], LANGUAGE_NAMES])
            expect(countSegments(text, languages)).to.equal(cutIntoSegments(text, { languages }).parts.length)
        }),
      )
    }
  })

  it('are the whole text, and each of several fits its room', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '€', 'ë', '🙂', ' '), maxLength: 400 }), (text) => {
        const { parts, encoding } = cutIntoSegments(text)
        expect(parts.join('')).to.equal(text)
        const room = encoding === 'GSM-7' ? 153 : 67
        for (const part of parts.length > 1 ? parts : []) {
          const units = Array.from(part, (each) =>
            encoding === 'UCS-2' ? each.length : each === '€' ? 2 : 1,
          )
          expect(units.reduce((sum, each) => sum + each, 0)).to.be.within(1, room)
        }
      }),
    )
  })
})
