import { expect } from 'chai'
import type { CallbackRequest } from '../../../src/carriers/callbacks.js'
import { CarrierUnavailable } from '../../../src/carriers/carrier.js'
import { smsgate } from '../../../src/carriers/smsgate/smsgate.js'

const [FIRST, SECOND, OTHER] = ['+13125550100', '+4915112345678', '+13125550111']

const settings = smsgate.settings.cast({
  ...{ username: 'u', password: 'p', signingKey: 'k', sim1: FIRST, sim2: SECOND },
})

function requestFrom(from: string, its = settings) {
  const message = { id: 'id', from, to: OTHER, text: 'Hello', media: [], mediaUrls: [], expiresInMs: 60_500 }
  return smsgate.send(message, { settings: its, callbackUrl: () => '' })
}

function read(event: string, payload: object, its = settings, deviceId = '') {
  const request = {} as CallbackRequest
  return smsgate.callbacks?.read(
    { event, id: 'event', deviceId, payload },
    { name: 'events', request, settings: its },
  )
}

/** The numbers that are listed for a phone with this number on its card. */
async function listed(phoneNumber: string, its = settings) {
  const body = [{ id: 'phone', simCards: [{ slotIndex: 0, simNumber: 1, phoneNumber }] }]
  const ask = () => Promise.resolve({ status: 200, headers: {}, body, text: '' })
  const numbers = await smsgate.listNumbers?.({ ask, settings: its, callbackUrl: () => '' })
  return numbers?.map(({ number }) => number)
}

it('SMS Gateway reports on each part of a text', () => {
  const report = read('sms:failed', { messageId: 'm1', reason: 'RESULT_ERROR_GENERIC_FAILURE' })
  expect(report).to.include({ kind: 'receipt', status: 'failed', isOfPart: true })
})

it('a report of SMS Gateway that names no message is kept for operators', () => {
  for (const payload of [{}, { messageId: '' }])
    expect(read('sms:sent', payload)).to.deep.equal({ kind: 'unclear', why: 'a report without a message ID' })
})

it('SMS Gateway names the failure by the name that Android has for it, wherever the app puts it', () => {
  // MessagesService.kt of the app, 2026.
  const reason = 'Send result: RESULT_ERROR_NO_SERVICE (Failed because service is currently unavailable)'
  expect(read('sms:failed', { messageId: 'm1', reason })).to.include({
    ...{ code: 'RESULT_ERROR_NO_SERVICE', said: reason },
  })
  expect(read('sms:failed', { messageId: 'm1', reason: 'Delivery result: 65' })).to.include({ code: '' })
})

it('SMS Gateway keeps a text of a phone other than the account names for operators', () => {
  const its = { ...settings, deviceId: 'phone-1' }
  const payload = { message: 'Hi', sender: OTHER, simNumber: 1 }
  const from = (deviceId: string) => read('sms:received', payload, its, deviceId)
  expect(from('phone-2')).to.include({ kind: 'unclear' })
  expect(from('phone-1')).to.include({ kind: 'message', to: FIRST })
  expect(from('')).to.include({ kind: 'message' })
})

describe('the SIM cards of a phone', () => {
  it('send for the line whose number they have, and the text ends with its time', () => {
    expect(requestFrom(FIRST).json).to.include({ simNumber: 1, ttl: 61 })
    expect(requestFrom(SECOND).json).to.include({ simNumber: 2 })
  })

  it('keep a message waiting whose line has another number', () => {
    expect(() => requestFrom(OTHER))
      .to.throw(CarrierUnavailable, 'No SIM card')
      .with.property('isOfLine', true)
    const none = { ...settings, sim1: '', sim2: '' }
    expect(requestFrom(OTHER, none).json).to.have.property('simNumber', undefined)
  })

  it('say to which number a text came, and of which country its sender is', () => {
    const text = { message: 'Hi', sender: '015112345679', simNumber: 2 }
    expect(read('sms:received', text)).to.include({ from: '+4915112345679', to: SECOND, text: 'Hi' })
    expect(read('sms:received', { ...text, sender: '22955' })).to.include({ from: '22955' })
    // What is written on a card may be old.
    expect(read('sms:received', { ...text, recipient: OTHER })).to.include({ to: SECOND })
    expect(read('sms:received', { ...text, simNumber: 3, recipient: OTHER })).to.include({ to: OTHER })
  })

  it('with a national number need the number in the settings', async () => {
    const none = { ...settings, sim1: '', sim2: '' }
    const one = { ...none, sim1: FIRST }
    const text = { message: 'Hi', sender: '+13125550199', simNumber: 1 }
    for (const national of ['3125550100', '13125550100', '015112345678']) {
      const payload = { ...text, recipient: national }
      expect(read('sms:received', payload, none), national).to.include({ kind: 'unclear' })
      expect(read('sms:received', payload, one), national).to.include({ to: FIRST })
      expect(read('sms:received', { ...payload, simNumber: null }, one), national).to.include({ to: FIRST })
      expect(await listed(national, none), national).to.deep.equal([])
      expect(await listed(national, one), national).to.deep.equal([FIRST])
    }
    expect(await listed('+1 312-555-0100', none)).to.deep.equal([FIRST])
  })

  it('bring no text of a card without a number to the line of another card', () => {
    const one = { ...settings, sim2: '' }
    const text = { message: 'Your code is 123456', sender: '22955' }
    for (const recipient of [null, '015112345678'])
      expect(read('sms:received', { ...text, simNumber: 2, recipient }, one)).to.include({ kind: 'unclear' })
    // The app may not read the phone's state, so it does not know the card.
    const unknown = { ...text, simNumber: null, recipient: null }
    expect(read('sms:received', unknown, one)).to.include({ to: FIRST })
    expect(read('sms:received', unknown, settings)).to.include({ kind: 'unclear' })
  })

  it('bring the text of an MMS and what is attached; what is not in it is kept for operators', () => {
    const bring = (...attachments: object[]) =>
      [read('mms:downloaded', { body: 'Look', sender: FIRST, simNumber: 1, attachments })].flat()
    const [png, text] = [{ contentType: 'image/png' }, { contentType: 'text/plain', data: 'TG9vaw==' }]
    for (const data of [undefined, '', 'no base64!', `${' '.repeat(1_000_000)}!`, '===='])
      expect(bring({ ...png, data }).map((each) => each?.kind)).to.deep.equal(['message', 'unclear'])
    const [message, ...others] = bring(
      text,
      { ...png, data: 'iVBO\r\nRw==' },
      { contentType: 'x";y', data: 'AAAA' },
    )
    expect(others).to.deep.equal([])
    expect(message).to.deep.include({
      text: 'Look',
      mediaUrls: ['data:image/png;base64,iVBORw==', 'data:xy;base64,AAAA'],
    })
  })
})
