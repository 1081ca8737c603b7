import { expect } from 'chai'
import { refuseUnknown, type Known } from '../../../src/web/input/unknown-fields.js'

/** The known fields, which count how often a name was compared with them. */
class CountedFields extends Map<string, Known> {
  comparedCount = 0

  override keys() {
    this.comparedCount += 1
    return super.keys()
  }
}

describe('unknown fields', () => {
  it('are not compared with the known ones beyond those that are told', () => {
    const fields = new CountedFields([['text', {}]])
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`txet${n}`, 1]))
    for (const [written, known] of [
      [many, { fields }],
      [[many, many], { items: { fields } }],
    ] as const) {
      fields.comparedCount = 0
      expect(() => refuseUnknown(written, known)).to.throw(/^(\S*txet\d is not a known field[^;]*(; |$)){5}$/)
      expect(fields.comparedCount).to.equal(5)
    }
  })
})
