import { expect } from 'chai'
import { CarrierRejected, CarrierThrottled, CarrierUnavailable } from '../../../src/carriers/carrier.js'
import { readNumber, writeNumber } from '../../../src/carriers/kit/numbers.js'
import { errorOfRefusal, type CodeTable } from '../../../src/carriers/kit/refusals.js'
import { readXml } from '../../../src/kit/text/xml.js'

describe('numbers as providers write them', () => {
  const GERMAN = '+4930123456'
  for (const [written, form, number] of [
    ['+15551234567', 'plus', '+15551234567'],
    ['15551234567', 'plain', '+15551234567'],
    ['0015551234567', 'zeros', '+15551234567'],
    ['+1 (555) 123-4567', 'plus', '+15551234567'],
    ['0171 2345678', 'national', '+491712345678'],
    ['+15551234567', 'national', '+15551234567'],
    ['72404', 'plain', '72404'],
    // A short code of Australia, and a number of the Cook Islands.
    ['19123456', 'plain', '19123456'],
    ['68255123', 'plain', '+68255123'],
    ['0068255123', 'zeros', '+68255123'],
    ['ACME', 'plain', 'ACME'],
  ] as const) {
    it(`${written} (${form}) is ${number}`, () => {
      expect(readNumber(written, form, GERMAN)).to.equal(number)
    })
  }

  for (const [number, form, written] of [
    ['+491712345678', 'plus', '+491712345678'],
    ['+491712345678', 'plain', '491712345678'],
    ['+491712345678', 'zeros', '00491712345678'],
    ['+491712345678', 'national', '01712345678'],
    ['+15551234567', 'national', '+15551234567'],
    ['ACME', 'plain', 'ACME'],
    ['72404', 'zeros', '72404'],
  ] as const) {
    it(`${number} is written as ${written} (${form})`, () => {
      expect(writeNumber(number, form, GERMAN)).to.equal(written)
    })
  }
})

describe('a refusal', () => {
  const table: CodeTable = {
    account: [/^20\d\d$/],
    throttled: ['12'],
    opted_out: ['21'],
    rejected: ['403x'],
    statuses: { 409: 'throttled' },
    words: { 21: 'the recipient has opted out' },
  }
  const errorFor = (status: number, code = '', said = '') =>
    errorOfRefusal('Acme', table, { status, headers: {}, body: undefined, text: '' }, { code, said })

  for (const [status, code, name] of [
    [400, '', 'CarrierRejected'],
    [400, '2001', 'CarrierUnavailable'],
    [200, '2001', 'CarrierUnavailable'],
    [200, '12', 'CarrierThrottled'],
    [200, '999', 'CarrierRejected'],
    [403, '403x', 'CarrierRejected'],
    [403, '999', 'CarrierUnavailable'],
    [402, '', 'CarrierUnavailable'],
    [409, '', 'CarrierThrottled'],
    [429, '', 'CarrierThrottled'],
    [408, '', 'CarrierOutcomeUnknown'],
    [302, '', 'CarrierOutcomeUnknown'],
    // The request was for another URL (RFC 9110 §15.4), such as https instead of http.
    [301, '', 'CarrierUnavailable'],
    [307, '', 'CarrierUnavailable'],
    [308, '', 'CarrierUnavailable'],
    [503, '', 'CarrierOutcomeUnknown'],
    [500, '21', 'CarrierRejected'],
  ] as const) {
    it(`with ${status} and ${code === '' ? 'no code' : code} is ${name}`, () => {
      expect(errorFor(status, code)).to.have.property('name', name)
    })
  }

  it('has its words and its code, and no number', () => {
    const error = errorFor(400, '7', 'no route to +1 555 123 4567')
    expect(error).to.be.instanceOf(CarrierRejected)
    expect(error).to.include({ reason: 'no route to [number]', carrierCode: '7', isOptedOut: false })
    expect(errorFor(400, '21')).to.include({ reason: 'the recipient has opted out', isOptedOut: true })
    expect(errorFor(401)).to.be.instanceOf(CarrierUnavailable)
    expect(errorFor(429)).to.be.instanceOf(CarrierThrottled)
  })
})

describe('XML', () => {
  it('is elements, attributes and texts by name, of which several are a list', () => {
    const xml = `<?xml version="1.0"?><!-- a comment -->
      <messages count='2'><m id="1">a &amp; b &#x1F642;</m><m id="2"><![CDATA[<c>]]></m><n/><t> x </t></messages>`
    expect(JSON.parse(JSON.stringify(readXml(xml)))).to.deep.equal({
      messages: {
        count: '2',
        m: [
          { id: '1', '#text': 'a & b 🙂' },
          { id: '2', '#text': '<c>' },
        ],
        n: '',
        t: ' x ',
      },
    })
    expect(JSON.parse(JSON.stringify(readXml('<m>a &lt; b<![CDATA[ & c]]></m>')))).to.deep.equal({
      m: 'a < b & c',
    })
  })

  for (const broken of [
    '',
    'x',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a>&x;</a>',
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    '<a b="<"/>',
    `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`,
  ]) {
    it(`is none: ${broken.slice(0, 40)}`, () => {
      expect(readXml(broken)).to.equal(undefined)
    })
  }
})
