import { expect } from 'chai'
import { readTexts } from '../../../src/carriers/alphabets/encoded-text.js'
import { readText } from '../../../src/carriers/smpp/inbound.js'
import { smpp } from '../../../src/carriers/smpp/package.js'
import { settingsOf } from './fixtures.js'

const settings = settingsOf({ port: 1 })

function read(fields: Record<string, string | number | Buffer>) {
  return readText(
    new smpp.PDU(new smpp.PDU('deliver_sm', { data_coding: 0, ...fields }).toBuffer()),
    settings,
  )
}

describe('what an SMSC brings', () => {
  for (const [address, ton, expected, kind] of [
    ['15005550101', 1, '+15005550101', 'international'],
    ['+15005550101', 1, '+15005550101', 'international'],
    ['+15005550101', 0, '+15005550101', 'international'],
    ['0015005550101', 1, '+15005550101', 'international'],
    ['004915112345678', 0, '+4915112345678', 'international'],
    ['0049151', 0, '0049151', 'local'],
    ['004915112345678', 2, '004915112345678', 'local'],
    ['0005550101', 0, '0005550101', 'local'],
    ['5005550101', 2, '5005550101', 'local'],
    ['15005550101', 0, '15005550101', 'local'],
    ['72975', 0, '72975', 'other'],
    ['72975', 1, '72975', 'other'],
    ['+72975', 1, '72975', 'other'],
    ['72975', 6, '72975', 'other'],
    ['5005550101', 3, '5005550101', 'other'],
    ['Bank', 5, 'Bank', 'other'],
    ['', 0, '', 'other'],
  ] as const) {
    it(`the address ${address || 'nothing'} of type ${ton} is ${expected || 'nothing'}`, () => {
      const { from, to } = read({
        source_addr: address,
        source_addr_ton: ton,
        destination_addr: address,
        dest_addr_ton: ton,
      })
      expect(from).to.deep.equal({ address: expected, kind })
      expect(to).to.deep.equal(from)
    })
  }

  it('is read although the SMSC has put its parts together and still announces a header', () => {
    const { body, part } = read({ esm_class: 0x40, short_message: Buffer.from('Hello') })
    expect([readTexts([body]), part]).to.deep.equal(['Hello', undefined])
  })

  it('is read from short_message if there is a message_payload with nothing in it', () => {
    const { body } = read({ short_message: Buffer.from('Hello'), message_payload: Buffer.alloc(0) })
    expect(readTexts([body])).to.equal('Hello')
  })

  const body = Buffer.from('Hello')
  const behind = (header: string) => Buffer.concat([Buffer.from(header, 'hex'), body])
  for (const [what, fields, part] of [
    ['no header', { short_message: body }, undefined],
    [
      'an 8-bit reference',
      { esm_class: 0x40, short_message: behind('050003a70302') },
      { reference: 0xa7, total: 3, number: 2 },
    ],
    [
      'a 16-bit reference',
      { esm_class: 0x40, short_message: behind('060804a7b80302') },
      { reference: 0xa7b8, total: 3, number: 2 },
    ],
    [
      'a header with more in it',
      { esm_class: 0x40, short_message: behind('0a05040b8423f00003010201') },
      undefined,
    ],
    [
      'ports before the reference',
      { esm_class: 0x40, short_message: behind('0b05040b8423f00003010201') },
      { reference: 1, total: 2, number: 1 },
    ],
    [
      'TLVs',
      { short_message: body, sar_msg_ref_num: 700, sar_total_segments: 2, sar_segment_seqnum: 1 },
      { reference: 700, total: 2, number: 1 },
    ],
    ['a payload', { message_payload: body }, undefined],
    [
      'a payload with a header',
      { esm_class: 0x40, message_payload: behind('050003a70302') },
      { reference: 0xa7, total: 3, number: 2 },
    ],
    ['one part of one', { esm_class: 0x40, short_message: behind('050003a70101') }, undefined],
    ['a part that cannot be', { esm_class: 0x40, short_message: behind('050003a70305') }, undefined],
  ] as const) {
    it(`with ${what} is ${part ? `part ${part.number} of ${part.total}` : 'a text of its own'}`, () => {
      const text = read(fields)
      expect(text.part).to.deep.equal(part)
      if (what !== 'a header with more in it') expect(readTexts([text.body])).to.equal('Hello')
    })
  }

  it('has a text whatever its header claims', () => {
    for (const hex of ['ff', '00', '0500', '020003', 'ff000380', '']) {
      const text = read({ esm_class: 0x40, short_message: Buffer.from(hex, 'hex') })
      expect(readTexts([text.body])).to.be.a('string')
      expect(text.part).to.equal(undefined)
    }
  })

  it('keeps half a character of a part for the next one', () => {
    const halves = ['d83d', 'de42'].map(
      (hex) => read({ data_coding: 8, short_message: Buffer.from(hex, 'hex') }).body,
    )
    expect(readTexts(halves)).to.equal('🙂')
  })

  for (const [language, header, hex, text] of [
    ['Turkish behind an escape', '24 01 01', '1b53 1b73 65', 'Şşe'],
    ['Turkish by its alphabet', '25 01 01', '1c 1d 07', 'Şşı'],
    ['both at once', '24 01 01 25 01 01', '1c 1b67', 'Şğ'],
    ['Hindi', '25 01 06 24 01 06', '15 44 1b19', 'कर।'],
    ['a language that nobody has', '24 01 63 25 01 63', '00 1b65', '@€'],
    ['none, but a port', '05 04 23f4 0000', '48 69', 'Hi'],
  ] as const) {
    it(`reads ${language}, as the header says`, () => {
      const content = Buffer.from(header.replaceAll(' ', ''), 'hex')
      const body = Buffer.from(hex.replaceAll(' ', ''), 'hex')
      const short_message = Buffer.concat([Buffer.from([content.length]), content, body])
      expect(readTexts([read({ esm_class: 0x40, short_message }).body])).to.equal(text)
    })
  }

  it('that nobody can read is shown byte by byte, with its coding and its header', () => {
    const short_message = Buffer.from('0605040b8423f0dc0601ae02056a', 'hex')
    const { body } = read({ data_coding: 0xf5, esm_class: 0x40, short_message })
    expect(readTexts([body])).to.equal(
      '[data coding 245, header 05040b8423f0, not readable as text: dc0601ae02056a]',
    )
  })
})
