import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { build } from 'esbuild'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import { publicKeyOf, signatureHeaders } from '../../src/domain/endpoints/deliveries/signature.js'
import { createTestContext } from '../helpers/context.js'
import { createLine } from '../helpers/factories.js'
import { openings } from '../helpers/openings.js'
import { serveApp } from '../helpers/web/web.js'
import { browserForSuite } from './support.js'

/** A page of another origin, to which the browser shows only what CORS allows. */
describe('the TypeScript client in a browser', () => {
  const open = openings()
  const browser = browserForSuite()

  it('sends, reads page by page, gets the reason for a refusal, and verifies both kinds of signatures', async () => {
    const { outputFiles } = await build({
      entryPoints: ['clients/typescript/src/index.ts'],
      bundle: true,
      format: 'esm',
      write: false,
    })
    const server = createServer((request, response) => {
      const isScript = request.url === '/client.js'
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
      response.end(isScript ? outputFiles[0]?.text : '<!doctype html><title>x</title>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    void open({ close: promisify(server.close.bind(server)) })
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`

    const context = await open(createTestContext())
    const web = await open(serveApp(context))
    const line = await createLine(context)
    const { token } = await createApiToken(context, line.userId, 'a page')
    const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
    const body = JSON.stringify({
      ...{ type: 'optOut', payload: 'optedOut', fromNumber: '+15005550199', toNumber: line.number },
      ...{ userId: line.userId, lineId: line.lineId },
    })
    const headers = signatureHeaders('x', Math.floor(Date.now() / 1000), body, [secret], ['v1', 'v1a'])

    const { page, complaints } = await browser.openPage(origin)
    await page.goto(origin)
    const seen = await page.evaluate(
      `(async ({ url, token, lineId, body, headers, keys }) => {
        const { Linehook, verify } = await import('/client.js')
        const linehook = new Linehook({ url, token })
        for (const text of ['One', 'Two']) {
          await linehook.sendMessage({ lineId, toNumber: '+15005550199', text }, { idempotencyKey: text })
        }
        const texts = []
        for await (const message of linehook.iterateMessages({ limit: 1 })) texts.push(message.text)
        const { status, problem } = await linehook.getLine(keys[0]).catch((error) => error)
        const payloads = []
        for (const key of keys) payloads.push((await verify(body, new Headers(headers), key)).payload)
        return { texts, status, detail: problem.detail, payloads }
      })(${JSON.stringify({ url: web.url, token, lineId: line.lineId, body, headers, keys: [secret, publicKeyOf(secret)] })})`,
    )
    expect(seen).to.deep.equal({
      texts: ['Two', 'One'],
      status: 404,
      detail: 'No such line',
      payloads: ['optedOut', 'optedOut'],
    })
    // What it asked of Linehook, and the browser's own word about the 404.
    expect(
      complaints.filter((each) => each !== `request to ${web.url}` && !each.includes('404')),
    ).to.deep.equal([])
  })
})
