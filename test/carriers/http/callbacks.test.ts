import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import type { BroughtMessage, CallbackTools } from '../../../src/carriers/callbacks.js'
import { httpCallbacks } from '../../../src/carriers/http/callbacks.js'
import { httpSettings, type HttpSettings } from '../../../src/carriers/http/settings.js'
import type { SentRecord } from '../../../src/carriers/records.js'

describe('what a carrier of kind http posts to us', () => {
  const settings = httpSettings.cast({ url: 'https://sms.example.com/', signingSecret: 'a secret' })

  async function answer(name: string, fields: Record<string, unknown>) {
    const messages: BroughtMessage[] = []
    const receipts: SentRecord[] = []
    const tools: CallbackTools<HttpSettings> = {
      account: { id: 'account-1', name: 'main' },
      settings,
      publicUrl: 'https://linehook.example.com',
      receiveMessage: (message) => Promise.resolve(void messages.push(message)),
      receiveReceipt: (receipt) => Promise.resolve(void receipts.push(receipt)),
      confirm: () => Promise.resolve(settings),
      hasLine: () => Promise.resolve(true),
      keepUnclear: () => Promise.resolve(),
    }
    await httpCallbacks.answer(name, { ...requestOf({}), fields }, tools)
    return { messages, receipts }
  }

  const requestOf = (headers: Record<string, string>, body = '{}') => ({
    url: 'https://linehook.example.com/',
    method: 'POST' as const,
    query: new URLSearchParams(),
    key: '',
    body: Buffer.from(body),
    content: {},
    address: '127.0.0.1',
    fields: {},
    header: (name: string) => headers[name] ?? '',
  })

  for (const [written, number] of [
    ['+15551234567', '+15551234567'],
    ['15551234567', '+15551234567'],
    ['0015551234567', '+15551234567'],
    ['+1 (555) 123-4567', '+15551234567'],
    ['72404', '72404'],
    ['ACME', 'ACME'],
  ] as const) {
    it(`is from ${number}, written as ${written}`, async () => {
      const { messages } = await answer('message', { id: 'm', from: written, to: '15550001111', text: 'Hi' })
      expect(messages).to.deep.equal([
        {
          carrierMessageId: 'm',
          fromNumber: number,
          toNumber: '+15550001111',
          content: { type: 'inboundText', text: 'Hi' },
        },
      ])
    })
  }

  it('is a text and its pictures, each a message with an id of its own', async () => {
    const mediaUrl = ['https://sms.example.com/1.png', 'https://sms.example.com/2.png']
    const { messages } = await answer('message', {
      id: 'm',
      from: '+15551234567',
      to: '+15550001111',
      mediaUrl,
    })
    expect(messages.map(({ carrierMessageId, content }) => [carrierMessageId, content])).to.deep.equal([
      ['m/1', { type: 'inboundMedia', url: mediaUrl[0] }],
      ['m/2', { type: 'inboundMedia', url: mediaUrl[1] }],
    ])
  })

  it('reports a failure in words that have no number in them', async () => {
    const failed = { id: 'm', status: 'FAILED', error: 'no route to +1 555 123 4567' }
    expect((await answer('status', failed)).receipts).to.deep.equal([
      { carrierMessageId: 'm', status: 'failed', error: 'no route to [number]' },
    ])
    expect((await answer('status', { id: 'm', status: 'rejected' })).receipts).to.deep.equal([
      { carrierMessageId: 'm', status: 'failed', error: 'rejected' },
    ])
  })

  it('reports nothing by a word that is in none of the lists', async () => {
    expect((await answer('status', { id: 'm', status: 'thinking' })).receipts).to.deep.equal([])
  })

  it('is signed in hex or base64, with or without sha256= before it', () => {
    const hmac = createHmac('sha256', 'a secret').update('{"id":1}').digest()
    const isSigned = (signature: string) =>
      httpCallbacks.isSigned(settings, requestOf({ 'X-Signature': signature }, '{"id":1}'))
    for (const good of [hmac.toString('hex'), hmac.toString('hex').toUpperCase(), hmac.toString('base64')]) {
      expect([isSigned(good), isSigned(`sha256=${good}`)]).to.deep.equal([true, true])
    }
    for (const bad of ['', 'sha256=', `0${hmac.toString('hex').slice(1)}x`])
      expect(isSigned(bad)).to.equal(false)
    const open = { ...settings, signingSecret: '' }
    const ofNothing = createHmac('sha256', '').update('{"id":1}').digest('hex')
    expect(httpCallbacks.isSigned(open, requestOf({ 'X-Signature': ofNothing }, '{"id":1}'))).to.equal(false)
  })
})
