import { expect } from 'chai'
import { readLine, type Line } from '../../../src/carriers/modem/line.js'

describe("a modem's line", () => {
  const error = (code: string): Line => ({ kind: 'result', isOk: false, code })
  const lines: [string, Line][] = [
    ['OK', { kind: 'result', isOk: true, code: '' }],
    ['ERROR', error('ERROR')],
    ['+CMS ERROR: 38', error('CMS-38')],
    ['+CME ERROR:10', error('CME-10')],
    ['COMMAND NOT SUPPORT', error('ERROR')],
    ['TOO MANY PARAMETERS', error('ERROR')],
    ['+CMTI: "SM",3', { kind: 'stored', memory: 'SM' }],
    ['+CDSI:"ME",12', { kind: 'stored', memory: 'ME' }],
    ['+CDS: 25', { kind: 'before_pdu', length: 25 }],
    ['+CMT: ,148', { kind: 'before_pdu', length: 148 }],
    ['RING', { kind: 'call' }],
    ['NO CARRIER', { kind: 'call' }],
    ['+CLIP: "+15005550199",145', { kind: 'call' }],
    ['+CMGL: 1,1,,25', { kind: 'other' }],
    ['+CMGS: 7', { kind: 'other' }],
    ['OKAY', { kind: 'other' }],
    ['07911326040000F0', { kind: 'other' }],
  ]
  for (const [line, read] of lines) {
    it(`${line} is read as ${JSON.stringify(read)}`, () => {
      expect(readLine(line)).to.deep.equal(read)
    })
  }
})
