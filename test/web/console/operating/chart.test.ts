import { expect } from 'chai'
import { renderToString } from 'preact-render-to-string'
import { NOTHING } from '../../../../src/domain/operating/overview/traffic.js'
import { Chart, countScale, type Series } from '../../../../src/web/console/operating/overview/chart.js'
import { Charts } from '../../../../src/web/console/operating/overview/charts.js'

describe('a chart', () => {
  const draw = (...series: Omit<Series, 'label' | 'figure'>[]) =>
    renderToString(
      Chart({
        ...{ title: 'Waits', summary: 'Waits', scale: countScale(10), since: 'an hour ago' },
        series: series.map((each) => ({ label: each.look, figure: '', ...each })),
      }),
    )
  const pathOf = (series: Omit<Series, 'look' | 'label' | 'figure'>) =>
    /<path class="series half" d="([^"]*)"/.exec(draw({ look: 'half', ...series }))?.[1]
  const values = [undefined, 5, undefined, undefined, 10, undefined, undefined]

  it('draws waits across times in which nothing happened, so that they are not loose dashes', () => {
    expect(pathOf({ values, isJoined: true })).to.equal('M100 60L400 0')
  })

  it('shows the figures of the newest points, and only the first where points meet', () => {
    const html = draw(
      { look: 'sent', values: [1, 2.25, undefined] },
      { look: 'delivered', values: [1, 1, 2] },
      { look: 'failed', values: [0, 0, 9] },
    )
    expect([...html.matchAll(/<text [^>]*>([^<]*)</g)].map(([, words]) => words)).to.deep.equal(['2.3', '9'])
    expect(html).to.include('<circle class="series sent" cx="50%" cy="77.5%"')
  })

  it('draws failures below the others, and no line that is zero throughout', () => {
    const looksOf = (...all: [look: string, values: number[]][]) => {
      const html = draw(...all.map(([look, values]) => ({ look, values })))
      return [...html.matchAll(/<path class="series (\w+)" d="M0 [^4]/g)].map(([, look]) => look)
    }
    expect(looksOf(['sent', [1, 2]], ['failed', [0, 1]], ['unknown', [0, 0]])).to.deep.equal([
      'failed',
      'sent',
    ])
    expect(looksOf(['sent', [0, 0]], ['failed', [0, 0]])).to.deep.equal(['sent'])
  })

  it('is left out where nothing was counted, and the table where there is nothing to read', () => {
    const bin = { at: new Date(0), minutes: 0, counts: NOTHING, waits: {} }
    const partsOf = (countedAt: Date | null, accepted: number) => {
      const totals = { ...NOTHING, accepted }
      const traffic = { span: '7d' as const, bins: [bin], totals, waits: {}, countedAt }
      const html = renderToString(Charts({ traffic, countedAt: 'arrival' }))
      // Without waits there is no scale of them.
      expect(html).to.not.include('10 ms')
      return [/No data for the last day/, /Nothing to measure/, /Show as a table/].map((part) =>
        part.test(html),
      )
    }
    expect(partsOf(new Date(), 0)).to.deep.equal([false, true, true])
    expect(partsOf(null, 0)).to.deep.equal([true, false, false])
    expect(partsOf(null, 1)).to.deep.equal([true, false, true])
  })

  it('shows a gap where something was not counted, and a single value as a short stroke', () => {
    expect(pathOf({ values })).to.equal('M50 60h100M350 0h100')
    expect(pathOf({ values: [undefined, 5, undefined], isJoined: true })).to.equal('M150 60h300')
    expect(pathOf({ values: [5, 5, undefined] })).to.equal('M0 60L300 60')
  })
})
