import { expect } from 'chai'
import examples from 'libphonenumber-js/examples.mobile.json'
import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max'
import { parseByLibrary } from '../../../src/domain/messages/phone-number.js'
import { isPlainE164 } from '../../../src/domain/messages/plain-e164.js'

const CODES = [...new Set(getCountries().map((country) => getCountryCallingCode(country)))]
const NO_COUNTRY = ['800', '808', '870', '878', '881', '882', '883', '888', '979', '999']
const LONGEST_NATIONAL = 13
/** Every beginning of two digits, and of each so many numbers with random digits behind it. */
const OF_EACH_BEGINNING = 1

describe('a number in E.164 that is read without the library', () => {
  it('is what the library reads, for each calling code, length and beginning, whatever the line’s country is', () => {
    const digits = digitsFrom(17)
    let plain = 0
    const differing = [...CODES, ...NO_COUNTRY].flatMap((code) =>
      numbersOf(code, digits).flatMap((number) => {
        if (!isPlainE164(number)) return []
        plain += 1
        // Most lines have no country, or that of those whom they write to.
        const countries = plain % 8 === 0 ? [null, 'US', countryWith(code)] : [null]
        return countries.flatMap((country) => {
          const read = parseByLibrary(number, country)
          return read?.number === number && !read.isPremium ? [] : [{ number, country, read }]
        })
      }),
    )
    expect(differing).to.deep.equal([])
    expect(plain).to.be.greaterThan(15_000)
  })

  it('is nearly every number of a phone', () => {
    const numbers = Object.entries(examples).map(
      ([country, national]) => `+${getCountryCallingCode(country as 'US')}${national}`,
    )
    expect(numbers.filter((number) => !isPlainE164(number)).length / numbers.length).to.be.lessThan(0.1)
  })

  it('is none at a premium rate, of no country, or written otherwise', () => {
    const others = [
      '+19005550123',
      '+447012345678',
      '+87012345678',
      '+8001234567',
      '+1 555 123 4567',
      '15551234567',
    ]
    expect(others.filter(isPlainE164)).to.deep.equal([])
  })
})

function countryWith(code: string): string | null {
  return getCountries().find((country) => getCountryCallingCode(country) === code) ?? null
}

function numbersOf(code: string, digits: () => string): string[] {
  const beginnings = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))
  return Array.from({ length: LONGEST_NATIONAL - 3 }, (_, n) => n + 4).flatMap((length) =>
    beginnings.flatMap((beginning) =>
      Array.from({ length: OF_EACH_BEGINNING }, () => {
        const rest = Array.from({ length: length - 2 }, digits).join('')
        return `+${code}${beginning}${rest}`
      }),
    ),
  )
}

/** The same digits in each run. */
function digitsFrom(seed: number): () => string {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return String(Math.floor(state / 65_536) % 10)
  }
}
