import { expect } from 'chai'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import type { Context } from '../../../src/domain/context.js'
import { describeApi } from '../../../src/web/openapi/document.js'
import { newId } from '../../../src/ids.js'
import { carrierOf } from '../../helpers/carrier.js'
import { createTestContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { serveApp, type TestWeb } from '../../helpers/web/web.js'
import { requestRaw } from '../../helpers/web/raw-request.js'

const FRIEND = '+15005550199'

describe('the routes of the simulator for programs', () => {
  let context: Context
  let web: TestWeb
  let line: TestLine

  async function open(environment: Record<string, string> = {}): Promise<void> {
    context = await createTestContext(environment)
    web = await serveApp(context)
    line = await createLine(context)
  }

  afterEach(async () => {
    await web.close()
    await context.close()
  })

  const inbound = (headers: Record<string, string> = {}, to = line) =>
    web.post('/simulator/inbound', { fromNumber: FRIEND, toNumber: to.number, text: 'Hi' }, headers)
  const outbox = (headers: Record<string, string> = {}) => web.request('/simulator/outbox', { headers })
  const received = () => context.db('messages').where({ direction: 'inbound' }).select<object[]>()
  const tokenOf = async ({ userId }: TestLine) => ({
    Authorization: `Bearer ${(await createApiToken(context, userId, 'simulator')).token}`,
  })
  const take = async ({ number }: TestLine, text: string) =>
    (await carrierOf(context)).send(
      { id: newId(), fromNumber: number, toNumber: FRIEND, text, media: [], attempt: 1, ageMs: 0 },
      AbortSignal.timeout(60_000),
    )

  describe('where only this machine reaches them', () => {
    beforeEach(() => open())

    const askAs = async (host: string, path: string, body?: string) => {
      const sent = body === undefined ? {} : { method: 'POST', body }
      return (await requestRaw(web.port, path, { ...sent, headers: { host } })).status
    }

    it('need no password by its own names, and answer nothing by one that somebody else lets lead here', async () => {
      for (const host of ['localhost', `localhost:${web.port}`, '127.0.0.1', '[::1]:80', 'a.localhost']) {
        expect(await askAs(host, '/simulator/outbox'), host).to.equal(200)
      }
      const text = JSON.stringify({ fromNumber: FRIEND, toNumber: line.number, text: 'Hi' })
      for (const host of [
        'rebound.example',
        `rebound.example:${web.port}`,
        '127.0.0.1.example',
        '10.0.0.1',
      ]) {
        expect(await askAs(host, '/simulator/outbox'), host).to.equal(403)
        expect(await askAs(host, '/simulator/inbound', text), host).to.equal(403)
      }
      expect(await received()).to.deep.equal([])
      expect((await inbound()).status).to.equal(200)
    })
  })

  for (const [what, environment] of [
    ['listens on more than loopback', { HOST: '0.0.0.0' }],
    ['has a public URL', { PUBLIC_URL: 'https://lines.example.com' }],
    ['stands behind a proxy', { TRUSTED_PROXY_HOPS: '1' }],
  ] as const) {
    describe(`where the server ${what}`, () => {
      beforeEach(() => open(environment))

      it('want an API token, and are described so', async () => {
        for (const headers of [undefined, { Authorization: 'Bearer lhp_nobody' }]) {
          for (const answer of [await inbound(headers), await outbox(headers)]) {
            expect(answer.status).to.equal(401)
            expect(answer.headers.get('www-authenticate')).to.match(/^Bearer/)
          }
        }
        expect(await received()).to.deep.equal([])
        const token = await tokenOf(line)
        expect((await inbound(token)).status).to.equal(200)
        expect((await outbox(token)).status).to.equal(200)
        const { paths } = describeApi(context)
        for (const operation of [paths['/simulator/inbound']?.post, paths['/simulator/outbox']?.get]) {
          expect(operation).not.to.have.property('security')
          expect(operation?.responses).to.have.property('401')
        }
      })
    })
  }

  it('show and reach with a token only the lines of its user', async () => {
    await open({ HOST: '0.0.0.0' })
    const other = await createLine(context)
    await take(line, 'mine')
    await take(other, 'theirs')
    const token = await tokenOf(line)
    expect(((await outbox(token)).body as { text: string }[]).map(({ text }) => text)).to.deep.equal(['mine'])
    expect((await inbound(token, other)).status).to.equal(404)
    expect(await received()).to.deep.equal([])
  })
})
