import { expect } from 'chai'
import { readCharge } from '../../src/carriers/kit/charge.js'
import { readDecimal, timesDecimal, writeMoney } from '../../src/kit/text/decimal.js'

describe('money in digits', () => {
  it('is read as it was written, and what is no decimal is none', () => {
    for (const written of ['0', '0.00750', '12', '999999999999.123456789012345678']) {
      expect(readDecimal(written)).to.equal(written)
    }
    expect(readDecimal(' 0.5 ')).to.equal('0.5')
    expect(readDecimal(String(0.0000051))).to.equal('0.0000051')
    for (const wrong of ['', '-1', '1,5', '.5', '5.', 'NaN', '1e999', '0x10', '1'.repeat(40)]) {
      expect(readDecimal(wrong), wrong).to.equal(undefined)
    }
  })

  it('is multiplied exactly', () => {
    expect(timesDecimal('0.1', 3)).to.equal('0.3')
    expect(timesDecimal('0.00790', 12)).to.equal('0.09480')
    expect(timesDecimal('7', 3)).to.equal('21')
  })

  it('is shown with two places, or as many as say something', () => {
    expect(['5', '5.1', '0.00790', '1.000'].map(writeMoney)).to.deep.equal(['5.00', '5.10', '0.0079', '1.00'])
  })
})

describe('what a provider says that a message costs', () => {
  it('is an amount with its currency, whichever sign it has', () => {
    expect(readCharge({ price: '-0.00790', currency: 'usd', segments: '2' })).to.deep.equal({
      ...{ price: '0.00790', currency: 'USD', segmentCount: 2 },
    })
  })

  it('is that of each segment where the provider says so, and then nothing without their number', () => {
    const each = { price: '0.0125', currency: 'EUR', isEach: true }
    expect(readCharge({ ...each, segments: '3' })).to.deep.equal({
      ...{ price: '0.0375', currency: 'EUR', segmentCount: 3 },
    })
    expect(readCharge(each)).to.equal(undefined)
  })

  it('is nothing where nothing of it is said, or what is said is no price', () => {
    expect(readCharge({ price: '', currency: 'USD', segments: '0' })).to.equal(undefined)
    expect(readCharge({ price: 'None', currency: '' })).to.equal(undefined)
    expect(readCharge({ price: '0.5', segments: '100000' })).to.equal(undefined)
    expect(readCharge({ price: '0.5', currency: 'US$', segments: '1' })).to.deep.equal({ segmentCount: 1 })
  })
})
