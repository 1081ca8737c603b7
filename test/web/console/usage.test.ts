import { expect } from 'chai'
import { renderToString } from 'preact-render-to-string'
import { newId } from '../../../src/ids.js'
import { UsageTable } from '../../../src/web/console/usage/table.js'
import { wordsOf } from './lines/line/line-page.js'

describe('the table of usage', () => {
  const row = {
    month: '2026-11',
    lineId: newId(),
    messageCount: 2,
    segmentCount: 3,
    carrierSegmentCount: 0,
    prices: [],
  }
  const wordsWith = (more: object) =>
    wordsOf(renderToString(UsageTable({ usage: [row, { ...row, lineId: newId(), ...more }], lines: [] })))

  it('says once what applies to every row', () => {
    const words = wordsWith({})
    expect(words).to.include('Segments are counted by Linehook. No prices reported yet.')
    expect(words)
      .to.match(/2026-11 2 3 – .*2026-11 2 3 –/)
      .and.not.match(/no price |, our count/)
  })

  it('says in each row what differs', () => {
    const words = wordsWith({
      carrierSegmentCount: 3,
      prices: [{ currency: 'USD', amount: '1.80', messageCount: 2 }],
    })
    expect(words).to.include('2026-11 2 3, our count no price').and.to.include('2026-11 2 3 1.80 USD')
    expect(words).not.to.match(/own count|reported no prices/)
  })

  it('keeps what was paid in several currencies apart', () => {
    const prices = [
      { currency: 'EUR', amount: '0.90', messageCount: 1 },
      { currency: 'USD', amount: '1.80', messageCount: 2 },
    ]
    expect(wordsWith({ messageCount: 5, prices })).to.include('0.90 EUR, 1.80 USD, 2 without a price yet')
  })
})
