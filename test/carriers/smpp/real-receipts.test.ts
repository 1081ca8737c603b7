import { expect } from 'chai'
import { smpp } from '../../../src/carriers/smpp/package.js'
import { createPduReader } from '../../../src/carriers/smpp/pdu.js'
import { isReceipt, readReceipt, unclearReceipt } from '../../../src/carriers/smpp/receipts.js'
import { settingsOf } from './fixtures.js'

const settings = settingsOf({ port: 1 })

interface Written {
  by: string
  /** Where it was published. */
  source: string
  text: string
  tlvs?: Record<string, string | number | Buffer>
  read: { carrierMessageId: string; status: string; carrierCode?: string } | undefined
}

/** Receipts as other systems write them, mostly of failures: by their sources, their manuals, and reports of users. */
const WRITTEN: Written[] = [
  {
    by: 'Jasmin, which leaves out sub, dlvrd and text',
    source: 'https://github.com/jookies/jasmin/blob/master/jasmin/protocols/smpp/operations.py (getReceipt)',
    text: 'id:4b1ea1f4-6a4f-4b0c-a9b1-2c9c3d2f0d15 submit date:2611211200 done date:2611211201 stat:UNDELIV err:99',
    tlvs: { receipted_message_id: '4b1ea1f4-6a4f-4b0c-a9b1-2c9c3d2f0d15', message_state: 5 },
    read: {
      carrierMessageId: '4b1ea1f4-6a4f-4b0c-a9b1-2c9c3d2f0d15',
      status: 'failed',
      carrierCode: 'UNDELIV/99',
    },
  },
  {
    by: "Kannel's opensmppbox, which pads the text with blanks on the left",
    source: 'opensmppbox.c: "id:%S sub:001 dlvrd:%S submit date:%s done date:%s stat:%S err:%s text:%12s"',
    text: 'id:577e505a-dbd7-46ab-a04c-5a927ffb85b1 sub:001 dlvrd:000 submit date:2408201338 done date:240820093823 stat:REJECTD err:00B text:         You',
    tlvs: { receipted_message_id: '577e505a-dbd7-46ab-a04c-5a927ffb85b1', message_state: 8 },
    read: {
      carrierMessageId: '577e505a-dbd7-46ab-a04c-5a927ffb85b1',
      status: 'failed',
      carrierCode: 'REJECTD/00B',
    },
  },
  {
    by: 'cloudhopper',
    source: 'https://github.com/twitter-archive/cloudhopper-smpp, DeliveryReceiptTest',
    text: 'id:0123456789 sub:002 dlvrd:001 submit date:1005232039 done date:1005242339 stat:UNDELIV err:012 text:This is a sample mes',
    read: { carrierMessageId: '0123456789', status: 'failed', carrierCode: 'UNDELIV/012' },
  },
  {
    by: 'cloudhopper, with fields in another order',
    source: 'https://github.com/twitter-archive/cloudhopper-smpp, DeliveryReceiptTest',
    text: 'sub:001 id:74e02ee1-4e2f-4a6e-a78b-4b247d756a22 err:044 dlvrd:001 done date:110206193110 submit date:110206193041 stat:EXPIRED text:',
    read: {
      carrierMessageId: '74e02ee1-4e2f-4a6e-a78b-4b247d756a22',
      status: 'failed',
      carrierCode: 'EXPIRED/044',
    },
  },
  {
    by: 'smscsim, which has dots in place of the text',
    source: 'https://github.com/ukarim/smscsim',
    text: 'id:32 sub:001 dlvrd:000 submit date:2611211200 done date:2611211201 stat:UNDELIV err:069 Text:...',
    read: { carrierMessageId: '32', status: 'failed', carrierCode: 'UNDELIV/069' },
  },
  {
    by: 'an SMSC whose dlvrd is 28',
    source: 'https://github.com/farhadi/node-smpp/issues/77',
    text: 'id:45013692 sub:0 dlvrd:28 submit date:1908121157 done date:1908121158 stat:UNDELIV err:21 Text:*100#',
    read: { carrierMessageId: '45013692', status: 'failed', carrierCode: 'UNDELIV/21' },
  },
  {
    by: 'an SMSC that writes absolute times',
    source: 'https://github.com/funbox/smppex/issues/46',
    text: 'id:rdwjwxns18krxr9936ey96ymcw sub:000 dlvrd:000 submit date:180711070003912+ done date:180711070000012+ stat:UNDELIV err:000',
    read: { carrierMessageId: 'rdwjwxns18krxr9936ey96ymcw', status: 'failed', carrierCode: 'UNDELIV' },
  },
  {
    by: 'an SMSC that gives the IMSI and the network after the error',
    source: 'a client of Kannel that quotes it: "stat:UNDELIV err:001 IMSI: MSC: ORN:VipNet MCCMNC:"',
    text: 'id:40072910491419819 sub:001 dlvrd:001 submit date:1007291049 done date:1007291049 stat:UNDELIV err:001 IMSI: MSC: ORN:VipNet MCCMNC:',
    read: { carrierMessageId: '40072910491419819', status: 'failed', carrierCode: 'UNDELIV/001' },
  },
  {
    by: 'Clickatell, with seconds',
    source: 'https://github.com/jookies/jasmin/issues/70',
    text: 'id:a29f6845555647139e5c8f3b817f2c9a sub:001 dlvrd:001 submit date:141023215253 done date:141023215259 stat:DELIVRD err:000 text:',
    read: { carrierMessageId: 'a29f6845555647139e5c8f3b817f2c9a', status: 'delivered' },
  },
  {
    by: 'Vonage, whose state has six letters',
    source: 'https://api.support.vonage.com/hc/en-us/articles/204015663',
    text: 'id:2a1f0f1d sub:001 dlvrd:000 submit date:2609051430 done date:2609051447 stat:FAILED err:051 text:none',
    read: { carrierMessageId: '2a1f0f1d', status: 'failed', carrierCode: 'UNDELIV/051' },
  },
  {
    by: 'Telesign, whose error is hexadecimal and whose message_state the text has no word for',
    source: 'https://developer.telesign.com/enterprise/docs/sms-smpp-tlvs',
    text: 'id:e9ca671b2497d778d771938333dc0c52 sub:001 dlvrd:000 submit date:260905143000 done date:260905143010 stat:UNKNOWN err:4A6 text:',
    tlvs: { receipted_message_id: 'e9ca671b2497d778d771938333dc0c52', message_state: 9 },
    read: {
      carrierMessageId: 'e9ca671b2497d778d771938333dc0c52',
      status: 'failed',
      carrierCode: 'SKIPPED/4A6',
    },
  },
  {
    by: 'an SMSC whose dates have names of one word',
    source: 'a gateway that documents "submit:<smppdate>"',
    text: 'id:8812 sub:001 dlvrd:001 submit:2611211200 done date:2611211201 stat:DELIVRD err:000 Text:Hi',
    read: { carrierMessageId: '8812', status: 'delivered' },
  },
  ...(
    [
      ['NOCRED', '0', { status: 'failed', carrierCode: 'NOCRED' }],
      ['SYSERR', '500', { status: 'failed', carrierCode: 'SYSERR/500' }],
      ['BUFFRED', '0', undefined],
    ] as const
  ).map(([stat, err, read]): Written => ({
    by: `SMS Central, with the state ${stat}`,
    source: 'https://www.smscentral.com.au/sms-api/smpp/receive-dlrs/',
    text: `id:9f1 sub:001 dlvrd:000 submit date:2611211200 done date:2611211201 stat:${stat} err:${err} text:`,
    read: read && { carrierMessageId: '9f1', ...read },
  })),
  ...['ACKED', 'BUFFERD'].map((stat): Written => ({
    by: `an SMSC that Kannel knows, with the state ${stat}`,
    source: 'https://github.com/pruiz/kannel/blob/master/gw/smsc/smsc_smpp.c',
    text: `id:9f1 sub:001 dlvrd:000 submit date:2611211200 done date:2611211201 stat:${stat} err:000 text:`,
    read: undefined,
  })),
  {
    by: 'Ozeki, with the state NACK',
    source: 'https://www.voip-sip-sdk.com/p_2628-smpp-error-codes.html',
    text: 'id:9f2 stat:NACK err:3',
    read: { carrierMessageId: '9f2', status: 'failed', carrierCode: 'REJECTD/3' },
  },
]

