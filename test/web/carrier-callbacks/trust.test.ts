import { expect } from 'chai'
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js'
import { newId } from '../../../src/ids.js'
import { postSignedJson } from '../../carriers/twilio/callbacks.js'
import { AUTH_TOKEN, newSid } from '../../carriers/twilio/stand-in.js'
import { ANNA } from '../../domain/fixtures.js'
import { createLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { requestRaw } from '../../helpers/web/raw-request.js'
import { addTwilio, inboundOf, serveTwilio } from './support.js'

describeWith('who may call us as Twilio', serveTwilio, (side) => {
  beforeEach(() => side.context.db('messages').delete())

  const message = (fields: Record<string, string> = {}) => ({
    MessageSid: newSid('SM'),
    From: ANNA,
    To: side.line.number,
    Body: 'Hi',
    ...fields,
  })

  it('who signs with the auth token of the account, over the public URL', async () => {
    const called = await side.call('message', message())
    expect(called).to.include({ status: 200 })
    expect(await inboundOf(side)).to.have.length(1)
  })

  it('not who signs with another token, or not at all, or something else', async () => {
    const other = message({ Body: 'Other' })
    for (const [what, options] of [
      ['another token', { authToken: 'e'.repeat(32) }],
      ['none', { signature: undefined }],
      ['garbage', { signature: 'bm9uc2Vuc2U=' }],
      [
        'of another message',
        { signature: getExpectedTwilioSignature(AUTH_TOKEN, side.urlOf('message'), other) },
      ],
      [
        'of another callback',
        { signature: getExpectedTwilioSignature(AUTH_TOKEN, side.urlOf('status'), message()) },
      ],
    ] as const) {
      const { status, text } = await side.call('message', message(), options)
      expect(status, what).to.equal(403)
      expect(text.length, what).to.be.below(300)
      expect(text, what).to.contain('PUBLIC_URL')
    }
    expect(await inboundOf(side)).to.deep.equal([])
  })

  it('who names the whole URL as the target of the request', async () => {
    const fields = message()
    const signature = getExpectedTwilioSignature(AUTH_TOKEN, side.urlOf('message'), fields)
    const target = `http://other.example:8080/carriers/twilio/${side.account.id}/message`
    const call = (headers: Record<string, string>) =>
      requestRaw(side.web.port, target, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      })
    expect(await call({})).to.include({ status: 403 })
    expect(await call({ 'X-Twilio-Signature': signature })).to.include({ status: 200 })
    expect(await inboundOf(side)).to.have.length(1)
  })

  it('not who signs for the host that the request names', async () => {
    const fields = message()
    const path = `/carriers/twilio/${side.account.id}/message`
    const signature = getExpectedTwilioSignature(AUTH_TOKEN, `http://evil.example.com${path}`, fields)
    const { status } = await requestRaw(side.web.port, path, {
      method: 'POST',
      headers: {
        Host: 'evil.example.com',
        'X-Forwarded-Host': 'evil.example.com',
        'Content-Type': 'application/x-www-form-urlencoded',
        'X-Twilio-Signature': signature,
      },
      body: new URLSearchParams(fields).toString(),
    })
    expect(status).to.equal(403)
    const headers = { 'X-Forwarded-Host': 'evil.example.com' }
    expect(await side.call('message', message(), { headers })).to.include({ status: 200 })
  })

  it('JSON by the hash of its body', async () => {
    const options = { sendTo: side.web.url, withoutPrefix: '/phone' }
    const body = JSON.stringify(message({ Body: 'Zoë 🙂' }))
    const { response } = await postSignedJson(side.urlOf('message'), body, options)
    expect(response.status).to.equal(200)
    expect(await inboundOf(side)).to.have.length(1)
    const changed = await postSignedJson(side.urlOf('message'), body, { ...options, hashOf: '{}' })
    expect(changed.response.status).to.equal(403)
  })

  it('not with an account that there is not, or that is of another kind', async () => {
    const { id: simulatorId } = await side.context
      .db('carrier_accounts')
      .where({ name: 'simulator' })
      .first<{ id: string }>()
    for (const accountId of [newId(), simulatorId, 'x', '%00', `${side.account.id}'`]) {
      expect(await side.call('message', message(), { accountId }), accountId).to.include({ status: 404 })
    }
    expect(await inboundOf(side)).to.deep.equal([])
  })

  it('and the body of nobody’s request is not even unpacked', async () => {
    const packed = (path: string) =>
      side.web.post(`/carriers/twilio/${path}`, 'not packed', { 'Content-Encoding': 'gzip' })
    expect(await packed(`${side.account.id}/message`)).to.include({ status: 400 })
    for (const path of [`${newId()}/message`, 'x/message', `${side.account.id}/other`]) {
      expect(await packed(path), path).to.include({ status: 404 })
    }
  })

  it('not for a number of another account, or of nobody', async () => {
    const other = await addTwilio(side.context, 'other', { authToken: 'd'.repeat(32) })
    const otherLine = await createLine(side.context, { carrierAccount: 'other' })
    const simulated = await createLine(side.context)
    for (const To of [otherLine.number, simulated.number, '+15005559999']) {
      for (const name of ['message', 'voice'] as const) {
        expect(await side.call(name, message({ To })), `${name} ${To}`).to.include({ status: 404 })
      }
      const recording = `recording?from=%2B1500&to=${encodeURIComponent(To)}` as const
      const fields = { RecordingSid: newSid('RE'), RecordingUrl: 'https://x/y', RecordingStatus: 'completed' }
      expect(await side.call(recording, fields)).to.include({ status: 404 })
    }
    const own = message({ To: otherLine.number })
    expect(await side.call('message', own, { accountId: other.id })).to.include({ status: 403 })
    const options = { accountId: other.id, authToken: 'd'.repeat(32) }
    expect(await side.call('message', own, options)).to.include({ status: 200 })
  })

  it('and what is no callback is refused, however it looks', async () => {
    const path = `/carriers/twilio/${side.account.id}/message`
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    for (const [body, status] of [
      ['', 403],
      ['%%%=%ff&&&=', 403],
      ['{"Body":', 403],
      ['[1]', 403],
      ['{"__proto__":{"Body":"x"}}', 403],
      [`Body=${'x'.repeat(65_531)}`, 403],
      [`Body=${'x'.repeat(65_532)}`, 413],
      [Buffer.from([0, 255, 254, 10]), 403],
    ] as const) {
      expect(await side.web.post(path, body, form), String(body).slice(0, 40)).to.include({ status })
    }
    const { status, headers } = await side.web.request(path)
    expect([status, headers.get('allow')], 'GET').to.deep.equal([405, 'POST'])
    for (const fields of [{}, { Body: 'x' }, { MessageSid: 'SM1', From: ANNA }] as Record<string, string>[]) {
      expect(await side.call('message', fields), JSON.stringify(fields)).to.include({ status: 400 })
    }
    expect(await side.call('voice', {})).to.include({ status: 400 })
  })
})
