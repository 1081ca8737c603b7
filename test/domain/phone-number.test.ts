import { expect } from 'chai'
import fc from 'fast-check'
import { getCountries } from 'libphonenumber-js/max'
import { parseNumber } from '../../src/domain/phone-number.js'

const DIGITS = Array.from({ length: 10 }, (_, digit) => String(digit))

function numberOf(input: string, lineCountry: string | null = 'US'): string | undefined {
  return parseNumber(input, lineCountry)?.number
}

describe('phone number', () => {
  const understood: [string, string | null, string][] = [
    ['+15551234567', 'US', '+15551234567'],
    ['+15551234567', null, '+15551234567'],
    ['+1 (555) 123-4567', 'GB', '+15551234567'],
    ['  +1.555.123.4567  ', null, '+15551234567'],
    ['(555) 123-4567', 'US', '+15551234567'],
    ['555-123-4567', 'US', '+15551234567'],
    ['5551234567', 'US', '+15551234567'],
    ['1 555 123 4567', 'US', '+15551234567'],
    ['15551234567', null, '+15551234567'],
    ['07911 123456', 'GB', '+447911123456'],
    ['+44 (0)7911 123456', 'US', '+447911123456'],
    ['447911123456', 'US', '+447911123456'],
    ['447911123456', null, '+447911123456'],
    ['06 12 34 56 78', 'FR', '+33612345678'],
    ['030 901820', 'DE', '+4930901820'],
    ['011 44 7911 123456', 'US', '+447911123456'],
    ['+15005550006', 'US', '+15005550006'],
    ['(555) 555-0100', 'US', '+15555550100'],
    ['٥٥٥١٢٣٤٥٦٧', 'US', '+15551234567'],
    ['+٤٤٧٩١١١٢٣٤٥٦', null, '+447911123456'],
  ]
  for (const [input, country, expected] of understood) {
    it(`reads ${JSON.stringify(input)} on a line ${country === null ? 'of no country' : `in ${country}`} as ${expected}`, () => {
      expect(numberOf(input, country)).to.equal(expected)
    })
  }

  const refused: [string, string][] = [
    ['', 'nothing'],
    ['   ', 'only spaces'],
    ['hello', 'words'],
    ['+', 'a plus sign'],
    ['+1', 'a country code'],
    ['123', 'too few digits'],
    ['5551234', 'a local number without its area'],
    ['+1555123456', 'one digit too few'],
    ['+155512345678', 'one digit too many'],
    ['+123456789012345678', 'more than 15 digits'],
    [`+1 555${'-'.repeat(60)}1234567`, 'more than 64 characters'],
    ['+999123456789', 'a country code that nobody has'],
    ['+91009812345678', 'trunk zeros before the number'],
    ['+15551234567 ext. 5', 'an extension'],
    ['555-123-4567x89', 'an extension written with x'],
    ['+15551234567;ext=5', 'an extension of a tel: URI'],
    ['1-800-FLOWERS', 'letters for digits'],
    ['call +15551234567', 'a number inside a sentence'],
    ['+15551234567, +15551234568', 'two numbers'],
    ['*67 5551234567', 'a service code'],
    ['15551234567#', 'a key that is not a digit'],
    ['+1555\u00001234567', 'a NUL character'],
    ['mailto:a@example.com', 'an address of another kind'],
    ['<script>5551234567</script>', 'markup'],
  ]
  for (const [input, what] of refused) {
    it(`refuses ${what}: ${JSON.stringify(input.slice(0, 30))}`, () => {
      expect(parseNumber(input, 'US')).to.be.undefined
      expect(parseNumber(input, null)).to.be.undefined
    })
  }

  it('refuses emergency numbers, on a line of any country and of none', () => {
    for (const country of [...getCountries(), null]) {
      for (const emergency of ['911', '112', '999', '000', '110', '119', '118', '100', '102']) {
        expect(parseNumber(emergency, country), `${emergency} in ${country ?? 'no country'}`).to.be.undefined
        expect(parseNumber(`+${emergency}`, country), `+${emergency}`).to.be.undefined
      }
    }
  })

  it('takes every number of the 555 range, which specifications use', () => {
    for (let last = 0; last < 100; last += 7) {
      const sample = `+1555555${String(last).padStart(4, '0')}`
      expect(numberOf(sample)).to.equal(sample)
    }
  })

  it('tells the country, or none for a number of no one country', () => {
    expect(parseNumber('+447400123456', null)?.country).to.equal('GB')
    expect(parseNumber('+33612345678', 'US')?.country).to.equal('FR')
    expect(parseNumber('(555) 123-4567', 'US')?.country).to.equal('US')
    expect(parseNumber('+80012345678', 'US')).to.include({ number: '+80012345678', country: undefined })
  })

  it('reads digits in the national format first, and as a country code only if that cannot be', () => {
    // Both a national number of Germany and a number of the United States.
    expect(numberOf('15551234567', 'DE')).to.equal('+4915551234567')
    expect(numberOf('15551234567', 'GB')).to.equal('+15551234567')
  })

  it('reads a line of a country that nobody knows as a line of no country', () => {
    expect(numberOf('+15551234567', 'XX')).to.equal('+15551234567')
    expect(parseNumber('07911 123456', 'XX')).to.be.undefined
  })

  for (const [input, country] of [
    ['+1 900 234 5678', 'US'],
    ['900-555-1234', 'US'],
    ['+44 9098 790000', 'GB'],
    ['0900 1 234567', 'DE'],
  ] as const) {
    it(`knows ${input} as a premium number`, () => {
      expect(parseNumber(input, country)?.isPremium).to.be.true
    })
  }

  it('knows ordinary and free numbers as not premium', () => {
    for (const input of ['+15551234567', '+18005551234', '+447911123456']) {
      expect(parseNumber(input, 'US')?.isPremium, input).to.be.false
    }
  })

  it('never fails, and gives E.164 or nothing, whatever it is given', () => {
    const country = fc.constantFrom(null, 'XX', ...getCountries())
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.string({
        unit: fc.constantFrom(...'+ 0 1 2 3 4 5 6 7 8 9 ( ) - . / x # * ; = ٣ ５ ＋ \0'.split(' '), ' '),
        maxLength: 70,
      }),
    )
    fc.assert(
      fc.property(texts, country, (text, lineCountry) => {
        const parsed = parseNumber(text, lineCountry)
        if (parsed) expect(parsed.number).to.match(/^\+[1-9]\d{3,16}$/)
      }),
      { numRuns: 3000 },
    )
  })

  it('reads its own answer as the same number again', () => {
    const digits = fc.string({ unit: fc.constantFrom(...DIGITS), minLength: 7, maxLength: 15 })
    fc.assert(
      fc.property(digits, fc.constantFrom(null, 'US', 'GB', 'DE', 'BR'), (text, lineCountry) => {
        const parsed = parseNumber(text, lineCountry)
        if (parsed) expect(parseNumber(parsed.number, lineCountry)).to.include({ number: parsed.number })
      }),
      { numRuns: 2000 },
    )
  })
})
