import { expect } from 'chai'
import { kannel } from '../../../src/carriers/kannel.js'

type Settings = Parameters<typeof kannel.api>[0]

/** What Kannel brings by GET, as the query of the URL has it. */
function read(query: string) {
  const url = `https://sms.example.com/carriers/kannel/1/message?${query}`
  const request = {
    ...{ url, key: '', content: undefined, fields: {} },
    method: 'GET' as const,
    query: new URL(url).searchParams,
    body: Buffer.alloc(0),
    header: () => '',
  }
  const { items, read: readItem } = kannel.callbacks ?? expect.fail()
  return readItem(items?.(request, 'message', {} as Settings), {
    name: 'message',
    request,
    settings: {} as Settings,
  })
}

const ID = '0198f0c4-0000-7000-8000-000000000000'
const report = (type: number, said: string) =>
  read(`messageId=${ID}&type=${type}&said=${encodeURIComponent(said)}`)
const text = (rest: string) => read(`id=1&from=%2B13125550199&to=%2B14155550142&${rest}`)

describe('what Kannel brings', () => {
  for (const [type, said, expected] of [
    [4, '', { status: 'sent' }],
    [8, 'ACK/', { status: 'sent' }],
    [1, 'id:1 stat:DELIVRD err:000 text:', { status: 'delivered' }],
    [2, 'id:1 stat:UNDELIV err:011 text:', { status: 'failed', code: '011', said: 'UNDELIV' }],
    [34, 'id:1 stat:EXPIRED err:000 text:', { status: 'failed', said: 'EXPIRED' }],
    [16, 'NACK/1025/Insufficient credits', { status: 'failed', code: '1025', said: 'Insufficient credits' }],
    [16, 'NACK/No credit', { status: 'failed', code: '', said: 'No credit' }],
  ] as const) {
    it(`a report of type ${type} that says "${said}"`, () => {
      expect(report(type, said)).to.include({ kind: 'receipt', id: ID, messageId: ID, ...expected })
    })
  }

  it('a report of a type that nobody knows is kept for operators', () => {
    expect(report(99, '')).to.have.property('kind', 'unclear')
  })

  for (const [rest, expected] of [
    ['text=a+b%2Bc&charset=UTF-8&coding=0', 'a b+c'],
    ['text=%04%1F%04%40&charset=UTF-16BE&coding=2', 'Пр'],
    ['text=%04%1F%04%40&charset=&coding=2', 'Пр'],
    ['text=Gr%FC%DFe&charset=ISO-8859-1&coding=0', 'Grüße'],
    ['text=&charset=&coding=0', ''],
  ] as const) {
    it(`a text written as ${rest}`, () => {
      expect(text(rest)).to.include({ kind: 'message', id: '1', text: expected })
    })
  }

  it('what is no text, or in a charset that nobody knows, is kept for operators', () => {
    expect(text('text=%00%01&charset=&coding=1')).to.have.property('kind', 'unclear')
    expect(text('text=a&charset=KLINGON-1&coding=0')).to.have.property('kind', 'unclear')
  })
})
