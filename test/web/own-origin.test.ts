import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { createPerson } from '../domain/people/people.js'
import { createTestContext } from '../helpers/context.js'
import { createLine } from '../helpers/factories.js'
import { startSession } from '../helpers/web/sessions.js'
import { serveApp, type TestWeb } from '../helpers/web/web.js'
import { requestRaw } from '../helpers/web/raw-request.js'

const PUBLIC_URL = 'https://lines.example.com/below'

/** What a browser says of a page, and of where it sent the request. */
interface Said {
  origin?: string
  site?: string
  host?: string
}

describe('a request that a page sends', () => {
  let context: Context
  let web: TestWeb

  async function open(environment: Record<string, string> = {}): Promise<void> {
    context = await createTestContext({ QUEUES_WRITABLE: 'true', ...environment })
    web = await serveApp(context)
  }

  afterEach(async () => {
    await web.close()
    await context.close()
  })

  const ask = (path: string, said: Said, { method = 'POST', headers = {}, body = '' } = {}) => {
    const { origin, site, host = `localhost:${web.port}` } = said
    const told = {
      host,
      ...(origin === undefined ? {} : { origin }),
      ...(site === undefined ? {} : { 'sec-fetch-site': site }),
    }
    return requestRaw(web.port, path, { method, headers: { ...headers, ...told }, body })
  }

  /** Posts sign-in's form as one of its own pages would. */
  async function signIn(said: Said): Promise<number> {
    const { headers, text } = await web.request('/console/sign-in', { headers: { Accept: 'text/html' } })
    const csrf = /name="csrf" value="([\w-]+)"/.exec(text)?.[1] ?? ''
    const answer = await ask('/console/sign-in', said, {
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '',
      },
      body: new URLSearchParams({ csrf, email: 'ada@example.com', password: 'not the password' }).toString(),
    })
    return answer.status
  }

  const bringText = async (said: Said) => {
    const { number: toNumber } = await createLine(context)
    const body = JSON.stringify({ fromNumber: '+15005550199', toNumber, text: 'Hi' })
    return (await ask('/simulator/inbound', said, { body })).status
  }

  const pauseQueues = async (said: Said) => {
    const { id } = await createPerson(context, { role: 'operator' })
    const headers = { Cookie: `__Host-linehook=${await startSession(context, id)}` }
    return (await ask('/queues/api/queues/pause', said, { method: 'PUT', headers })).status
  }

  /** A wrong password is what a form of ours is refused for. */
  const TAKEN = { form: 401, inbound: 200, queues: 200 }
  const REFUSED = { form: 403, inbound: 403, queues: 403 }
  const statuses = async (said: Said) => ({
    form: await signIn(said),
    inbound: await bringText(said),
    queues: await pauseQueues(said),
  })

  it('is refused for a page of another site, even if the browser sends only Origin', async () => {
    await open()
    const host = `localhost:${web.port}`
    for (const said of [
      { origin: 'https://evil.example' },
      { origin: 'https://evil.example', site: 'same-origin' },
      { origin: 'http://localhost:1', host },
      { origin: `http://localhost.evil.example:${web.port}`, host },
      { origin: 'http://127.0.0.1:3000', host },
      { origin: 'null' },
      { origin: 'null', site: 'none' },
      { origin: 'no origin at all' },
      { origin: 'https://evil.example, http://localhost:3000' },
    ]) {
      expect(await statuses(said), JSON.stringify(said)).to.deep.equal(REFUSED)
    }
  })

  it('is accepted from a page at any loopback name of this machine', async () => {
    await open()
    for (const said of [
      {},
      { origin: `http://localhost:${web.port}`, host: `localhost:${web.port}` },
      { origin: `http://127.0.0.1:${web.port}`, host: `127.0.0.1:${web.port}` },
      { origin: `http://[::1]:${web.port}`, host: `[::1]:${web.port}` },
      { origin: 'http://localhost:3000' },
      { origin: 'null', site: 'same-origin' },
    ]) {
      expect(await statuses(said), JSON.stringify(said)).to.deep.equal(TAKEN)
    }
  })

  it('is accepted from PUBLIC_URL only, whatever Host the proxy sends', async () => {
    await open({ PUBLIC_URL })
    const host = 'linehook.internal:3000'
    const form = (origin: string) => signIn({ origin, host })
    expect(await form('https://lines.example.com')).to.equal(TAKEN.form)
    expect(await pauseQueues({ origin: 'https://lines.example.com', host })).to.equal(TAKEN.queues)
    for (const origin of ['http://lines.example.com', 'https://lines.example.com:8443', `http://${host}`]) {
      expect(await form(origin), origin).to.equal(REFUSED.form)
      expect(await pauseQueues({ origin, host }), origin).to.equal(REFUSED.queues)
    }
  })
})
