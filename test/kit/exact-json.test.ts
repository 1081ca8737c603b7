import { expect } from 'chai'
import fc from 'fast-check'
import sjson from 'secure-json-parse'
import { parseExactly } from '../../src/kit/text/exact-json.js'

describe('JSON whose integers are kept as they are written', () => {
  for (const [json, value] of [
    [
      '[9007199254740991, 9007199254740992, 9007199254740993]',
      [9007199254740991, '9007199254740992', '9007199254740993'],
    ],
    ['{"id":18446744073709551615}', { id: '18446744073709551615' }],
    ['{"a":{"9007199254740993":[-9007199254740993]}}', { a: { '9007199254740993': ['-9007199254740993'] } }],
    [
      '["id 9007199254740993, \\"9007199254740993\\"", "\\\\", 1]',
      ['id 9007199254740993, "9007199254740993"', '\\', 1],
    ],
    [
      '[0.12345678901234567890, 1e300, 12345678901234567890.5]',
      [0.12345678901234568, 1e300, 12345678901234567000],
    ],
    ['9007199254740993', '9007199254740993'],
    ['{"n":9007199254740993,"s":"9007199254740993"}', { n: '9007199254740993', s: '9007199254740993' }],
  ] as const) {
    it(`is ${JSON.stringify(value)} for ${json}`, () => {
      expect(parseExactly(json)).to.deep.equal(value)
    })
  }

  it('is what JSON.parse reads where a number holds every integer', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.nat(3), (value, space) => {
        const json = JSON.stringify(value, null, space)
        const isHeld = (each: unknown): boolean =>
          typeof each === 'object' && each !== null
            ? Object.values(each).every(isHeld)
            : !Number.isInteger(each) || Number.isSafeInteger(each)
        fc.pre(isHeld(value))
        expect(parseExactly(json)).to.deep.equal(JSON.parse(json))
      }),
      { numRuns: 300 },
    )
  })

  it('keeps any integer, between any texts', () => {
    fc.assert(
      fc.property(fc.string(), fc.bigInt(), (text, id) => {
        const read = parseExactly(
          `{${JSON.stringify(`k${text}`)}:${id},"text":${JSON.stringify(text)},"ids":[${id}]}`,
        )
        const {
          text: found,
          ids,
          ...rest
        } = read as { text: string; ids: unknown[] } & Record<string, unknown>
        expect(found).to.equal(text)
        expect([...ids, ...Object.values(rest)].map(String)).to.deep.equal([String(id), String(id)])
      }),
      { numRuns: 300 },
    )
  })

  it('refuses what is no JSON, also what would be JSON with its numbers in quotes', () => {
    for (const json of [
      '{9007199254740993:1}',
      '[00009007199254740993]',
      '[9007199254740993',
      '[-]',
      '["9007199254740993]',
    ]) {
      expect(() => parseExactly(json), json).to.throw(SyntaxError)
    }
  })

  it('keeps the guard of the parser that it is given', () => {
    const guarded = (text: string): unknown => sjson.parse(text)
    expect(() => parseExactly('{"id":9007199254740993,"__proto__":{"a":1}}', guarded)).to.throw(SyntaxError)
    const own = parseExactly('{"__proto__":{"id":9007199254740993}}') as object
    expect(Object.getPrototypeOf(own)).to.equal(Object.prototype)
  })

  it('reads 64 KiB of brackets, of digits and of quotes', () => {
    const deep = `${'['.repeat(32_000)}9007199254740993${']'.repeat(32_000)}`
    expect(parseExactly(deep)).to.be.an('array')
    const digits = '7'.repeat(64_000)
    expect(parseExactly(digits)).to.equal(digits)
    const quotes = '"'.repeat(32_000) + '9'.repeat(20)
    expect(parseExactly(JSON.stringify(quotes))).to.equal(quotes)
  })
})
