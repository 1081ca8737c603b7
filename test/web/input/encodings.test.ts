import { gzipSync } from 'node:zlib'
import type { CarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { addTwilio } from '../carrier-callbacks/support.js'
import { expect } from 'chai'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import { getOwnLine } from '../../../src/domain/lines/lines.js'
import { browse, type BrowserSession } from '../../helpers/web/browser-session.js'
import { describeWith } from '../../helpers/suite.js'
import type { Answer } from '../../helpers/web/web.js'
import {
  consentFields,
  createApplication,
  createVisitor,
  requestToken,
  serveOAuth,
} from '../oauth/support.js'
import type { TestApplication, Visitor } from '../oauth/support.js'
import { messagesOf } from '../support.js'

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** Latin-1, as bytes and behind percent signs. */
const BURO = [Buffer.from('B\xfcro', 'latin1'), Buffer.from('B%FCro')]

describeWith('what a request is written in', serveOAuth, (server) => {
  let application: TestApplication
  let carrierAccount: CarrierAccount
  let visitor: Visitor
  let browser: BrowserSession
  let authorization: string

  before(async () => {
    application = await createApplication(server)
    carrierAccount = await addTwilio(server.context, 'twilio')
    visitor = await createVisitor(server, { name: 'Shop' })
    const { context, web } = server
    browser = await browse(context, web, visitor.line.userId)
    authorization = `Bearer ${(await createApiToken(context, visitor.line.userId, 'a test')).token}`
  })

  const post = (path: string, body: Buffer, headers: Record<string, string> = {}) =>
    server.web.post(path, new Uint8Array(body), headers)
  const v1 = (path: string, body: Buffer, headers: Record<string, string> = {}) =>
    post(path, body, { Authorization: authorization, ...headers })
  const messages = () => messagesOf(server.context, visitor.line.lineId)

  async function formOf(path: string, fields: Buffer): Promise<Answer> {
    const csrf = /name="csrf" value="([\w-]+)"/.exec((await browser.get('/console/settings')).text)?.[1] ?? ''
    return post(path, Buffer.concat([Buffer.from(`csrf=${csrf}&`), fields]), {
      ...FORM,
      Cookie: browser.cookie(),
      'Sec-Fetch-Site': 'same-origin',
    })
  }

  describe('is UTF-8, or is told to be none', () => {
    function expectTold(answer: Answer): void {
      expect([answer.status, answer.text]).to.deep.include(400)
      expect(answer.text).to.include('Request body is not UTF-8')
    }

    it('in a form to /v1', async () => {
      const { lineId } = visitor.line
      const form = Buffer.from(`lineId=${lineId}&toNumber=%2B15005550199&text=`)
      for (const text of BURO) expectTold(await v1('/v1/messages', Buffer.concat([form, text]), FORM))
      expect(await messages()).to.deep.equal([])
      for (const text of ['Büro', 'B%C3%BCro', 'B\ufffd']) {
        expect((await v1('/v1/messages', Buffer.concat([form, Buffer.from(text)]), FORM)).status).to.equal(
          200,
        )
      }
      expect((await messages()).map(({ text }) => text)).to.deep.equal(['Büro', 'Büro', 'B\ufffd'])
    })

    it('in JSON to /v1', async () => {
      const answer = await server.web.request(`/v1/lines/${visitor.line.lineId}`, {
        method: 'PUT',
        headers: { Authorization: authorization },
        body: new Uint8Array(Buffer.from('{"name":"B\xfcro"}', 'latin1')),
      })
      expectTold(answer)
    })

    it('in a token request, and in what comes from the simulator', async () => {
      for (const value of BURO) {
        const fields = Buffer.concat([Buffer.from('grant_type='), value])
        const answer = await post('/oauth/access', fields, FORM)
        expectTold(answer)
        expect(answer.body).to.include({ error: 'invalid_request' })
      }
      expectTold(await post('/simulator/inbound', Buffer.from('{"text":"B\xfcro"}', 'latin1')))
    })

    it('in a form of the console', async () => {
      const { lineId, userId } = visitor.line
      for (const name of BURO) {
        expectTold(await formOf(`/console/lines/${lineId}/name`, Buffer.concat([Buffer.from('name='), name])))
      }
      expect(await getOwnLine(server.context, userId, lineId)).to.include({ name: 'Shop' })
    })

    it('in a phone’s form', async () => {
      const { lineId } = visitor.line
      const csrf = consentFields(await browser.get('/console/settings'), []).get('csrf') ?? ''
      const send = (text: Buffer) => {
        const part = (name: string, value: string | Buffer) => [
          Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
          Buffer.from(value),
          Buffer.from('\r\n'),
        ]
        const parts = [...part('csrf', csrf), ...part('lineId', lineId), ...part('text', text)]
        return post(
          '/simulator/phones/15005550101/messages',
          Buffer.concat([...parts, Buffer.from('--x--\r\n')]),
          {
            'Content-Type': 'multipart/form-data; boundary=x',
            Cookie: browser.cookie(),
            'Sec-Fetch-Site': 'same-origin',
          },
        )
      }
      expectTold(await send(Buffer.from('B\xfcro', 'latin1')))
      expect((await send(Buffer.from('Büro B%FCro \ufffd'))).status).to.equal(303)
      const received = await server.context
        .db('messages')
        .where({ line_id: lineId, direction: 'inbound' })
        .select<{ text: string }[]>('text')
      expect(received).to.deep.equal([{ text: 'Büro B%FCro \ufffd' }])
    })

    it('in a query', async () => {
      const answer = await server.web.request('/v1/lines?name=B%FCro', {
        headers: { Authorization: authorization },
      })
      expect([answer.status, answer.body]).to.deep.include(400)
      expect(answer.body).to.include({ detail: 'The query is not UTF-8' })
    })
  })

  describe('is packed in a way that is known, or is refused with 415, which says what would do', () => {
    function expectUnsupported(answer: Answer, accepted: string): void {
      expect([answer.status, answer.headers.get('accept-encoding')], answer.text).to.deep.equal([
        415,
        accepted,
      ])
      expect(answer.text).to.include('Content-Encoding is not supported')
    }

    for (const encoding of ['zstd', 'compress', 'gzip, gzip', 'toString']) {
      it(`unlike ${encoding}`, async () => {
        const packed = { 'Content-Encoding': encoding }
        const body = Buffer.from('{}')
        for (const path of ['/v1/messages', '/v1/applications', '/v1/segments']) {
          expectUnsupported(await v1(path, body, packed), 'gzip, deflate, br')
        }
        for (const path of [
          '/simulator/inbound',
          '/oauth/access',
          `/carriers/twilio/${carrierAccount.id}/message`,
        ]) {
          expectUnsupported(await post(path, body, packed), 'gzip, deflate, br')
        }
        expect((await requestToken(server, application, {}, { headers: packed })).body).to.include({
          error: 'invalid_request',
        })
      })
    }

    it('and a form of the console not at all', async () => {
      for (const [path, type] of [
        ['/console/sign-in', FORM['Content-Type']],
        ['/simulator/phones/15005550101/messages', 'multipart/form-data; boundary=x'],
      ] as const) {
        for (const encoding of ['gzip', 'zstd']) {
          const answer = await post(path, gzipSync('a=1'), {
            'Content-Type': type,
            'Content-Encoding': encoding,
            Cookie: browser.cookie(),
          })
          expectUnsupported(answer, 'identity')
        }
      }
    })
  })
})
