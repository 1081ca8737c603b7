import { expect } from 'chai'
import { percent } from '../../../src/web/console/parts/figures.js'

it('a share is 100% only if nothing is missing, and 0% only if nothing is there', () => {
  const shown = [0, 1 / 230, 0.5, 229 / 230, 0.9999, 1].map(percent)
  expect(shown.join(' ')).to.equal('0% 0.4% 50.0% 99.5% 99.9% 100%')
})
