import { expect } from 'chai'
import { parseNumber } from '../../../src/domain/messages/phone-number.js'

describe('a premium number', () => {
  for (const [number, what] of [
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
  ] as const) {
    it(`is ${number}: ${what}`, () => {
      expect(parseNumber(number, null)).to.include({ number, isPremium: true })
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
