import { expect } from 'chai'
import { startSmsc } from '../../../dev/smsc/server.js'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
  type OutboundMessage,
} from '../../../src/carriers/carrier.js'
import { NotBound } from '../../../src/carriers/smpp/connect.js'
import { openSession } from '../../../src/carriers/smpp/session.js'
import { smppSettings } from '../../../src/carriers/smpp/settings.js'
import { createSmpp } from '../../../src/carriers/smpp/smpp.js'
import { statusCode } from '../../../src/carriers/smpp/status.js'
import { failure } from '../../helpers/failure.js'
import { until } from '../../helpers/until.js'
import { anyMessage } from '../conformance.js'
import { LOOPBACK, QUICK, settingsOf } from './fixtures.js'
import { pdu, startRawSmsc, type RawSmsc } from './raw-smsc.js'

/** A `submit_sm` as the specification lays it out (SMPP 3.4 §4.4.1), read without the package that wrote it. */
function readSubmit(hex: string) {
  const bytes = Buffer.from(hex, 'hex')
  let at = 16
  const text = () => {
    const end = bytes.indexOf(0, at)
    const read = bytes.toString('latin1', at, end)
    at = end + 1
    return read
  }
  const octet = () => bytes[at++] ?? 0
  const fields = {
    sequence: bytes.readUInt32BE(12),
    serviceType: text(),
    source: [octet(), octet(), text()],
    destination: [octet(), octet(), text()],
    esmClass: octet(),
    protocolId: octet(),
    priority: octet(),
    schedule: text(),
    validity: text(),
    registeredDelivery: octet(),
    replaceIfPresent: octet(),
    dataCoding: octet(),
    defaultMessage: octet(),
  }
  const length = octet()
  at += length
  const tlvs: [tag: number, value: string][] = []
  while (at < bytes.length) {
    const end = at + 4 + bytes.readUInt16BE(at + 2)
    tlvs.push([bytes.readUInt16BE(at), bytes.toString('hex', at + 4, end)])
    at = end
  }
  return { ...fields, tlvs, isWhole: at === bytes.length && bytes.readUInt32BE(0) === bytes.length }
}

