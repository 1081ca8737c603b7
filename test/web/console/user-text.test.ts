import { expect } from 'chai'
import { labelOf, optionText } from '../../../src/web/console/user-text.js'

describe('the text of an option', () => {
  it('has gaps in its number, at which no line breaks', () => {
    expect(optionText('+14155550142')).to.equal('+1\u00a0415\u00a0555\u00a00142')
    expect(optionText(labelOf('Front desk', '+14155550142'))).to.equal(
      '\u2068Front desk\u2069 (\u2068+1\u00a0415\u00a0555\u00a00142\u2069)',
    )
    expect(optionText('Newest first')).to.equal('Newest first')
  })
})
