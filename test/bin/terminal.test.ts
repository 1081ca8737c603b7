import { expect } from 'chai'
import { moment } from '../../bin/commands/list-options.js'
import { print, type Printing } from '../../bin/run.js'
import { maskNumber, printable, table } from '../../bin/terminal.js'

describe('what the command line shows', () => {
  it('numbers of which enough is left to know them again', () => {
    expect(['+15005550199', '+4915112345678', '40404', 'MYBANK'].map(maskNumber)).to.deep.equal([
      '+1•••0199',
      '+4•••5678',
      '•••04',
      '•••NK',
    ])
  })

  it('texts of others, in one line and without what would steer the terminal', () => {
    expect(printable('Hi\u001b[2J\r\nthere\u202e!')).to.equal('Hi [2J there !')
    expect(printable('grüße 🙂')).to.equal('grüße 🙂')
  })

  it('the same for CSV, JSON and lines at a terminal, and unchanged in a file', () => {
    const result = [{ text: 'Hi\u001b[2J\u009b2J\nthere', from: '+1' }]
    const shown = (isTTY: boolean, options: Printing, more = {}) => {
      const { isTTY: before, write } = process.stdout
      let written = ''
      Object.assign(process.stdout, { isTTY, write: (text: string) => (written += text) !== '' })
      try {
        print(options, result, ['browser: \u009b2J', '\u001b[31mred\u001b[39m'], more)
      } finally {
        Object.assign(process.stdout, { isTTY: before, write })
      }
      return written
    }
    expect(shown(true, { csv: true })).to.equal('text,from\n"Hi [2J 2J\nthere",\'+1\n')
    expect(shown(false, { csv: true })).to.include('Hi\u001b[2J\u009b2J')
    expect(JSON.parse(shown(true, { json: true }))).to.deep.equal([
      { text: 'Hi\u001b[2J 2J\nthere', from: '+1' },
    ])
    expect(JSON.parse(shown(false, { json: true }))).to.deep.equal(result)
    expect(shown(true, {})).to.equal('browser:  2J\n [31mred [39m\n')
    expect(shown(false, {})).to.include('\u009b2J')
    expect(shown(true, {}, { hasColours: true })).to.include('\u001b[31mred')
  })

  it('rows in columns', () => {
    expect(
      table([
        ['a', 'bb', ''],
        ['aaa', 'b', 'c'],
      ]),
    ).to.deep.equal(['a    bb', 'aaa  b   c'])
  })

  it('moments as times or days, or as how long ago', () => {
    const now = Date.parse('2026-11-21T13:00:00Z')
    const read = (written: string) => moment(written, undefined, now).toISOString()
    expect(read('90s')).to.equal('2026-11-21T12:58:30.000Z')
    expect(read('3d')).to.equal('2026-11-18T13:00:00.000Z')
    expect(read('2026-11-21T14:00:00+02:00')).to.equal('2026-11-21T12:00:00.000Z')
    expect(read('2026-11-21')).to.equal('2026-11-21T00:00:00.000Z')
    for (const early of ['0000-01-01', '1969-12-31', '999999d', '1969-12-31T00:00:00Z'])
      expect(read(early), early).to.equal('1970-01-01T00:00:00.000Z')
    for (const wrong of ['yesterday', '5', '2026-11', '2026-13-01T00:00:00Z']) {
      expect(() => read(wrong), wrong).to.throw(
        /^It must be a time such as 2026-11-21 or 2026-11-21T13:00:00Z, or how long ago/,
      )
    }
  })
})
