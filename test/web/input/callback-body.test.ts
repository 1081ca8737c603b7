import { expect } from 'chai'
import { parseCallbackBody } from '../../../src/web/input/callback-body.js'

const KIB = 1024

describe('the body of a callback', () => {
  const read = (text: string) => parseCallbackBody(Buffer.from(text))

  it('is read as JSON, XML or a form', () => {
    expect(read('{"a":"1"}')).to.deep.equal({ a: '1' })
    expect(read('\uFEFF [1]')).to.deep.equal([1])
    expect(read('<r><a>1</a></r>')).to.deep.equal({ r: { a: '1' } })
    expect({ ...(read('a=1&b=2') as object) }).to.deep.equal({ a: '1', b: '2' })
    expect(read('{"a"')).to.equal(undefined)
  })

  it('of more than 64 KiB is read only as JSON, whose parser takes no seconds for 4 MiB', () => {
    expect(read('a&'.repeat(32 * KIB))).to.have.property('a')
    expect(read('a&'.repeat(32 * KIB) + 'b')).to.equal(undefined)
    expect(read(`<r>${'<a/>'.repeat(16 * KIB)}</r>`)).to.equal(undefined)
    expect(read(JSON.stringify({ a: 'x'.repeat(65 * KIB) }))).to.have.property('a')
  })
})
