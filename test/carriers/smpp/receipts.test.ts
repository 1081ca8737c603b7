import { expect } from 'chai'
import { smpp } from '../../../src/carriers/smpp/package.js'
import { isReceipt, readReceipt, readUnmarkedReceipt } from '../../../src/carriers/smpp/receipts.js'
import { settingsOf } from './fixtures.js'

const settings = settingsOf({ port: 1 })

function deliverSm(fields: Record<string, string | number | Buffer>) {
  return new smpp.PDU(new smpp.PDU('deliver_sm', fields).toBuffer())
}

function receipt(text: string | Buffer, fields: Record<string, string | number | Buffer> = {}) {
  return deliverSm({ esm_class: 4, data_coding: 0, short_message: Buffer.from(text as string), ...fields })
}

const STANDARD = 'sub:001 dlvrd:001 submit date:2611211200 done date:2611211201 stat:DELIVRD err:000'
const ucs2 = (text: string) => Buffer.from(text, 'utf16le').swap16()
const ofTlv = (id: string) => ({ receipted_message_id: id, message_state: 2 })

/** As SMSCs write them: from manuals of providers, tests of other implementations, and reports of what these could not read. */
const FORMS: [what: string, id: string, text: string | Buffer, fields?: Record<string, string | number>][] = [
  ['Text with a capital', '1f0', `id:1f0 ${STANDARD} Text: . . . . . . . . .`],
  [
    'dates with seconds',
    '64567',
    'id:64567 sub:001 dlvrd:001 submit date:190608165232 done date:190608165237 stat:DELIVRD err:000 text:Hello World',
  ],
  [
    'an id with hyphens',
    '7a1c7b22-6f0e-4a53-9be1-95d1a2a3b6aa',
    `id:7a1c7b22-6f0e-4a53-9be1-95d1a2a3b6aa ${STANDARD}`,
  ],
  [
    'neither sub nor dlvrd',
    '1526758174',
    'id:1526758174 submit date:1701240904 done date:1701240904 stat:DELIVRD err:000 text:hellow',
  ],
  ['only an id and a state', '0654354026', 'id:0654354026 stat:DELIVRD'],
  ['another order', 'o1', 'stat:DELIVRD err:000 id:o1'],
  ['line breaks', 'l1', 'id:l1\r\nstat:DELIVRD\r\nerr:0'],
  ['words of a person at its end', 'w1', 'id:w1 stat:DELIVRD err:000 text:id:evil stat:UNDELIV'],
  ['blanks behind colons', 'b1', 'id: b1 sub: 001 stat: DELIVRD err: 0'],
  ['a NUL at the end', 'n1', 'id:n1 sub:001 err:000 stat:DELIVRD\0'],
  ['a NUL behind its text', 'n2', `id:n2 ${STANDARD} text:\0`],
  [
    'commas',
    'c1',
    'id:c1,sub:001,dlvrd:001,submit date:2611211200,done date:2611211201,stat:DELIVRD,err:000',
  ],
  ['semicolons', 'c2', 'id:c2;sub:001;stat:DELIVRD;err:000;'],
  ['equals signs', 'e1', 'id=e1 sub=001 dlvrd=001 stat=DELIVRD err=000 text='],
  ['quotes', 'q1', 'id:"q1" sub:"001" stat:"DELIVRD" err:"000"'],
  ['single quotes', 'q2', "id:'q2' stat:'DELIVRD' err:'000'"],
  ['msgid and status', 'm1', 'msgid:m1 status:DELIVRD err:000'],
  ['message_id, with the underscore of GSM-7', 'm_2', 'message\x11id:m\x112 status:DELIVERED'],
  ['JSON', 'j1', '{"id":"j1","stat":"DELIVRD","err":"000"}'],
  ['a state as a number', 's1', 'id:s1 sub:001 dlvrd:001 stat:2 err:000'],
  ['a state in full', 's2', 'id:s2 stat:Delivered'],
  ['capitals throughout', 'k1', 'ID:k1 SUB:001 DLVRD:001 STAT:DELIVRD ERR:000 TEXT:'],
  ['UCS-2', 'u1', ucs2(`id:u1 ${STANDARD}`), { data_coding: 8 }],
  ['UCS-2 that is said to be something else', 'u2', ucs2(`id:u2 ${STANDARD}`)],
  ['TLVs and no text', 't1', '', ofTlv('t1')],
  ['a TLV whose state says more than the text', 't3', 'id:t3 stat:ENROUTE', ofTlv('t3')],
]

