import { expect } from 'chai'
import fc from 'fast-check'
import examples from 'libphonenumber-js/mobile/examples'
import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { parseE164, parseNumber, partsOfNumber } from '../../../src/domain/messages/phone-number.js'

const DIGITS = Array.from({ length: 10 }, (_, digit) => String(digit))

function numberOf(input: string, lineCountry: string | null = 'US'): string | undefined {
  return parseNumber(input, lineCountry)?.number
}

describe('phone number', () => {
  it('is shown in parts that are together the number again', () => {
    expect(partsOfNumber('+15551234567')).to.deep.equal(['+1', '555', '123', '4567'])
    expect(partsOfNumber('+33612345678')).to.deep.equal(['+33', '6', '12', '34', '56', '78'])
    for (const other of ['12345', 'Acme', '+', '']) expect(partsOfNumber(other)).to.deep.equal([other])
    fc.assert(
      fc.property(fc.stringMatching(/^\+\d{3,15}$/), (number) => partsOfNumber(number).join('') === number),
    )
  })

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
    // Wide, small and raised characters, and spaces of every width.
    ['＋6581234567', 'US', '+6581234567'],
    ['＋６５８１２３４５６７', 'US', '+6581234567'],
    ['（５５５）１２３－４５６７', 'US', '+15551234567'],
    ['\u3000+1\u2007555\u00a0123\u20094567', null, '+15551234567'],
    ['﹢1 555 123 4567', 'GB', '+15551234567'],
    // Of two readings the valid one.
    ['6581234567', 'US', '+6581234567'],
    ['65 8123 4567', 'US', '+6581234567'],
    ['44 7911 123456', 'US', '+447911123456'],
    ['33612345678', 'US', '+33612345678'],
    // A phone rather than a landline, which most rows of digits are in Germany and Austria.
    ['4915123456789', 'DE', '+4915123456789'],
    ['49 1512 3456789', 'DE', '+4915123456789'],
    ['447911123456', 'DE', '+447911123456'],
    ['6281234567890', 'ID', '+6281234567890'],
    // Of equals the national one; with the line's own country code, what has that code.
    ['15123456789', 'DE', '+4915123456789'],
    ['015123456789', 'DE', '+4915123456789'],
    ['4930901820', 'DE', '+4930901820'],
    ['2012345678', 'US', '+12012345678'],
    ['5551234567', 'BR', '+555551234567'],
    ['+5551234567', 'US', '+5551234567'],
    // Mexico's phones have had no 1 after the country code since 2019; without a plus sign it may be New Jersey's.
    ['+5215512345678', null, '+525512345678'],
    ['+52 1 55 1234 5678', 'US', '+525512345678'],
    ['5215512345678', 'MX', '+525512345678'],
    ['tel:+52-1-55-1234-5678', 'MX', '+525512345678'],
    ['+525512345678', null, '+525512345678'],
    ['+521551234567', null, '+521551234567'],
    ['15512345678', 'MX', '+15512345678'],
    // Argentina's have a 9 in front of the area code, and are other numbers without it.
    ['+5491123456789', null, '+5491123456789'],
    ['+541123456789', null, '+541123456789'],
    // RFC 3966
    ['tel:+1-201-555-0123', 'GB', '+12015550123'],
    ['TEL:+15551234567', null, '+15551234567'],
    [' tel://+15551234567 ', 'US', '+15551234567'],
    ['tel: 15551234567', null, '+15551234567'],
    ['tel:%2B15551234567', 'DE', '+15551234567'],
    ['ｔｅｌ：＋１５５５１２３４５６７', null, '+15551234567'],
    ['tel:(555)123-4567', 'US', '+15551234567'],
    ['tel:863-1234;phone-context=+1-914', 'GB', '+19148631234'],
    ['tel:07911123456', 'GB', '+447911123456'],
    ['tel:7911123456;phone-context=+44', 'US', '+447911123456'],
    ['tel:+15551234567;phone-context=+44', null, '+15551234567'],
    ['tel:+15551234567;cpc=ordinary;foo', null, '+15551234567'],
    // The marks of direction that contact apps copy, a zero-width space, a byte order mark.
    ['\u202A+15005550199\u202C', null, '+15005550199'],
    ['+1\u200E5005550199', null, '+15005550199'],
    ['\uFEFF 07911\u200B123456', 'GB', '+447911123456'],
    // Figures of a table with an empty cell in the column.
    ['4152000123.0', 'US', '+14152000123'],
    ['7911123456.0', 'GB', '+447911123456'],
    ['+254712345678.00', 'KE', '+254712345678'],
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
    ['tel:', 'a tel: URI of nothing'],
    ['tel:+15551234567;ext=5', 'an extension in a tel: URI'],
    ['tel:+15551234567;EXT=5', 'an extension in a tel: URI, in capitals'],
    ['tel:+15551234567;isub=5', 'a subaddress in a tel: URI'],
    ['tel:5551234567;phone-context=example.com', 'a number of a private switchboard'],
    ['tel:5551234567;phone-context=', 'a phone-context of nothing'],
    ['tel:%zz', 'a tel: URI that cannot be decoded'],
    ['tel:tel:+15551234567', 'a tel: URI in a tel: URI'],
    ['+15551234567;phone-context=+1', 'parameters without a scheme'],
    ['sms:+15551234567', 'a URI of another kind'],
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
    // A valid number of Germany, and a possible one of the United States.
    expect(numberOf('15551234567', 'DE')).to.equal('+4915551234567')
    expect(numberOf('15551234567', 'GB')).to.equal('+15551234567')
  })

  it('guesses at a number in groups only where it is valid', () => {
    expect(numberOf('1 201 555 0123', null)).to.equal('+12015550123')
    for (const written of ['555-123-4567', '1-555-123-4567']) {
      expect(parseNumber(written, null), written).to.be.undefined
    }
  })

  it('reads the mobile number of every country on a line of that country, however it is written', () => {
    for (const country of getCountries()) {
      const example = getExampleNumber(country, examples)
      if (example === undefined) continue
      for (const written of [
        example.number,
        example.number.slice(1),
        example.formatInternational().slice(1),
        example.nationalNumber,
        example.formatNational(),
        example.getURI(),
        `tel:${example.nationalNumber};phone-context=+${example.countryCallingCode}`,
        example.number.replace(/./g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0)),
      ]) {
        expect(numberOf(written, country), `${written} in ${country}`).to.equal(example.number)
      }
    }
  })

  it('reads no digits as a merely possible number where they are a valid one', () => {
    const digits = fc.string({ unit: fc.constantFrom(...DIGITS), minLength: 7, maxLength: 15 })
    fc.assert(
      fc.property(digits, fc.constantFrom('US', 'GB', 'DE', 'BR', 'SG'), (written, country) => {
        const readings = [
          parsePhoneNumberFromString(written, country),
          parsePhoneNumberFromString(`+${written}`),
        ]
        const valid = readings.filter((each) => each?.isValid()).map((each) => each?.number)
        if (valid.length > 0) expect(valid).to.include(numberOf(written, country))
      }),
      { numRuns: 2000 },
    )
  })

  it('reads E.164 in any width and as a URI, and nothing without its plus sign', () => {
    for (const written of ['+15551234567', ' ＋1 (555) 123-4567', 'tel:+1-555-123-4567']) {
      expect(parseE164(written), written).to.include({ number: '+15551234567', country: 'US' })
    }
    for (const written of ['15551234567', 'tel:15551234567', '(555) 123-4567', '', '+', 'tel:']) {
      expect(parseE164(written), written).to.be.undefined
    }
  })

  it('reads a line of a country that nobody knows as a line of no country', () => {
    expect(numberOf('+15551234567', 'XX')).to.equal('+15551234567')
    expect(parseNumber('07911 123456', 'XX')).to.be.undefined
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

describe('a premium number', () => {
  for (const [written, what, number = written, country = null] of [
    ['+870773123456', 'a ship or a place by Inmarsat'],
    ['+881631010000', 'a phone by Iridium'],
    ['+88216123456', 'a phone by Thuraya'],
    ['+883510012345', 'an international network'],
    ['+878101234567890', 'a universal personal number'],
    ['+979123456789', 'an international premium rate'],
    ['+80812345678', 'an international shared cost'],
    ['+447012345678', 'a personal number of the UK'],
    ['+4970012345678', 'a personal number of Germany'],
    ['+15332345678', 'a personal number of North America'],
    ['+19002345678', 'the 900 code'],
    ['+19005551234', 'the 900 code, and 555'],
    ['+19001234567', 'the 900 code, and nobody’s yet'],
    ['+448712345678', 'a premium rate of the UK'],
    ['+33892123456', 'a premium rate of France'],
    ['+1 900 234 5678', 'one that is written in groups', '+19002345678', 'US'],
    ['900-555-1234', 'one without its country code', '+19005551234', 'US'],
    ['+44 9098 790000', 'one of another country', '+449098790000', 'GB'],
    ['0900 1 234567', 'one in the national format', '+499001234567', 'DE'],
  ] as const) {
    it(`is ${written}: ${what}`, () => {
      expect(parseNumber(written, country)).to.include({ number, isPremium: true })
    })
  }

  for (const [number, what] of [
    ['+15551234567', 'the sample of the specification'],
    ['+15005550199', 'a number that carriers have tests with'],
    ['+80012345678', 'an international free number'],
    ['+18005551234', 'a free number'],
    ['+447911123456', 'a mobile'],
    ['+447624123456', 'a mobile of the Isle of Man'],
    ['+491805123456', 'a shared cost of one country'],
  ] as const) {
    it(`is not ${number}: ${what}`, () => {
      expect(parseNumber(number, null)).to.include({ number, isPremium: false })
    })
  }
})
