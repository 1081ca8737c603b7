import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { freePort } from '../../../../dev/services/free-port.js'
import type { CallbackRequest } from '../../../../src/carriers/callbacks.js'
import { listCallbackUrls, type CallbackUrl } from '../../../../src/domain/carriers/callback-urls.js'
import { addCarrierAccount, type CarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { testCallbacks } from '../../../../src/domain/carriers/accounts/callbacks-test.js'
import { keepUnclearCallback } from '../../../../src/domain/carriers/unclear-callbacks.js'
import type { Context } from '../../../../src/domain/context.js'
import { createTestContext } from '../../../helpers/context.js'
import { browseAs } from '../support.js'
import { serveApp, type TestWeb } from '../../../helpers/web/web.js'

describe('the callbacks of a carrier account', () => {
  let context: Context
  let web: TestWeb
  let account: CarrierAccount

  before(async () => {
    const port = await freePort()
    context = await createTestContext({ PUBLIC_URL: `http://127.0.0.1:${port}` })
    web = await serveApp(context, { port })
    const settings = { apiKey: 'KEY', publicKey: Buffer.alloc(32, 1).toString('base64') }
    account = await addCarrierAccount(context, { name: 'telnyx', kind: 'telnyx', settings })
  })

  after(async () => {
    await web.close()
    await context.close()
  })

  const request = (body: string): CallbackRequest => ({
    ...{ method: 'POST', url: '', key: '', address: '127.0.0.1', content: undefined, fields: {} },
    query: new URLSearchParams(),
    body: Buffer.from(body),
    header: () => 'application/json',
  })
  const operate = () => browseAs(context, web, 'operator')
  const page = async () => (await (await operate()).get(`/console/carriers/${account.id}`)).text

  it('are on its page, to be entered at the carrier', async () => {
    const html = await page()
    expect(html).to.include(`${context.config.publicUrl}/carriers/telnyx/${account.id}/events`)
    expect(html).not.to.include('Not understood')
  })

  it('of a carrier that signs nothing are secret: they are shown when they are asked for', async () => {
    const settings = { username: 'acme', apiKey: 'KEY' }
    const unsigned = await addCarrierAccount(context, { name: 'africa', kind: 'africastalking', settings })
    const [{ url }] = (await listCallbackUrls(context, unsigned)) as [CallbackUrl]
    const key = new URL(url).searchParams.get('key')!
    const path = `/console/carriers/${unsigned.id}`
    const browser = await operate()
    expect((await browser.get(path)).text)
      .to.include('?key=••••')
      .and.not.to.include(key)
    expect((await browser.get(`${path}?show=callbacks`)).text).to.include(key)
  })

  it('that nobody understood are there too, with why and the bytes', async () => {
    for (const body of ['{"a":"<b>"}', '{"a":"<b>"}', '{"other":1}']) {
      await keepUnclearCallback(context, account, {
        why: 'an event of type "x"',
        name: 'events',
        request: request(body),
      })
    }
    const html = await page()
    expect(html)
      .to.include('Not understood (2)')
      .and.include('(2 times)')
      .and.include('{&quot;a&quot;:&quot;&lt;b>')
    expect(html).not.to.include('<b>"}')
  })

  it('are tried by PUBLIC_URL', async () => {
    expect(await testCallbacks(context, account)).to.equal(undefined)
    const other = createServer((_, response) => response.writeHead(404).end('no such page'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const at = (publicUrl: string) => ({ ...context, config: { ...context.config, publicUrl } })
    expect(await testCallbacks(at(`http://127.0.0.1:${port}`), account)).to.match(
      /returned HTTP 404.*PUBLIC_URL/,
    )
    await new Promise((resolve) => other.close(resolve))
    expect(await testCallbacks(at(`http://127.0.0.1:${port}`), account)).to.match(
      /is not reachable from here/,
    )
  })

  it('are tried by Test account as well, also without a script', async () => {
    const phones = createServer((_, response) => response.end(JSON.stringify({ data: [] })))
    await new Promise<void>((resolve) => phones.listen(0, '127.0.0.1', resolve))
    const settings = { apiKey: 'KEY', apiUrl: `http://127.0.0.1:${(phones.address() as AddressInfo).port}` }
    const { id } = await addCarrierAccount(context, { name: 'phones', kind: 'httpsms', settings })
    const publicUrl = `http://127.0.0.1:${await freePort()}`
    const lost = { ...context, config: { ...context.config, publicUrl } }
    const there = await serveApp(lost)
    const operator = await browseAs(lost, there, 'operator')
    const { text } = await operator.submit(`/console/carriers/${id}/test`)
    expect(text)
      .to.include('<span class="badge good">passed</span>')
      .and.match(/Incoming messages do not reach this service: \S+ is not reachable from here/)
    await there.close()
    await new Promise((resolve) => phones.close(resolve))
  })
})
