import { expect } from 'chai'
import { readText } from '../../../src/carriers/smpp/inbound.js'
import { smpp } from '../../../src/carriers/smpp/package.js'
import type { Pdu } from '../../../src/carriers/smpp/pdu.js'
import { readReceipt } from '../../../src/carriers/smpp/receipts.js'
import { openSession, type Session } from '../../../src/carriers/smpp/session.js'
import { until } from '../../helpers/until.js'
import { LOOPBACK, QUICK, settingsOf } from './fixtures.js'
import { pdu, startRawSmsc, type RawSmsc } from './raw-smsc.js'

const DELIVER_SM = '00000005'
const DATA_SM = '00000103'

const hex = (text: string) => Buffer.from(text, 'latin1').toString('hex')
/** From +4915112345678 to +15550000001: service type, two addresses. */
const ADDRESSES = `00 01 01 ${hex('4915112345678')}00 01 01 ${hex('15550000001')}00`
/** esm_class, protocol, priority, two times, receipt, replace, data_coding, default message, length, text. */
const HELLO = `${ADDRESSES} 00 00 00 00 00 00 00 00 00 05 ${hex('Hello')}`

/** What our side writes is compared byte by byte, with the tables of the SMPP 3.4 specification. */
describe('SMPP, byte by byte', () => {
  let smsc: RawSmsc
  let session: Session
  let delivered: Pdu[]
  let status: string | undefined
  const settings = () => settingsOf(smsc)

  beforeEach(async () => {
    smsc = await startRawSmsc()
    delivered = []
    status = 'ESME_ROK'
    session = await openSession({
      settings: settings(),
      hosts: LOOPBACK,
      bindAs: 'transceiver',
      timeouts: QUICK,
      onDelivery: (taking, pdu) => {
        delivered.push(pdu)
        taking.answer({ command: pdu.command, sequence: pdu.sequence_number }, status)
      },
    })
  })
  afterEach(async () => {
    session.end(new Error('over'))
    await smsc.close()
  })

  async function answerTo(...pdus: string[]): Promise<string[]> {
    for (const each of pdus) smsc.write(each)
    await until('each is answered', () => smsc.received.length >= pdus.length)
    return smsc.received
  }

  for (const [given, code] of [
    ['ESME_ROK', '00000000'],
    ['ESME_RX_P_APPN', '00000065'],
    ['ESME_RX_T_APPN', '00000064'],
  ] as const) {
    it(`a deliver_sm is answered ${given} with a message_id, which is NULL: 17 bytes`, async () => {
      status = given
      expect(await answerTo(pdu(DELIVER_SM, 7, HELLO))).to.deep.equal([`0000001180000005${code}0000000700`])
    })

    it(`a data_sm is answered ${given} with a message_id, which is NULL: 17 bytes`, async () => {
      status = given
      const body = `${ADDRESSES} 00 00 00 0424 0005 ${hex('Hello')}`
      expect(await answerTo(pdu(DATA_SM, 8, body))).to.deep.equal([`0000001180000103${code}0000000800`])
    })
  }

  it('other requests are answered in 16 bytes', async () => {
    expect(await answerTo(pdu('00000015', 9, ''))).to.deep.equal(['00000010800000150000000000000009'])
  })

  it('a data_sm is read as a deliver_sm is', async () => {
    await answerTo(
      pdu(DELIVER_SM, 1, HELLO),
      pdu(DATA_SM, 2, `${ADDRESSES} 00 00 00 0424 0005 ${hex('Hello')}`),
    )
    const [deliverSm, dataSm] = delivered.map((each) => readText(each, settings()))
    expect(dataSm).to.deep.equal(deliverSm)
    expect(String(dataSm?.body.bytes)).to.equal('Hello')
  })

  it('a receipt may be a data_sm that has nothing but TLVs', async () => {
    await answerTo(pdu(DATA_SM, 1, `${ADDRESSES} 04 00 00 001e 0005 ${hex('id42')}00 0427 0001 02`))
    expect(readReceipt(delivered[0]!, settings())).to.include({
      carrierMessageId: 'id42',
      status: 'delivered',
    })
  })

  it('a text in a TLV ends with the TLV, also where the SMSC has forgotten its NUL', async () => {
    await answerTo(pdu(DELIVER_SM, 1, `${HELLO} 001e 0004 ${hex('id42')} 0427 0001 02`))
    expect(delivered[0]).to.include({ receipted_message_id: 'id42', message_state: 2 })
  })

  for (const [what, id, body] of [
    ['a deliver_sm that says more text than it has', DELIVER_SM, HELLO.replace(/05 (?=48)/, '09 ')],
    ['a deliver_sm that ends before its text', DELIVER_SM, ADDRESSES],
    ['a deliver_sm without anything', DELIVER_SM, ''],
    ['a deliver_sm whose address has no end', DELIVER_SM, `00 01 01 ${hex('4915112345678')}`],
    ['a deliver_sm whose TLV is longer than it', DELIVER_SM, `${HELLO} 0424 00ff 4141`],
    ['a deliver_sm whose number in a TLV is cut', DELIVER_SM, `${HELLO} 020c 0002 01`],
    ['a data_sm that ends in its addresses', DATA_SM, `00 01 01 ${hex('49151')}00 01`],
    ['a data_sm whose text is longer than it', DATA_SM, `${ADDRESSES} 00 00 00 0424 0009 ${hex('Hello')}`],
  ] as const) {
    it(`${what} is refused as unreadable, and nobody gets it`, async () => {
      expect(await answerTo(pdu(id, 7, body))).to.deep.equal(['00000010800000000000000200000007'])
      expect(delivered).to.deep.equal([])
      expect(session.isOpen()).to.equal(true)
    })
  }

  const payloadOf = (length: number) =>
    `${ADDRESSES} 00 00 00 0424 ${length.toString(16).padStart(4, '0')} ${'41'.repeat(length)}`

  it('a text of 64 KiB is read', async () => {
    await answerTo(pdu(DATA_SM, 7, payloadOf(0xffff)))
    expect(readText(delivered[0]!, settings()).body.bytes).to.have.length(0xffff)
  })

  it('one that is longer than any text is skipped and refused, and what comes after it is read', async () => {
    const tooLong = pdu(DATA_SM, 7, `${payloadOf(0xffff)} 1400 ffff ${'42'.repeat(0xffff)}`)
    // It ends within a packet, so that the next PDU follows in the same.
    smsc.write(tooLong.slice(0, 100_000))
    expect(await answerTo(tooLong.slice(100_000) + pdu(DELIVER_SM, 8, HELLO), '')).to.deep.equal([
      '00000010800000000000000200000007',
      '0000001180000005000000000000000800',
    ])
    expect(delivered).to.have.length(1)
    expect(session.isOpen()).to.equal(true)
  })

  it('one that we fail at by a fault of our own is not refused: the session ends, and the SMSC keeps it', async () => {
    const payload = smpp.tlvs.message_payload!
    const { type } = payload
    payload.type = {
      ...type,
      read: () => {
        throw new ReferenceError('skipUdh is not defined')
      },
    }
    try {
      smsc.write(pdu(DATA_SM, 7, `${ADDRESSES} 00 00 00 0424 0005 ${hex('Hello')}`))
      expect((await session.ended).message).to.equal('skipUdh is not defined')
    } finally {
      payload.type = type
    }
    expect(smsc.received).to.deep.equal([])
  })

  it('an id that nobody has is refused as such', async () => {
    expect(await answerTo(pdu('00000777', 8, ''))).to.deep.equal(['00000010800000000000000300000008'])
  })

  it('an alert_notification has no answer', async () => {
    const alert = pdu('00000102', 3, `01 01 ${hex('4915112345678')}00 01 01 ${hex('15550000001')}00`)
    smsc.write(alert)
    expect(await answerTo(pdu('00000015', 4, ''))).to.deep.equal(['00000010800000150000000000000004'])
  })

  it('bytes behind the last TLV that are too few for another do no harm', async () => {
    await answerTo(pdu(DELIVER_SM, 1, `${HELLO} 00 00`))
    expect(delivered).to.have.length(1)
  })
})

describe('SMPP, byte by byte, where nobody takes what an SMSC brings', () => {
  it('a deliver_sm has no answer, so that the SMSC keeps it', async () => {
    const smsc = await startRawSmsc()
    const settings = settingsOf(smsc)
    const session = await openSession({ settings, hosts: LOOPBACK, bindAs: 'receiver', timeouts: QUICK })
    smsc.write(pdu(DELIVER_SM, 1, HELLO))
    smsc.write(pdu('00000015', 2, ''))
    await until('what came after it is answered', () => smsc.received.length > 0)
    expect(smsc.received).to.deep.equal(['00000010800000150000000000000002'])
    session.end(new Error('over'))
    await smsc.close()
  })
})
