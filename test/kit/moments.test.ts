import { expect } from 'chai'
import { missingDayOf, parseClock, parseDay, parseMoment } from '../../src/kit/text/moments.js'
import { moment, momentAhead } from '../../bin/commands/list-options.js'

describe('a moment', () => {
  it('is read with its offset', () => {
    for (const [written, at] of [
      ['2026-11-21T13:00:00Z', '2026-11-21T13:00:00.000Z'],
      ['2026-11-21T13:00Z', '2026-11-21T13:00:00.000Z'],
      ['2024-02-29T23:59:59.123456789+01:00', '2024-02-29T22:59:59.123Z'],
      ['2026-12-31T23:00:00-02:00', '2027-01-01T01:00:00.000Z'],
    ] as const) {
      expect(new Date(parseMoment(written)).toISOString()).to.equal(at)
    }
    expect(parseClock('2026-11-21 13:00')).to.equal(Date.parse('2026-11-21T13:00Z'))
    expect(parseDay('2026-11-30')).to.equal(Date.parse('2026-11-30'))
  })

  it('is on a command line no later than Postgres reads what a Date writes', () => {
    const last = '9999-12-31T23:59:59.999Z'
    for (const read of [moment, momentAhead])
      expect(read('9999-12-31T23:59:59-05:00').toISOString()).to.equal(last)
  })

  const IMPOSSIBLE = '2026-11-31 2026-02-29 2025-02-30 2026-04-31 2026-13-01 2026-00-10 2026-01-00'.split(' ')

  it('is on a day that the calendar has', () => {
    for (const day of IMPOSSIBLE) {
      expect([parseDay(day), parseMoment(`${day}T10:00:00Z`), parseClock(`${day}T10:00`)], day).to.deep.equal(
        [NaN, NaN, NaN],
      )
      expect(missingDayOf(`${day}T10:00:00Z`)).to.equal(`: there is no ${day} in the calendar`)
    }
    for (const written of ['2026-11-30T10:00:00Z', 'tomorrow', '', undefined, 7, ['2026-11-31']]) {
      expect(missingDayOf(written)).to.equal('')
    }
  })

  it('is one day’s, and has no other form', () => {
    for (const written of [
      '2026-11-21',
      '2026-11-21T13:00:00',
      '2026-11-21T24:00:00Z',
      '2026-11-21T25:00:00Z',
      '2026-11-21T13:60:00Z',
      '2026-11-21T13:00:00+99:00',
      '21 Nov 2026 13:00:00 GMT',
      ' 2026-11-21T13:00:00Z',
      '2026-11-21T13:00:00Z\n',
      '0',
      '',
    ]) {
      expect(parseMoment(written), written).to.be.NaN
    }
    expect(parseClock('2026-11-21T13:00Z')).to.be.NaN
    expect(parseClock('2026-11-21T13:00+01:00')).to.be.NaN
  })

  it('is refused on the command line with the day that there is not', () => {
    for (const read of [moment, momentAhead]) {
      expect(() => read('2026-11-31T13:00:00Z')).to.throw(
        /, or .*: there is no 2026-11-31 in the calendar\.$/,
      )
      expect(read('2026-11-30T13:00:00Z').toISOString()).to.equal('2026-11-30T13:00:00.000Z')
      expect(read('1h', undefined, 5_000_000).getTime()).to.be.oneOf([1_400_000, 8_600_000])
    }
  })
})
