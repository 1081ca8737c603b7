import { expect } from 'chai'
import { getOwnLine } from '../../../src/domain/lines/lines.js'
import { planList } from '../../../src/domain/messages/text-list/plan.js'
import { readListFile, type ListFile } from '../../../src/domain/messages/text-list/read-file.js'
import { describeContext } from '../../helpers/context.js'
import { createLine } from '../../helpers/factories.js'
import { ANNA, BEN } from '../fixtures.js'

describeContext('the plan of a text list', (context) => {
  const plan = async (file: ListFile, text: string, column = 'phone') => {
    const { lineId, userId } = await createLine(context)
    const line = await getOwnLine(context, userId, lineId)
    return planList(context, line, { file, text, column })
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

  for (const [columns, chosen, values] of [
    ['Customer;Name;Mobile number', 'Mobile number', ['5005550188', 'Ada', '5005550101']],
    ['Customer;Name;Contact', 'Contact', ['5005550188', 'Ada', '+15005550101']],
    ['number;name;mobile', 'mobile', ['5005550188', 'Ada', '5005550101']],
    ['to;name;phone', 'phone', ['Ada', 'Lovelace', '5005550101']],
    ['id;to;from', 'to', ['5005550188', '5005550101', '5005550102']],
    ['Name;Phone 1 - Label;Phone 1 - Value', 'Phone 1 - Value', ['Ada', 'Mobile', '(500) 555-0101']],
    ['Name;Phone', 'Phone', ['Ada', 'none']],
  ] as const) {
    it(`takes the numbers of “${columns}” from ${chosen}`, async () => {
      const file = readListFile(`${columns}\n${values.join(';')}`)
      expect((await plan(file, 'Hi', '')).column).to.equal(chosen)
    })
  }

  it('finds the column of a placeholder however its accent is written', async () => {
    const file = readListFile(`phone,${'Prénom'.normalize('NFD')}\n${ANNA},Zoé`)
    const { texts } = await plan(file, 'Salut {{prénom}}')
    expect(texts[0]?.text).to.equal('Salut Zoé')
  })
})

describe('the file of a text list', () => {
  const read = (csv: string) => readListFile(csv).rows.map(({ line, values }) => [line, ...values])

  it('may be our own export, whose numbers have an apostrophe', () => {
    expect(read(`number,name\n'${ANNA},'=Anna\n"'${BEN}",O'Neil`)).to.deep.equal([
      [2, ANNA, '=Anna'],
      [3, BEN, "O'Neil"],
    ])
  })

  it('may have tabs, and a line that tells Excel the separator', () => {
    for (const csv of [`phone\tname\n${ANNA}\tAnna, née B.`, `sep=;\r\nphone;name\r\n${ANNA};Anna, née B.`])
      expect(read(csv)).to.deep.equal([[2, ANNA, 'Anna, née B.']])
  })

  it('has its rows counted as a spreadsheet counts them', () => {
    const csv = `phone,address\n${ANNA},"1 Main St\nSpringfield"\n\n,\n${BEN},x\n`
    expect(read(csv)).to.deep.equal([
      [2, ANNA, '1 Main St\nSpringfield'],
      [5, BEN, 'x'],
    ])
  })
})
