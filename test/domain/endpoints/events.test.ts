import { expect } from 'chai'
import { eventBody, type EventContent } from '../../../src/domain/endpoints/deliveries/shapes.js'
import { createVocabulary } from '../../../src/vocabulary.js'

const event: EventContent & { eventId: string } = {
  eventId: '01a1f8a0-0000-7000-8000-000000000001',
  type: 'inboundText',
  payload: 'Hello',
  fromNumber: '+15005550199',
  toNumber: '+15550000001',
  userId: 'user-1',
  lineId: 'line-1',
}

describe('event body', () => {
  it('has exactly the six fields of the specification', () => {
    expect(JSON.parse(eventBody(event, createVocabulary('line')))).to.deep.equal({
      type: 'inboundText',
      payload: 'Hello',
      fromNumber: '+15005550199',
      toNumber: '+15550000001',
      userId: 'user-1',
      lineId: 'line-1',
    })
  })

  it('leaves out whatever else a delivery knows', () => {
    const delivery = {
      ...event,
      secretSealed: Buffer.from('secret'),
      url: 'https://example.com',
      attemptNumber: 2,
    }
    expect(eventBody(delivery, createVocabulary('line'))).to.equal(eventBody(event, createVocabulary('line')))
  })

  it('names the line by the product word, and by it only', () => {
    const body = JSON.parse(eventBody(event, createVocabulary('Burner'))) as object
    expect(body).to.have.property('burnerId', 'line-1')
    expect(body).not.to.have.property('lineId')
    expect(Object.keys(body)).to.have.length(6)
  })

  it('is the same bytes on every attempt, however the fields are ordered', () => {
    const { lineId, type, ...rest } = event
    const reordered = { lineId, ...rest, type }
    expect(eventBody(reordered, createVocabulary('line'))).to.equal(
      eventBody(event, createVocabulary('line')),
    )
  })

  it('keeps every character of the text', () => {
    const payload = 'Zoë said "hi" \\ 🙂\n\u2028 </script>'
    const body = JSON.parse(eventBody({ ...event, payload }, createVocabulary('line'))) as { payload: string }
    expect(body.payload).to.equal(payload)
  })

  for (const type of ['inboundMedia', 'voiceMail'] as const) {
    it(`of ${type} carries the full URL`, () => {
      const payload = 'https://media.example.com/a/b.mp3?x=1&y=2'
      expect(JSON.parse(eventBody({ ...event, type, payload }, createVocabulary('line')))).to.include({
        type,
        payload,
      })
    })
  }
})
