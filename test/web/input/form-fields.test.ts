import { parse } from 'node:querystring'
import { expect } from 'chai'
import fc from 'fast-check'
import { UserError } from '../../../src/errors.js'
import { readBodyText } from '../../../src/web/input/utf8.js'
import { parseFormFields } from '../../../src/web/input/form-fields.js'

const read = (form: string | Buffer) => ({ ...parseFormFields(Buffer.from(form), readBodyText) })

describe('the fields of a form', () => {
  for (const [form, fields] of [
    ['', {}],
    ['&&', {}],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['=1', { '': '1' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['a[]=1&a[b]=2', { 'a[]': '1', 'a[b]': '2' }],
    ['text=a+b%20c%2B', { text: 'a b c+' }],
    ['text=50%+off%&x=%zz', { text: '50% off%', x: '%zz' }],
    ['name=B%C3%BCro', { name: 'Büro' }],
    ['name=Büro', { name: 'Büro' }],
    ['text=%F0%9F%98%80%00', { text: '😀\0' }],
    ['text=\ufffd', { text: '\ufffd' }],
    [
      'toString=1&constructor=2&__proto__=3',
      JSON.parse('{"toString":"1","constructor":"2","__proto__":"3"}'),
    ],
  ] as [string, Record<string, unknown>][]) {
    it(`are read from ${JSON.stringify(form)}`, () => {
      expect(Object.entries(read(form))).to.deep.equal(Object.entries(fields))
    })
  }

  for (const [what, form] of [
    ['bytes of Latin-1', Buffer.from('name=Büro', 'latin1')],
    ['a name in Latin-1', Buffer.from('Büro=1', 'latin1')],
    ['bytes of Latin-1 behind percent signs', 'name=B%FCro'],
    ['a character that ends early', 'name=%E2%82'],
    ['a character that is cut by the end of a value', 'a=%C3&b=%BC'],
    ['a surrogate of UTF-16', 'name=%ED%A0%80'],
    ['a character written longer than it is', 'name=%C0%80'],
  ] as const) {
    it(`are refused for ${what}`, () => {
      expect(() => read(form)).to.throw(UserError, 'Request body is not UTF-8')
    })
  }

  it('have no names but those that were sent', () => {
    expect('toString' in parseFormFields(Buffer.from('a=1'), readBodyText)).to.equal(false)
  })

  it('are those that Node reads, wherever that is UTF-8', () => {
    const field = fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(field, { maxLength: 5 }), (pairs) => {
        const form = new URLSearchParams(pairs).toString()
        expect(read(form)).to.deep.equal({ ...parse(form) })
      }),
    )
  })
})