describe('receipts as other systems write them', () => {
  for (const { by, source, text, tlvs = {}, read } of WRITTEN) {
    it(`${by} (${source})`, () => {
      const fields = { esm_class: 4, data_coding: 0, short_message: Buffer.from(text), ...tlvs }
      const pdu = new smpp.PDU(new smpp.PDU('deliver_sm', fields).toBuffer())
      expect(isReceipt(pdu)).to.equal(true)
      expect(unclearReceipt(pdu)).to.equal(undefined)
      const found = readReceipt(pdu, settings)
      if (read === undefined) expect(found).to.equal(undefined)
      else expect(found).to.include(read)
      if (found !== undefined && read?.carrierCode === undefined)
        expect(found).to.not.have.property('carrierCode')
    })
  }

  for (const [what, source, body, read] of [
    [
      'an id in decimal in the text, and in hex in the TLV',
      'cloudhopper-smpp, DeliveryReceiptTest, parseRealWorldReceipt0',
      '00010134343935313336313932300001013430343034000400000000000000006E69643A30303539313133393738207375623A30303120646C7672643A303031207375626D697420646174653A3130303231303137333020646F6E6520646174653A3130303231303137333120737461743A44454C49565244206572723A30303020746578743A4024232125262F3A000E0001010006000101001E000833383630316661000427000102',
      { carrierMessageId: '38601fa', status: 'delivered' },
    ],
    [
      'an error of four digits, an escape in the text, and TLVs of its own',
      'https://github.com/onlinecity/php-smpp/issues/70',
      '000101393137303133313033303330000500414d41525654000400000000000000007b69643a313137303632373134323434373938323631207375623a30303120646c7672643a303031207375626d697420646174653a3137303632373136323420646f6e6520646174653a3137303632373136323420737461743a44454c49565244206572723a3030303020746578743a481b656c6c6f20776f726c640423000303000014540004000000011418000400000000',
      { carrierMessageId: '117062714244798261', status: 'delivered' },
    ],
  ] as const) {
    it(`in whole PDUs: ${what} (${source})`, () => {
      const bytes = Buffer.alloc(16 + body.length / 2)
      bytes.write(body, 16, 'hex')
      for (const [index, value] of [bytes.length, 5, 0, 2].entries()) bytes.writeUInt32BE(value, 4 * index)
      const [received] = createPduReader()(bytes)
      const pdu = received?.pdu
      if (pdu === undefined) throw new Error('it cannot be read')
      expect(readReceipt(pdu, settings)).to.include(read)
    })
  }

  for (const [text, why] of [
    ['id:1 stat:LOVELY err:000', 'a receipt with the state "LOVELY"'],
    ['Your message was delivered', 'a receipt without a state'],
    ['id:1 stat: err:000', 'a receipt without a state'],
    ['sub:001 stat:DELIVRD err:000', 'a receipt without a message ID'],
  ] as const) {
    it(`cannot be read if they say ${text}`, () => {
      const pdu = new smpp.PDU('deliver_sm', { esm_class: 4, short_message: Buffer.from(text) })
      expect(unclearReceipt(new smpp.PDU(pdu.toBuffer()))).to.equal(why)
    })
  }
})
