import { expect } from 'chai'
import { splitInput } from '../../bin/input.js'

describe('what a command reads from standard input', () => {
  const split = (keys: readonly string[], input: string | Uint8Array) => splitInput(keys, Buffer.from(input))

  for (const [input, value] of [
    ['secret', 'secret'],
    ['secret\r\n', 'secret'],
    ['one\n\ntwo 🙂\n\n', 'one\n\ntwo 🙂\n'],
    ['\n', ''],
  ] as const) {
    it(`is one value, to its end without the last line break: ${JSON.stringify(input)}`, () => {
      expect(split(['text'], input)).to.deep.equal({ text: value })
    })
  }

  it('is a line for each of several values', () => {
    expect(split(['a', 'b'], '1\r\n2')).to.deep.equal({ a: '1', b: '2' })
    expect(split(['a', 'b'], '1\n\n')).to.deep.equal({ a: '1', b: '' })
  })

  for (const [keys, input, refused] of [
    [['text'], '', /^Standard input is empty. It must contain the value of text$/],
    [['a', 'b'], '1\n', /^Standard input has no line for b. Give one line for each of a, b$/],
    [['a', 'b'], '1\n2\n3\n', /^Standard input has 3 lines for 2 values/],
    [['text'], Buffer.from([0xff, 0xfe]), /^Standard input must be text in UTF-8$/],
  ] as const) {
    it(`is refused if it does not fit ${keys.join(' and ')}: ${JSON.stringify(input)}`, () => {
      expect(() => split(keys, input)).to.throw(refused)
    })
  }
})
