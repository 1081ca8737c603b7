import { expect } from 'chai'
import { getOwnLine } from '../../../src/domain/lines/lines.js'
import { planList } from '../../../src/domain/messages/text-list/plan.js'
import type { ListFile } from '../../../src/domain/messages/text-list/read-file.js'
import { describeContext } from '../../helpers/context.js'
import { createLine } from '../../helpers/factories.js'
import { ANNA, BEN } from '../fixtures.js'

describeContext('the plan of a text list', (context) => {
  const plan = async (file: ListFile, text: string) => {
    const { lineId, userId } = await createLine(context)
    const line = await getOwnLine(context, userId, lineId)
    return planList(context, line, { file, text, column: 'phone' })
  }

  it('does not write a text that would repeat a long value hundreds of times', async () => {
    const long = 'x'.repeat(2_000_000)
    const file = {
      columns: ['phone', 'a'],
      rows: [
        { line: 2, values: [ANNA, long] },
        { line: 3, values: [BEN, 'x'] },
      ],
    }
    // Written out, it would have 640 million characters, more than a string can have.
    const { texts, goodCount } = await plan(file, '{{a}}'.repeat(320))
    expect(texts.map(({ reason }) => reason)).to.deep.equal(['The text has more than 1,600 characters', null])
    expect(texts[1]?.text).to.equal('x'.repeat(320))
    expect(goodCount).to.equal(1)
  })

  it('leaves the number of a row without a text to a later row', async () => {
    const rows = [
      { line: 2, values: [ANNA, ''] },
      { line: 3, values: [ANNA, 'Anna'] },
      { line: 4, values: [ANNA, 'Ann'] },
    ]
    const { texts } = await plan({ columns: ['phone', 'name'], rows }, 'Hi {{name}}')
    expect(texts.map(({ text, reason }) => text ?? reason)).to.deep.equal([
      '{{name}} is empty',
      'Hi Anna',
      'Same number as row 3',
    ])
  })
})
