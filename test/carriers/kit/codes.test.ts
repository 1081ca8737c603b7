import { expect } from 'chai'
import type { CallbackRequest, CallbackTools } from '../../../src/carriers/callbacks.js'
import { CarrierRejected } from '../../../src/carriers/carrier.js'
import { httpsms } from '../../../src/carriers/httpsms/httpsms.js'
import { callbacksFor } from '../../../src/carriers/kit/callbacks.js'
import { errorOfRefusal } from '../../../src/carriers/kit/refusals.js'

const SENTENCE = `could not send to +15005550199: ${'x'.repeat(500)}`

/** What is recorded of a report of httpSMS, whose app writes the failure in `error_message`. */
async function recorded(errorMessage: string): Promise<object> {
  const noted: object[] = []
  const tools = {
    settings: {},
    receiveReceipt: (receipt: object) => Promise.resolve(void noted.push(receipt)),
    keepUnclear: (why: string) => Promise.reject(new Error(why)),
  } as unknown as CallbackTools<object>
  const fields = { type: 'message.send.failed', data: { id: 'm1', error_message: errorMessage } }
  const { callbacks } = httpsms
  if (callbacks === undefined) throw new Error('it has callbacks')
  await callbacksFor(httpsms, callbacks).answer(
    'events',
    { fields } as unknown as CallbackRequest,
    tools as never,
  )
  return noted[0] ?? {}
}

describe("a provider's code", () => {
  it('is a short word, which is recorded as it is', async () => {
    expect(await recorded('UNKNOWN:124')).to.include({ carrierCode: 'UNKNOWN:124' })
    expect(await recorded('NO_SERVICE')).to.include({
      carrierCode: 'NO_SERVICE',
      error: 'the phone has no network',
    })
  })

  it('counts as words if it is a sentence in a report: it is cut, and has no number in it', async () => {
    const record = await recorded(SENTENCE)
    expect(record).to.not.have.property('carrierCode')
    expect(record)
      .to.have.property('error')
      .that.matches(/^could not send to \[number\]: x{200,300}$/)
  })

  it('counts as words if it is a sentence in an answer', () => {
    const answer = { status: 400, headers: {}, body: undefined, text: '' }
    const error = errorOfRefusal('Acme', {}, answer, { code: SENTENCE })
    expect(error).to.be.instanceOf(CarrierRejected).and.have.property('carrierCode', undefined)
    expect(error)
      .to.have.property('reason')
      .that.matches(/^could not send to \[number\]/)
  })

  it('is not a phone number', () => {
    const answer = { status: 400, headers: {}, body: undefined, text: '' }
    expect(errorOfRefusal('Acme', {}, answer, { code: '15005550199' })).to.have.property(
      'carrierCode',
      undefined,
    )
  })
})
