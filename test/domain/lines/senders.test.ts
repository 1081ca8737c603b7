import { expect } from 'chai'
import { addCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { addLine, getAnyLine, listOwnLines, type NewLine } from '../../../src/domain/lines/lines.js'
import { setShortCodes } from '../../../src/domain/lines/short-codes.js'
import { REFUSALS } from '../../../src/domain/messages/submit/refusals.js'
import { simulateInbound } from '../../../src/domain/simulator/simulator.js'
import { ACCOUNT_SID, AUTH_TOKEN } from '../../carriers/twilio/stand-in.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { countRows, messageRow, sendWhenDue, submit, UNLIMITED } from '../fixtures.js'
import { expectRefusal } from '../refusal.js'

const SERVICE = `MG${'0123456789abcdef'.repeat(2)}`

describeContext('lines that are no phone numbers', (context) => {
  let owner: TestLine

  before(async () => {
    owner = await createLine(context, UNLIMITED)
    const settings = { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN }
    await addCarrierAccount(context, { name: 'twilio', kind: 'twilio', settings })
  })

  const add = (number: string, fields: Partial<NewLine> = {}) =>
    addLine(context, { userId: owner.userId, number, carrierAccount: 'simulator', ...fields })
  const lineOf = (number: string, country?: string) =>
    createLine(context, { ...UNLIMITED, number, ...(country === undefined ? {} : { country }) })
  const post = async (line: TestLine, toNumber: string) => {
    const { messageId } = await submit(context, line.lineId, { toNumber })
    if (messageId === null) throw new Error('it was not accepted')
    expect(await sendWhenDue(context, messageId)).to.deep.equal({ kind: 'sent' })
    return messageRow(context, messageId)
  }

  for (const [written, fields, kept, country] of [
    [' 40404 ', { country: 'us' }, '40404', 'US'],
    ['123', { country: 'GB' }, '123', 'GB'],
    ['12345678', { country: 'AU' }, '12345678', 'AU'],
    [' Acme Café ', {}, 'Acme Café', null],
    ['7Eleven', { country: 'DE' }, '7Eleven', 'DE'],
    [SERVICE.toUpperCase(), { carrierAccount: 'twilio' }, SERVICE, null],
  ] as const) {
    it(`may be ${written}, found by that and kept as ${kept}`, async () => {
      const { id, number } = await add(written, fields)
      const line = await getAnyLine(context, ` ${kept} `)
      expect(line).to.include({ id, number: kept, name: kept, country })
      expect(number).to.equal(kept)
      const found = await listOwnLines(context, owner.userId, { phoneNumber: kept })
      expect(found.map((each) => each.id)).to.deep.equal([id])
    })
  }

  for (const [written, fields, fault] of [
    ['40405', {}, /^country is required for a short code/],
    ['40405', { country: 'XX' }, /^country must be a two-letter ISO 3166 code/],
    ['40405', { country: 'uk' }, /such as US. UK is not one. Did you mean GB\?$/],
    ['+15550009999', { country: 'DE' }, /^country is only for short codes and names/],
    [SERVICE.replace('0', '1'), {}, /^number is a Messaging Service SID/],
    ...['12', '123456789', '12 34', '+Acme', ' '].map(
      (each) => [each, {}, /^number must be in E.164/] as const,
    ),
    ...['Twelve chars', 'Acme €uros1', 'Привет', 'A\nB', '[abcdefghi]'].map(
      (each) => [each, {}, /^number is a name and must have 1 to 11 GSM-7 characters/] as const,
    ),
  ] as const) {
    it(`may not be ${JSON.stringify(written)} with ${JSON.stringify(fields)}`, async () => {
      await expectRefusal(add(written, fields), 400, fault)
    })
  }

  it('send as what they are: a name to countries that take names, and nobody can answer', async () => {
    const line = await lineOf('Clinic')
    expect(await post(line, '+4915112345678')).to.include({
      from_number: 'Clinic',
      to_number: '+4915112345678',
    })
    for (const toNumber of ['+12015550123', '+16135550123', '+5511912345678']) {
      await expectRefusal(submit(context, line.lineId, { toNumber }), 403, REFUSALS.nameNotTaken)
    }
    const inbound = { fromNumber: '+4915112345678', toNumber: 'Clinic', text: 'Hello?' }
    const words = 'toNumber Clinic is a name. Such a line can only send, not receive'
    await expectRefusal(simulateInbound(context, inbound), 400, words)
    expect(await countRows(context, 'events')).to.equal(0)
  })

  it('send as a short code within its country, and receive', async () => {
    const line = await lineOf('55555', 'US')
    expect(await post(line, '(201) 555-0123')).to.include({ from_number: '55555', to_number: '+12015550123' })
    await expectRefusal(
      submit(context, line.lineId, { toNumber: '+4915112345678' }),
      403,
      REFUSALS.shortCodeAbroad,
    )
    await simulateInbound(context, { fromNumber: '+12015550123', toNumber: '55555', text: 'Hello?' })
    expect(await context.db('messages').where({ line_id: line.lineId, direction: 'inbound' })).to.have.length(
      1,
    )
  })

  it('text the short codes that an operator has named, and no others', async () => {
    await expectRefusal(submit(context, owner.lineId, { toNumber: '40404' }), 400, REFUSALS.notANumber)
    const line = { userId: owner.userId, id: owner.lineId }
    await setShortCodes(context, line, ['40404', ' 123 ', '123'])
    expect(await getAnyLine(context, owner.lineId)).to.deep.include({ shortCodes: ['40404', '123'] })
    expect(await post(owner, '40404')).to.include({ from_number: owner.number, to_number: '40404' })
    await expectRefusal(submit(context, owner.lineId, { toNumber: '40405' }), 400, REFUSALS.notANumber)
    await expectRefusal(
      setShortCodes(context, line, ['Acme']),
      400,
      'Acme is not a short code. It must have 3 to 8 digits',
    )
    await setShortCodes(context, line, [])
    await expectRefusal(submit(context, owner.lineId, { toNumber: '40404' }), 400, REFUSALS.notANumber)
  })
})
