import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { readCertificateEnd } from '../../../bin/doctor/certificate.js'
import { createSafeFetch } from '../../../src/safe-fetch.js'
import { createTestContext } from '../../helpers/context.js'
import { environmentForAllTests, type Environment } from '../../helpers/process/environment.js'
import { createLine } from '../../helpers/factories.js'
import { openings } from '../../helpers/openings.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { SELF_MADE } from '../../helpers/services/self-made.js'
import { serveApp } from '../../helpers/web/web.js'
import { runDoctor } from './run-doctor.js'

describe('what the doctor says of PUBLIC_URL', () => {
  const open = openings()
  const environment = environmentForAllTests()

  before(async () => createLine(await open(createTestContext(environment))))

  const lookAt = async (publicUrl: string, overrides: Environment = {}) =>
    (await runDoctor({ ...environment, ...overrides, PUBLIC_URL: publicUrl })).PUBLIC_URL

  /** A service of somebody else, or a proxy. */
  const startOther = async (status: number, body = '', headers: Record<string, string> = {}) => {
    const other = await open(startReceiver())
    other.answerWith((response) => response.writeHead(status, headers).end(body))
    return { ...other, url: `http://127.0.0.1:${other.port}` }
  }

  it('this very service, on this machine only', async () => {
    const context = await open(createTestContext(environment))
    const web = await open(serveApp(context))
    const found = await lookAt(web.url)
    expect(found).to.include({ state: 'warning' })
    expect(found?.why).to.match(/points to this machine: `web` answers, but nobody else can reach it/)
  })

  it('a Linehook with another database, also where there is no line to tell by', async () => {
    const context = await open(createTestContext())
    const web = await open(serveApp(context))
    expect((await lookAt(web.url))?.why).to.match(/ points to a Linehook with another database/)
    const { databaseUrl } = context.config
    expect((await lookAt(web.url, { DATABASE_URL: databaseUrl }))?.state).to.equal('warning')
  })

  it('another service, also one that is healthy in the same words', async () => {
    const page = await startOther(200, '<html>welcome</html>')
    expect(await lookAt(page.url)).to.include({
      state: 'fault',
      why: `${page.url} points to another service: it answers 200.`,
    })
    const healthy = await startOther(200, '{"status":"ok"}')
    expect((await lookAt(healthy.url))?.why).to.equal(
      `${healthy.url} points to another service: it returns 200 for an incoming webhook.`,
    )
    expect(healthy.requests.map(({ body }) => body)).to.deep.equal(['', '{}'])
  })

  it('a proxy that reaches nobody, and one that sends callers on', async () => {
    const broken = await startOther(502, 'Bad Gateway')
    expect((await lookAt(broken.url))?.why).to.equal(
      `${broken.url} returns 502: a proxy is there but cannot reach \`web\`.`,
    )
    const moved = await startOther(301, '', { Location: 'https://lines.example.com/healthz?token=S3cret' })
    const found = await lookAt(moved.url)
    expect(found).to.include({ state: 'fault' })
    expect(found?.why).to.include('redirects to https://lines.example.com/healthz,')
  })

  it('nobody there, and no such name', async () => {
    expect(await lookAt('http://127.0.0.1:1')).to.include({ state: 'fault' })
    expect((await lookAt('https://nowhere.invalid'))?.why).to.include('nowhere.invalid')
  })

  it('a private address is a warning that explains itself, and nothing is sent there', async () => {
    const other = await startOther(200, '{"status":"ok"}')
    const found = await lookAt(other.url, { ALLOWED_PRIVATE_CIDRS: '' })
    expect(found).to.include({ state: 'warning' })
    expect(found?.why).to.include('has a private address here')
    expect(other.requests).to.deep.equal([])
  })

  it('a certificate that nobody trusts; and the end of any certificate can be read', async () => {
    const server = createServer(SELF_MADE)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    open({ close: () => new Promise((resolve) => server.close(resolve)) })
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
    expect(await lookAt(url.origin)).to.include({
      state: 'fault',
      cure: 'Give the proxy a valid certificate for this name.',
    })
    const door = open(createSafeFetch({ allowHttp: false, allowedPrivateCidrs: ['127.0.0.0/8'] }))
    expect((await readCertificateEnd(url, door)).getTime()).to.be.above(Date.now())
  })
})