describe('delivery receipts of SMPP', () => {
  const ofStandard = (stat: string, err = '000') =>
    `id:abc1 sub:001 dlvrd:001 submit date:2611211200 done date:2611211201 stat:${stat} err:${err} text:Hello`

  for (const [stat, status, carrierCode] of [
    ['DELIVRD', 'delivered', undefined],
    ['ACCEPTD', 'sent', undefined],
    ['EXPIRED', 'failed', 'EXPIRED/001'],
    ['DELETED', 'failed', 'DELETED/001'],
    ['UNDELIV', 'failed', 'UNDELIV/001'],
    ['REJECTD', 'failed', 'REJECTD/001'],
  ] as const) {
    it(`${stat} in the text means ${status}`, () => {
      const read = readReceipt(receipt(ofStandard(stat, '001')), settings)
      expect(read).to.include({ carrierMessageId: 'abc1', status })
      expect(read?.carrierCode).to.equal(carrierCode)
      expect(typeof read?.error).to.equal(status === 'failed' ? 'string' : 'undefined')
    })
  }

  for (const [state, status] of [
    [2, 'delivered'],
    [3, 'failed'],
    [4, 'failed'],
    [5, 'failed'],
    [6, 'sent'],
    [8, 'failed'],
  ] as const) {
    it(`message_state ${state} means ${status}`, () => {
      const pdu = deliverSm({ esm_class: 4, receipted_message_id: 'abc1', message_state: state })
      expect(readReceipt(pdu, settings)).to.include({ carrierMessageId: 'abc1', status })
    })
  }

  for (const [what, id, text, fields] of FORMS) {
    it(`reads this form, whether it is marked as a receipt or not: ${what}`, () => {
      for (const esm_class of [4, 0]) {
        const pdu = receipt(text, { source_addr: '15005550101', esm_class, ...fields })
        const read = isReceipt(pdu) ? readReceipt(pdu, settings) : readUnmarkedReceipt(pdu, settings)
        expect(read).to.include({ carrierMessageId: id, status: 'delivered' })
      }
    })
  }

  for (const [what, pdu] of [
    ['ENROUTE', receipt(ofStandard('ENROUTE'))],
    ['UNKNOWN', receipt(ofStandard('UNKNOWN'))],
    ['an intermediate notification', receipt(ofStandard('DELIVRD'), { esm_class: 0x20 })],
    ['a text of another form', receipt('Your message was delivered')],
    ['nothing', receipt('')],
    ['a state that nobody knows', deliverSm({ esm_class: 4, receipted_message_id: 'a', message_state: 77 })],
  ] as const) {
    it(`has nothing to learn from ${what}`, () => {
      expect(isReceipt(pdu)).to.equal(true)
      expect(readReceipt(pdu, settings)).to.equal(undefined)
    })
  }

  describe('have the SMSC’s own errors', () => {
    const network = (type: number, error: number) => Buffer.from([type, error >> 8, error & 0xff])
    const mapped = settingsOf(
      { port: 1 },
      { receiptErrors: '027 0x1c 21b unreachable\n\n  2050   invalid_number \n4001 blocked_by_carrier' },
    )
    const read = (text: string, tlv?: Buffer, of = mapped) =>
      readReceipt(receipt(text, tlv === undefined ? {} : { network_error_code: tlv }), of)

    for (const [what, err, code, reason] of [
      ['as the account’s settings write it', '027', '027', 'unreachable'],
      ['without zeros', '27', '27', 'unreachable'],
      ['with more of them', '00027', '00027', 'unreachable'],
      ['in hex', '0x1B', '0x1B', 'unreachable'],
      ['in decimal where the settings have hex', '28', '28', 'unreachable'],
      ['with letters, in the other case', '21B', '21B', 'unreachable'],
      ['in quotes', '"27"', '27', 'unreachable'],
      ['of four digits', '4001', '4001', 'blocked_by_carrier'],
    ] as const) {
      it(`${what}: the settings say the reason`, () => {
        const { carrierCode, carrierReason, error } = read(ofStandard('UNDELIV', err)) ?? {}
        expect({ carrierCode, carrierReason, error }).to.deep.equal({
          carrierCode: `UNDELIV/${code}`,
          carrierReason: reason,
          error: 'undeliverable',
        })
      })
    }

    for (const [what, text, tlv, code, reason] of [
      ['only in network_error_code', 'id:a stat:UNDELIV', network(3, 27), '27', 'unreachable'],
      [
        'only there, with zeros in the text',
        ofStandard('UNDELIV'),
        network(3, 2050),
        '2050',
        'invalid_number',
      ],
      ['in both, one of them known', ofStandard('UNDELIV', '099'), network(8, 27), '27', 'unreachable'],
      ['in both, both known', ofStandard('UNDELIV', '027'), network(8, 2050), '027', 'unreachable'],
      ['in both, none known', ofStandard('UNDELIV', '099'), network(3, 98), '099', undefined],
      ['in the TLV as three characters', 'id:a stat:UNDELIV', Buffer.from('21b'), '21b', 'unreachable'],
      ['as four, with a NUL', 'id:a stat:UNDELIV', Buffer.from('0027\0'), '0027', 'unreachable'],
    ] as const) {
      it(`${what}: it is ${code}`, () => {
        expect(read(text, tlv)).to.deep.include({ carrierCode: `UNDELIV/${code}` })
        expect(read(text, tlv)?.carrierReason).to.equal(reason)
      })
    }

    for (const [err, words] of [
      ['099', "undeliverable (the SMSC's code 099)"],
      ['ABC', "undeliverable (the SMSC's code ABC)"],
      ['9'.repeat(200), `undeliverable (the SMSC's code ${'9'.repeat(20)})`],
    ] as const) {
      it(`that the settings do not list, it is shown as it is: ${err.slice(0, 10)}`, () => {
        expect(read(`id:a stat:UNDELIV err:${err}`)).to.include({ error: words })
        expect(read(`id:a stat:UNDELIV err:${err}`)).to.not.have.property('carrierReason')
      })
    }

    for (const [what, text, tlv] of [
      ['000', ofStandard('UNDELIV'), undefined],
      ['0', 'id:a stat:UNDELIV err:0', undefined],
      ['nothing', 'id:a stat:UNDELIV', undefined],
      ['zeros in both', ofStandard('UNDELIV'), network(0, 0)],
      ['a TLV that is too short', ofStandard('UNDELIV'), Buffer.from([3, 27])],
    ] as const) {
      it(`and there is none in ${what}`, () => {
        expect(read(text, tlv)).to.include({ carrierCode: 'UNDELIV', error: 'undeliverable' })
      })
    }

    it('which mean nothing in a receipt of success', () => {
      expect(read(ofStandard('DELIVRD', '027'))).to.not.have.any.keys('carrierCode', 'carrierReason', 'error')
    })
  })

  it('takes for a receipt only what the SMSC says is one: a person may write the same words', () => {
    expect(isReceipt(receipt(ofStandard('DELIVRD'), { esm_class: 0 }))).to.equal(false)
    expect(isReceipt(receipt(ofStandard('DELIVRD'), { esm_class: 0x40 }))).to.equal(false)
    expect(isReceipt(deliverSm({ receipted_message_id: 'a', message_state: 2 }))).to.equal(true)
  })

  for (const [receiptIds, inText, inTlv, expected] of [
    ['as-sent', '00A1', undefined, '00A1'],
    ['hex-to-decimal', '0000000161', undefined, '161'],
    ['hex-to-decimal', undefined, 'A1', '161'],
    ['hex-to-decimal', '161', 'A1', '161'],
    ['decimal-to-hex', '00A1', undefined, 'a1'],
    ['decimal-to-hex', undefined, '161', 'a1'],
    ['hex-to-decimal', 'not-a-number', undefined, 'not-a-number'],
  ] as const) {
    it(`${receiptIds}: ${inText ?? 'no id'} in the text and ${inTlv ?? 'none'} beside it is ${expected}`, () => {
      const pdu = receipt(inText === undefined ? '' : `id:${inText} stat:DELIVRD`, {
        ...(inTlv === undefined ? {} : { receipted_message_id: inTlv, message_state: 2 }),
      })
      expect(readReceipt(pdu, { ...settings, receiptIds })?.carrierMessageId).to.equal(expected)
    })
  }
})