describe('what an SMPP account says besides', () => {
  let smsc: RawSmsc

  before(async () => {
    smsc = await startRawSmsc()
  })

  after(() => smsc.close())

  /** The bytes of a `submit_sm` over a socket, answered with a status. */
  async function submit(given: Record<string, unknown>, message: Partial<OutboundMessage> = {}, status = 0) {
    const settings = settingsOf(smsc, given)
    const session = await openSession({ settings, hosts: LOOPBACK, bindAs: 'transceiver', timeouts: QUICK })
    const before = smsc.received.length
    const sending = createSmpp('smpp', settings, { hosts: LOOPBACK, sessions: session }).send(
      anyMessage({ text: 'Hello', ...message }),
      AbortSignal.timeout(20_000),
    )
    const outcome = sending.then(
      () => undefined,
      (error: unknown) => error,
    )
    try {
      const hex = await Promise.race([
        until('no submit_sm came', () =>
          smsc.received.slice(before).find((each) => each.startsWith('00000004', 8)),
        ),
        outcome.then(() => undefined),
      ])
      if (hex === undefined) return { error: await outcome }
      const read = readSubmit(hex)
      const answer = Buffer.from(pdu('80000004', read.sequence, Buffer.from('id\0')), 'hex')
      answer.writeUInt32BE(status, 8)
      smsc.write(answer.toString('hex'))
      return { read, error: await outcome }
    } finally {
      await session.close()
    }
  }

  it('is nothing, unless it is set', async () => {
    const { read } = await submit({})
    expect(read).to.deep.include({
      ...{ serviceType: '', priority: 0, validity: '', registeredDelivery: 1, dataCoding: 0 },
      ...{ tlvs: [], isWhole: true },
    })
  })

  it('has service_type, priority and the receipts that the account wants', async () => {
    const { read } = await submit({ serviceType: 'OTP', priority: 2, receipts: 'failures' })
    expect(read).to.include({ serviceType: 'OTP', priority: 2, registeredDelivery: 2 })
    expect((await submit({ receipts: 'none' })).read?.registeredDelivery).to.equal(0)
  })

  for (const [expiresInMs, validity] of [
    [5_400_000, '000000013000000R'],
    [1, '000000000001000R'],
    [90_061_000, '000001010101000R'],
    [400 * 86_400_000, '000099000000000R'],
  ] as const) {
    it(`says that a text expires in ${expiresInMs} ms as ${validity}`, async () => {
      expect((await submit({}, { expiresInMs })).read?.validity).to.equal(validity)
      expect((await submit({ validity: false }, { expiresInMs })).read?.validity).to.equal('')
    })
  }

  it('has the type of number and the numbering plan of each kind of sender, and of short codes it goes to', async () => {
    const fromNumber = 'Clinic'
    expect((await submit({}, { fromNumber })).read?.source).to.deep.equal([5, 0, 'Clinic'])
    const short = { fromNumber: '40404', toNumber: '123' }
    expect((await submit({}, short)).read).to.deep.include({
      source: [3, 0, '40404'],
      destination: [3, 0, '123'],
    })
    const settings = { shortCodeTon: 6, shortCodeNpi: 9, nameTon: 5, nameNpi: 1, plusSign: true }
    expect((await submit(settings, short)).read).to.deep.include({
      source: [6, 9, '40404'],
      destination: [6, 9, '123'],
    })
    const { read } = await submit(settings, { fromNumber, toNumber: '+15005550199' })
    expect(read).to.deep.include({ source: [5, 1, 'Clinic'], destination: [1, 1, '+15005550199'] })
  })

  it('has the data_coding that the SMSC wants', async () => {
    const codings = { gsmDataCoding: 0xf1, unicodeDataCoding: 0x18 }
    expect((await submit(codings)).read?.dataCoding).to.equal(0xf1)
    expect((await submit(codings, { text: 'Привет' })).read?.dataCoding).to.equal(0x18)
  })

  it('has further fields of the account and of the message, such as those of DLT in India', async () => {
    const tlvs =
      'entityId 0x1400 text 1101\ntemplateId 0x1401 cstring\nchain 5122 int16 258\nraw 0x1403 hex 00ff'
    const { read } = await submit({ tlvs }, { options: { templateId: '1107', other: 'nobody knows it' } })
    expect(read).to.deep.include({
      tlvs: [
        [0x1400, '31313031'],
        [0x1401, '3131303700'],
        [5122, '0102'],
        [0x1403, '00ff'],
      ],
      isWhole: true,
    })
    expect((await submit({ tlvs })).read?.tlvs.map(([tag]) => tag)).to.deep.equal([0x1400, 5122, 0x1403])
    const long = await submit({ tlvs, longMessages: 'payload' }, { text: 'x'.repeat(200) })
    expect(long.read?.tlvs.map(([tag]) => tag)).to.deep.equal([0x0424, 0x1400, 5122, 0x1403])
    const { error } = await submit({ tlvs }, { options: { chain: 'many' } })
    expect(error)
      .to.be.instanceOf(CarrierRejected)
      .with.property('message')
      .that.includes('carrierOptions.chain')
  })

  for (const [rule, expected] of [
    ['1042 throttled', CarrierThrottled],
    ['0x412 unavailable', CarrierUnavailable],
    ['0x0412 rejected', CarrierRejected],
    ['0x0412 unknown', CarrierOutcomeUnknown],
  ] as const) {
    it(`takes the SMSC's own status as the account says: ${rule}`, async () => {
      expect((await submit({ statuses: rule }, {}, 0x412)).error).to.be.instanceOf(expected)
    })
  }

  it("knows why the SMSC's own status refused, where the account says it", async () => {
    const statuses = '0x0412 rejected no_credit\n0x0413 rejected'
    for (const [status, carrierReason] of [
      [0x412, 'no_credit'],
      [0x413, undefined],
    ] as const) {
      const { error } = await submit({ statuses }, {}, status)
      expect(error).to.be.instanceOf(CarrierRejected).with.property('carrierReason', carrierReason)
    }
  })

  it('lets another route have what is refused for a reason of the account', async () => {
    const { error } = await submit({ statuses: '0x0b account' }, {}, statusCode('ESME_RINVDSTADR'))
    expect(error).to.be.instanceOf(CarrierRejected).with.property('isOfAccount', true)
  })

  for (const [field, value, fault] of [
    ['tlvs', 'entityId 0x1400', /a name, a tag, a type/],
    ['tlvs', 'entityId 0x1400 int8 256', /256 is not an int8/],
    ['tlvs', 'entityId 0x14000 text a', /a name, a tag, a type/],
    ['statuses', '0x412 later', /throttled, unavailable/],
    ['statuses', '0 rejected', /other than 0/],
    [
      'statuses',
      '0x412 rejected poor',
      /can have a reason only after rejected or account, and it must be one of invalid_number/,
    ],
    ['statuses', '0x412 throttled no_credit', /can have a reason only after rejected or account/],
    ['receiptErrors', '027 away', /"027 away" must be one or more codes, followed by one of invalid_number/],
    ['receiptErrors', 'unreachable', /one or more codes/],
    ['receiptErrors', '02-7 unreachable', /one or more codes/],
    ['standbyHosts', 'a b', /not a host/],
    ['receiverHost', 'smsc.example.com:70000', /not a host/],
  ] as const) {
    it(`is refused where it cannot be read: ${field} ${value}`, async () => {
      const settings = { host: 'smsc.example.com', systemId: 'linehook', [field]: value }
      const error = await failure(smppSettings.validate(settings))
      expect(error.message)
        .to.match(new RegExp(`^${field}`))
        .and.match(fault)
    })
  }
})

describe('where and how an SMPP account binds', () => {
  it('is as transceivers, if nothing is said', () => {
    expect(settingsOf({ port: 2775 })).to.include({ bindAs: 'transceiver' })
  })

  it('is the next standby host, when the one before refuses or is not there', async () => {
    const [full, standby] = [await startSmsc({ maxSessions: 0 }), await startSmsc()]
    const gone = await startSmsc()
    await gone.close()
    const settings = settingsOf(gone, { standbyHosts: `127.0.0.1:${full.port}\n127.0.0.1:${standby.port}` })
    const open = () => openSession({ settings, hosts: LOOPBACK, bindAs: 'transceiver', timeouts: QUICK })
    const session = await open()
    expect(session.isOpen()).to.equal(true)
    await session.close()
    await standby.close()
    const error = await failure(open())
    expect(error).to.be.instanceOf(NotBound)
    expect(error.message.split('; ')).to.have.length(3)
    await full.close()
  })

  it('may be another host for the receiver', async () => {
    const [sending, receiving] = [await startRawSmsc(), await startRawSmsc()]
    const settings = settingsOf(sending, {
      bindAs: 'transmitter-and-receiver',
      receiverHost: `127.0.0.1:${receiving.port}`,
    })
    for (const bindAs of ['transmitter', 'receiver'] as const) {
      const session = await openSession({ settings, hosts: LOOPBACK, bindAs, timeouts: QUICK })
      await session.close()
    }
    expect([sending.bindCount(), receiving.bindCount()]).to.deep.equal([1, 1])
    await Promise.all([sending.close(), receiving.close()])
  })
})
