import { expect } from 'chai'
import { clockIn, isZone, momentIn } from '../../../src/web/console/zone.js'

describe('a time zone of a filter', () => {
  for (const [zone, shown, at] of [
    ['UTC', '2026-07-01T00:00:00Z', '2026-07-01T00:00:00.000Z'],
    ['Europe/Berlin', '2026-11-21T13:00:00Z', '2026-11-21T12:00:00.000Z'],
    ['Europe/Berlin', '2026-07-21T13:00:00.25Z', '2026-07-21T11:00:00.250Z'],
    ['Pacific/Kiritimati', '2026-01-01T00:00:00Z', '2025-12-31T10:00:00.000Z'],
    ['America/New_York', '2026-11-01T01:30:00Z', '2026-11-01T05:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25T02:30:00Z', '2026-10-25T00:30:00.000Z'],
    ['Europe/Berlin', '9999-12-31T23:59:00Z', '9999-12-31T22:59:00.000Z'],
  ] as const) {
    it(`knows when it is ${shown.slice(0, -1)} in ${zone}`, () => {
      const moment = momentIn(zone, Date.parse(shown))
      expect(moment.toISOString()).to.equal(at)
      expect(clockIn(zone, moment).slice(0, 19)).to.equal(shown.slice(0, 19).replace('T', ' '))
    })
  }

  it('reads an hour that spring leaves out by the clock before the change', () => {
    const moment = momentIn('Europe/Berlin', Date.parse('2026-03-29T02:30:00Z'))
    expect(clockIn('Europe/Berlin', moment)).to.equal('2026-03-29 03:30:00 CEST')
  })

  it('is never before 1970', () => {
    expect(momentIn('Europe/Berlin', 0).getTime()).to.equal(0)
  })

  it('is never after the year 9999, which is as far as Postgres reads what a Date writes', () => {
    const moment = momentIn('America/New_York', Date.parse('9999-12-31T23:59:00Z'))
    expect(moment.toISOString()).to.equal('9999-12-31T23:59:59.999Z')
  })

  it('has a name of the list', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3'])
      expect(isZone(name), name).to.be.true
    for (const name of ['', 'Berlin', '__proto__', 'Europe/Berlin ', 'x'.repeat(100), 'Europe/Berlin"'])
      expect(isZone(name), name).to.be.false
  })
})
