import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { CLIENT_FILE, generateClient } from '../../dev/client.js'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import type { Context } from '../../src/domain/context.js'
import { changePolicy } from '../../src/domain/endpoints/policies.js'
import { receiveMessage } from '../../src/domain/messages/receive.js'
import { rotateSigningSecret } from '../../src/domain/endpoints/signing-secrets.js'
import { inboundText } from '../domain/fixtures.js'
import { createLine, own } from '../helpers/factories.js'
import { openings } from '../helpers/openings.js'
import { startProcess, stopProcesses } from '../helpers/process/processes.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import { serveApp, type TestWeb } from '../helpers/web/web.js'
import { createInstallation } from '../journeys/support/steps.js'

type Package = typeof import('../../clients/typescript/src/index.js')

const run = promisify(execFile)
const TYPES = resolve('node_modules/@types')
const TSC = resolve('node_modules/typescript/bin/tsc')

const COMPILER_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // No DOM: a program for Node.
  lib: ['es2023'],
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  typeRoots: [TYPES],
}

async function compile(project: string): Promise<void> {
  await run(process.execPath, [TSC, '-p', project]).catch((error: unknown) => {
    throw new Error(String((error as { stdout?: string }).stdout), { cause: error })
  })
}

describe('the TypeScript client', function () {
  // TypeScript compiles four programs, each of which takes half a minute on a busy machine.
  this.timeout(360_000)

  const folder = mkdtempSync(join(tmpdir(), 'linehook-client-'))
  const open = openings()
  let context: Context
  let web: TestWeb
  let client: Package
  let installed: { stdout: string; stderr: string }

  after(stopProcesses)
  after(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  // Three programs of others and an installation: it takes seconds.
  before(async () => {
    const npm = (cwd: string, ...args: string[]) => run('npm', [...args, '--offline', '--no-audit'], { cwd })
    await npm('clients/typescript', 'pack', '--pack-destination', folder)
    writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
    installed = await npm(folder, 'install', './linehook-client-0.1.0.tgz')
    const main = join(folder, 'node_modules/linehook-client/dist/index.js')
    client = (await import(pathToFileURL(main).href)) as Package

    const installation = await createInstallation()
    context = open(installation.context)
    web = await open(serveApp(context))
    await startProcess('deliver-event', installation.environment)
  })

  it('runs no script while it is installed: npm warns about each, and later versions run none', () => {
    expect(installed.stderr).not.to.match(/script/)
    const { scripts } = JSON.parse(readFileSync('clients/typescript/package.json', 'utf8')) as {
      scripts: Record<string, string>
    }
    expect(scripts).to.have.all.keys('build', 'prepack')
  })

  it('is made from the description: `npm run client` writes it', async () => {
    expect(readFileSync(CLIENT_FILE, 'utf8')).to.equal(await generateClient())
  })

  it('lets a strict program send once, read page by page, and see why it is refused', async () => {
    cpSync('test/clients/program.ts', join(folder, 'program.ts'))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }))
    await compile(folder)
    const line = await createLine(context)
    const { token } = await createApiToken(context, line.userId, 'a program')
    const { stdout } = await run(process.execPath, [join(folder, 'program.js')], {
      env: {
        PATH: process.env.PATH,
        LINEHOOK_URL: web.url,
        TOKEN: token,
        WEBHOOK_URL: web.url + line.webhookPath,
      },
    })
    expect(JSON.parse(stdout)).to.deep.equal({
      sameId: true,
      hasMessageId: true,
      texts: ['By the webhook', 'He said: "5 $ \\ 3" 😀'],
      outgoingWebhookUrl: null,
      status: 404,
      detail: 'No such line',
    })
  })

  it('compiles and runs in CommonJS projects too', async () => {
    const project = join(folder, 'commonjs')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{"private":true}')
    const source = `import { Linehook, LinehookError } from 'linehook-client'
      import type { Message } from 'linehook-client'
      const text: Message['text'] = null
      const linehook: Linehook = new Linehook({ url: 'http://localhost', token: 'x' })
      console.log(typeof linehook.sendMessage, new LinehookError('no') instanceof Error, text)`
    writeFileSync(join(project, 'program.ts'), source)
    for (const settings of [
      { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
      { module: 'node16' },
    ]) {
      // What the types say, the program above has checked.
      const compilerOptions = { ...COMPILER_OPTIONS, ...settings, skipLibCheck: true }
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
      await compile(project)
      expect(readFileSync(join(project, 'program.js'), 'utf8')).to.include('require("linehook-client")')
      // Node 20 warns of ES modules that are required.
      const { stdout } = await run(process.execPath, ['--no-warnings', join(project, 'program.js')])
      expect(stdout, settings.module).to.equal('function true null\n')
    }
  })

  it('verifies what a worker posts, by the secret and by the public key, also while they are replaced', async () => {
    const receiver = await open(startReceiver())
    const line = await createLine(context, { outgoingUrl: receiver.url })
    const { token } = await createApiToken(context, line.userId, 'a program')
    const linehook = new client.Linehook({ url: web.url, token })
    await changePolicy(context, ...own(line), { signature: 'v1a' })
    await rotateSigningSecret(context, ...own(line))
    const { signingSecret: secret } = await linehook.getSigningSecret(line.endpointId)
    const { publicKeyUrl } = await linehook.getEndpointPolicy(line.endpointId)
    const { keys } = await linehook.getPublicKeys(publicKeyUrl.split('/').at(-1) ?? '')

    const text = 'He said: "5 $ \\ 3" 😀'
    await receiveMessage(context, inboundText(line, { content: { type: 'inboundText', text } }))
    const { body, headers } = await until('the event comes', () => receiver.requests[0])
    expect(String(headers['webhook-signature']).split(' ')).to.have.length(4)

    const { verify, verifySignature } = client
    for (const key of [secret, line.signingSecret, ...keys, [`whsec_${btoa('x'.repeat(24))}`, secret]]) {
      const event = await verify(body, headers, key)
      expect([event.type, event.payload, event.lineId]).to.deep.equal(['inboundText', text, line.lineId])
    }
    const asHeaders = new Headers(headers as Record<string, string>)
    await verifySignature(new TextEncoder().encode(body), asHeaders, keys)

    const refused = async (
      promise: Promise<unknown>,
      reason: RegExp,
      kind: unknown = client.VerificationError,
    ) => {
      const error: unknown = await promise.catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(kind).with.property('message').that.matches(reason)
    }
    const later = (minutes: number) => ({ now: () => Date.now() + minutes * 60_000 })
    await refused(verify(`${body} `, headers, secret), /no signature/)
    await refused(verify(body, headers, `whsec_${btoa('x'.repeat(24))}`), /no signature/)
    await refused(verify(body, { ...headers, 'webhook-id': 'other' }, secret), /no signature/)
    await refused(
      verify(body, { ...headers, 'webhook-signature': 'v1,%%% v1a,eA== v1' }, [secret, ...keys]),
      /no signature/,
    )
    await refused(verify(body, headers, secret, later(6)), /too far/)
    await refused(verify(body, headers, secret, later(-6)), /too far/)
    await refused(verify(body, { ...headers, 'webhook-timestamp': 'NaN' }, secret), /not a time/)
    await refused(verify(body, {}, secret), /webhook-id is missing/)
    await refused(verify(body, headers, ''), /a key must be whsec_/, TypeError)
  })

  it('says what happened when what answers is not Linehook, or has no time', async () => {
    let behave: RequestListener = () => undefined
    const server: Server = await new Promise((done) => {
      const listening = createServer((request, response) => {
        behave(request, response)
      }).listen(0, '127.0.0.1', () => {
        done(listening)
      })
    })
    void open({
      close: () => {
        server.closeAllConnections()
        return promisify(server.close.bind(server))()
      },
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/below`
    const linehook = new client.Linehook({ url, token: 'lhp_secret', timeoutMs: 60_000 })
    const answered = async (listener: RequestListener, options = {}) => {
      behave = listener
      const error: unknown = await linehook.getLine('x', options).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(client.LinehookError)
      const { message, status, problem, retryAfterSeconds } = error as InstanceType<Package['LinehookError']>
      expect(message).to.include('GET /below/v1/lines/x: ').and.not.include('lhp_secret')
      return { message: message.replace(/^.*?: /, ''), status, detail: problem?.detail, retryAfterSeconds }
    }

    const nothing = { status: undefined, detail: undefined, retryAfterSeconds: undefined }
    const notJson = {
      ...nothing,
      message: 'the response is not JSON. Check that the URL points to Linehook',
      status: 200,
    }
    expect(await answered((_, response) => response.end('<!doctype html>'))).to.deep.equal(notJson)
    expect(await answered((_, response) => response.end('{"id":"half'))).to.deep.equal(notJson)
    const list = async () => {
      for await (const each of linehook.iterateMessages()) expect(each).to.equal('nothing')
    }
    for (const noList of ['{}', 'null', '7']) {
      behave = (_, response) => response.end(noList)
      const error: unknown = await list().catch((thrown: unknown) => thrown)
      expect(error, noList).to.be.instanceOf(client.LinehookError).and.include({ status: 200 })
      expect(String(error)).to.include('the response is not a list. Check that the URL points to Linehook')
    }
    expect(
      await answered((_, response) =>
        response.writeHead(200, { 'Content-Length': 9 }).write('{', () => response.destroy()),
      ),
    ).to.deep.equal({ ...nothing, message: 'no complete response' })
    expect(
      await answered((_, response) => response.writeHead(503, { 'Retry-After': '7' }).end('busy')),
    ).to.deep.equal({ ...nothing, message: 'returned HTTP 503', status: 503, retryAfterSeconds: 7 })
    const date = new Date(Date.now() - 5000).toUTCString()
    expect(
      await answered((_, response) =>
        response
          .writeHead(503, { 'Retry-After': date, 'Content-Type': 'application/problem+json' })
          .end('{"type":"about:blank","title":"x","status":503,"detail":"come later"}'),
      ),
    ).to.deep.equal({ message: 'come later', status: 503, detail: 'come later', retryAfterSeconds: 0 })
    // These are mistakes of the program, and nothing is sent. The sentence does not contain the token.
    behave = () => expect.fail('a request came')
    const mistaken = async (token: string, idempotencyKey?: string) => {
      const program = new client.Linehook({ url, token })
      const body = { lineId: 'x', toNumber: '+15551234567', text: 'Hi' }
      const error: unknown = await program
        .sendMessage(body, { idempotencyKey })
        .catch((each: unknown) => each)
      expect(error).to.be.instanceOf(TypeError)
      return (error as TypeError).message
    }
    expect(await mistaken('lhp_sécret')).to.equal('token is empty, or has a character that no token has')
    expect(await mistaken('')).to.equal('token is empty, or has a character that no token has')
    expect(await mistaken('lhp_x', 'заказ-1')).to.equal(
      'idempotencyKey has a character that an HTTP header cannot contain. Use ASCII',
    )
    // The token goes to no other server.
    expect(
      await answered((_, response) => response.writeHead(302, { Location: `${web.url}/v1/lines` }).end()),
    ).to.deep.equal({ ...nothing, message: 'returned HTTP 302', status: 302 })
    expect(await answered(() => undefined, { timeoutMs: 50 })).to.deep.equal({
      ...nothing,
      message: 'no complete response within 50 ms',
    })
    // One that goes on without an end.
    expect(
      await answered((_, response) => {
        const more = () => {
          while (response.writable && response.write(' '.repeat(1_000_000)));
        }
        response.on('drain', more)
        more()
      }),
    ).to.deep.equal({ ...nothing, message: 'no complete response' })

    behave = () => undefined
    const own = new Error('the user left')
    const left = linehook.getLine('x', { signal: AbortSignal.abort(own) }).catch((thrown: unknown) => thrown)
    expect(await left).to.equal(own)
    const outside: unknown = await linehook.getLine('..').catch((thrown: unknown) => thrown)
    expect(outside).to.be.instanceOf(TypeError)
  })
})
