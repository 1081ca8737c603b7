import { expect } from 'chai'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { CallbackMessage, CallbackTools } from '../../../src/carriers/callbacks.js'
import { httpKind } from '../../../src/carriers/http/kind.js'
import { httpSettings, type HttpSettings } from '../../../src/carriers/http/settings.js'
import type { SentRecord } from '../../../src/carriers/records.js'

const httpCallbacks = httpKind.callbacks!

describe('what a carrier of kind http posts to us', () => {
  const settings = httpSettings.cast({ url: 'https://sms.example.com/', signingSecret: 'a secret' })

  async function answer(name: string, content: unknown, its = settings, query = '') {
    const unclear: string[] = []
    const messages: CallbackMessage[] = []
    const receipts: SentRecord[] = []
    const tools: CallbackTools<HttpSettings> = {
      account: { id: 'account-1', name: 'main' },
      settings: its,
      publicUrl: 'https://linehook.example.com',
      receiveMessage: (message) => Promise.resolve(void messages.push(message)),
      receiveReceipt: (receipt) => Promise.resolve(void receipts.push(receipt)),
      receiveMissedCall: () => Promise.resolve(),
      noteOptOut: () => Promise.resolve(),
      notePhone: () => Promise.resolve(),
      confirm: () => Promise.resolve(its),
      hasLine: () => Promise.resolve(true),
      keepUnclear: (why) => Promise.resolve(void unclear.push(why)),
    }
    const request = { ...requestOf({}), content, query: new URLSearchParams(query) }
    await httpCallbacks.answer(name, request, tools)
    return { messages, receipts, unclear }
  }

  const requestOf = (headers: Record<string, string>, body = '{}') => ({
    url: 'https://linehook.example.com/',
    method: 'POST' as const,
    query: new URLSearchParams(),
    key: '',
    body: Buffer.from(body),
    content: {},
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

  it('may have several pictures', async () => {
    const mediaUrl = ['https://sms.example.com/1.png', 'https://sms.example.com/2.png']
    const { messages } = await answer('message', {
      id: 'm',
      from: '+15551234567',
      to: '+15550001111',
      mediaUrl,
    })
    expect(messages.map(({ carrierMessageId, content }) => [carrierMessageId, content])).to.deep.equal([
      ['m', { type: 'inboundMedia', text: '', urls: mediaUrl }],
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

  it('is not understood by a word that is in none of the lists, and the others of its list count', async () => {
    const both = [
      { id: 'm', status: 'thinking' },
      { id: 'n', status: 'delivered' },
    ]
    const { receipts, unclear } = await answer('status', both)
    expect(receipts).to.deep.equal([{ carrierMessageId: 'n', status: 'delivered' }])
    expect(unclear).to.deep.equal(['a report with status "thinking"'])
  })

  it('is a list at a path, and for the line that the URL names', async () => {
    const its = { ...settings, itemsField: 'data.items' }
    const items = ['a', 'b', 'c'].map((id) => ({ id, from: '+15551234567', text: id }))
    const { messages } = await answer('message', { data: { items } }, its, 'to=+15550001111')
    expect(messages.map(({ carrierMessageId, toNumber }) => [carrierMessageId, toNumber])).to.deep.equal(
      ['a', 'b', 'c'].map((id) => [id, '+15550001111']),
    )
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

  const now = () => String(Math.floor(Date.now() / 1000))
  const mac = (algorithm: string, over: string) =>
    createHmac(algorithm, 'a secret').update(over).digest('base64')
  const keys = generateKeyPairSync('ed25519')
  const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')

  for (const [verification, others, headers] of [
    ['hmac-sha1', {}, () => ({ 'X-Signature': mac('sha1', '{}') })],
    ['hmac-sha512', {}, () => ({ 'X-Signature': `sha512=${mac('sha512', '{}')}` })],
    [
      'hmac-sha256',
      { signedText: '{{ timestamp }}.{{ body }}', timestampHeader: 'X-Time' },
      (at = now()) => ({ 'X-Time': at, 'X-Signature': mac('sha256', `${at}.{}`) }),
    ],
    [
      'ed25519',
      { signingSecret: publicKey },
      () => ({ 'X-Signature': sign(null, Buffer.from('{}'), keys.privateKey).toString('base64') }),
    ],
    ['header', {}, () => ({ 'X-Signature': 'a secret' })],
    ['bearer', { signingSecret: 'token' }, () => ({ Authorization: 'Bearer token' })],
    [
      'basic',
      { signingSecret: 'ada:pass:word' },
      () => ({ Authorization: `Basic ${Buffer.from('ada:pass:word').toString('base64')}` }),
    ],
  ] as const) {
    it(`shows by ${verification} that it is the carrier's, and nothing else does`, () => {
      const its = httpSettings.cast({ ...settings, verification, ...others })
      expect(httpCallbacks.isSigned(its, requestOf(headers()))).to.equal(true)
      for (const wrong of [{}, { 'X-Signature': 'a', Authorization: 'Bearer a' }] as Record<string, string>[])
        expect(httpCallbacks.isSigned(its, requestOf(wrong))).to.equal(false)
      const open = { ...its, signingSecret: '' }
      expect(httpCallbacks.isSigned(open, requestOf(headers()))).to.equal(false)
    })
  }

  it('that was signed long ago is refused', () => {
    const its = httpSettings.cast({
      ...settings,
      signedText: '{{timestamp}}{{body}}',
      timestampHeader: 'X-Time',
    })
    const old = String(Math.floor(Date.now() / 1000) - 600)
    const headers = { 'X-Time': old, 'X-Signature': mac('sha256', `${old}{}`) }
    expect(httpCallbacks.isSigned(its, requestOf(headers))).to.equal(false)
  })

  it('has our secret in its URL, where the carrier signs nothing', () => {
    const its = httpSettings.cast({ ...settings, verification: 'url' })
    const withKey = (key: string) => httpCallbacks.isSigned(its, { ...requestOf({}), key })
    expect([withKey(its.callbackKey), withKey(''), withKey('other')]).to.deep.equal([true, false, false])
  })
})
