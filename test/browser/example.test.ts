import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../../dev/services/free-port.js'
import type { Context } from '../../src/domain/context.js'
import { newId } from '../../src/ids.js'
import { createPerson } from '../domain/people/people.js'
import { launchBrowser, openPage, type WatchedPage } from '../helpers/web/browser.js'
import type { Environment } from '../helpers/process/environment.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { openings } from '../helpers/openings.js'
import {
  runProgram,
  startWeb,
  startWorkers,
  stopProcesses,
  type RunningProcess,
} from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { createInstallation, outboundMessages, textTo } from '../journeys/support/steps.js'
import { signIn } from './support.js'

const NODE = fileURLToPath(new URL('../../examples/auto-reply/', import.meta.url))
const PYTHON = fileURLToPath(new URL('../../examples/auto-reply-python/', import.meta.url))

interface Example {
  language: string
  command: string[]
  folder: string
  /** Of an answer that its browser did not ask for. */
  saysOfState: string
  phone: string
  otherPhone: string
}

const EXAMPLES: Example[] = [
  {
    language: 'Node',
    command: [process.execPath, 'server.js'],
    folder: NODE,
    saysOfState: 'unexpected "state" response parameter value',
    phone: '+15005550199',
    otherPhone: '+15005550177',
  },
]
if (spawnSync('python3', ['--version']).status === 0)
  EXAMPLES.push({
    language: 'Python',
    // -B: it leaves no compiled files behind.
    command: ['python3', '-B', 'server.py'],
    folder: PYTHON,
    saysOfState: 'the answer has another state than we gave',
    phone: '+15005550198',
    otherPhone: '+15005550178',
  })

/** Specification §4.3 with programs that know nothing of Linehook but its addresses: as developers run them. */
describe('the example application', function () {
  this.timeout(300_000)

  let context: Context
  let browser: Browser
  let url: string

  after(stopProcesses)
  const open = openings()

  before(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    const installation = await createInstallation({ PORT: String(port), PUBLIC_URL: url })
    context = open(installation.context)
    browser = await open(launchBrowser())
    await Promise.all([
      startWeb(installation.environment),
      startWorkers(['send-message', 'deliver-event', 'maintenance'], installation.environment),
    ])
  })

  it('uses the library versions that are tested here', () => {
    const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, Environment>
    const { devDependencies } = read('package.json')
    for (const [name, version] of Object.entries(read(`${NODE}package.json`).dependencies ?? {})) {
      expect(devDependencies?.[name], name).to.equal(version)
    }
  })

  for (const example of EXAMPLES)
    describe(`in ${example.language}`, () => {
      describeExample(example)
    })

  function describeExample({ command, folder, saysOfState, phone, otherPhone }: Example): void {
    let exampleUrl: string
    let example: RunningProcess
    let environment: Environment
    let developer: WatchedPage
    let visitor: WatchedPage
    let shop: TestLine

    before(async () => {
      const port = await freePort()
      exampleUrl = `http://127.0.0.1:${port}`
      environment = { LINEHOOK_URL: url, PORT: String(port), APP_URL: exampleUrl }
      ;[developer, visitor] = await Promise.all([openPage(browser, url), openPage(browser, url)])
    })

    /** As Linehook would. @returns the status */
    const postEvent = async (fromNumber: string, payload: string, id: string, secret: string) => {
      const { lineId, userId, number: toNumber } = shop
      const body = JSON.stringify({ type: 'inboundText', payload, fromNumber, toNumber, userId, lineId })
      const now = new Date()
      const { status } = await fetch(`${exampleUrl}/events`, {
        method: 'POST',
        headers: {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': new Webhook(secret).sign(id, now, body),
        },
        body,
      })
      return status
    }

    const whenReplied = (eventId: string) =>
      until(
        () => `there is a reply to ${eventId}; the example said:\n${example.lines.join('\n')}`,
        () => example.outputLines.includes(`Replied to event ${eventId}`),
      )

    it('names the settings that are missing', async () => {
      const started = runProgram('auto-reply', command, { ...environment, CLIENT_ID: 'x' }, { cwd: folder })
      expect(await started.exitCode).to.equal(1)
      expect(started.lines.join('\n')).to.include('Set CLIENT_SECRET, SIGNING_SECRET')
    })

    it('starts with the values that the console shows when it is registered', async () => {
      const { page } = developer
      await page.goto('/console/applications')
      await signIn(page, await createPerson(context))
      await page.getByRole('button', { name: 'Register application' }).click()
      await page.getByLabel(/^Name/).fill('Auto reply')
      await page.getByLabel(/^Redirect URIs/).fill(`${exampleUrl}/callback`)
      await page.getByLabel(/^Webhook URL/).fill(`${exampleUrl}/events`)
      await page.getByRole('button', { name: 'Register', exact: true }).click()
      const shown = async (id: string) => (await page.locator(id).textContent()) ?? ''
      environment.CLIENT_ID = await shown('#client-id')
      environment.CLIENT_SECRET = await shown('#client-secret')
      await page.getByRole('link', { name: 'Endpoint settings' }).click()
      await page.getByRole('button', { name: 'Show secret' }).click()
      environment.SIGNING_SECRET = await shown('#secret')

      example = runProgram('auto-reply', command, environment, { cwd: folder })
      await until(
        () => `it listens; it said:\n${example.lines.join('\n')}`,
        () => example.outputLines.includes(`Auto reply is at ${exampleUrl}`),
      )
    })

    it('sends a user to Linehook, who signs in, selects a line and returns', async () => {
      const user = await createPerson(context)
      shop = await createLine(context, { userId: user.id, name: 'Shop' })
      await createLine(context, { userId: user.id, name: 'Home' })
      const { page } = visitor
      await page.goto(exampleUrl)
      await page.getByRole('link', { name: 'Connect your lines' }).click()
      await signIn(page, user)
      await page.getByRole('checkbox', { name: 'Shop' }).check()
      await page.getByRole('button', { name: 'Authorize', exact: true }).click()
      await page.getByText(`Connected: Shop (${shop.number}).`).waitFor()
      await visitor.screenshot('example-connected')
    })

    it('exchanges no code for a browser that did not start there, or has another state', async () => {
      const again = await fetch(visitor.page.url())
      expect(again.status).to.equal(400)
      const other = await fetch(`${exampleUrl}/callback?code=x&state=y&iss=${encodeURIComponent(url)}`, {
        headers: { Cookie: 'connecting=z.verifier' },
      })
      expect(other.status).to.equal(500)
      // Its answer may be here before what it wrote is.
      await until('it says why', () => example.errorLines.join('\n').includes(saysOfState))
    })

    it('replies to a text that the line receives', async () => {
      const { page } = visitor
      await page.goto(`${url}/simulator?phone=${encodeURIComponent(phone)}`)
      await textTo(url, { fromNumber: phone, toNumber: shop.number, text: 'Are you open?' })
      await page.getByText('You said: Are you open?').waitFor()
      expect((await outboundMessages(context, shop)).map(({ to_number }) => to_number)).to.deep.equal([phone])
    })

    it('refreshes an expired token', async () => {
      await expireAccessTokens()
      const ids = [newId(), newId()] as const
      const { SIGNING_SECRET = '' } = environment
      // Two at once: one refreshes, and the other must not use the same refresh token.
      await Promise.all(ids.map((id) => postEvent(otherPhone, `Event ${id}`, id, SIGNING_SECRET)))
      await Promise.all(ids.map(whenReplied))
      await textTo(url, { fromNumber: phone, toNumber: shop.number, text: 'And now?' })
      await visitor.page.getByText('You said: And now?').waitFor()
    })

    it('replies once to a repeated event, and never to one that Linehook did not sign', async () => {
      const [id, next] = [newId(), newId()]
      const { SIGNING_SECRET = '' } = environment
      const forged = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
      expect(await postEvent(otherPhone, 'Forged', newId(), forged)).to.equal(401)
      expect(await postEvent(otherPhone, 'Again', id, SIGNING_SECRET)).to.equal(200)
      await whenReplied(id)
      expect(await postEvent(otherPhone, 'Again', id, SIGNING_SECRET)).to.equal(200)
      expect(await postEvent(otherPhone, 'Next', next, SIGNING_SECRET)).to.equal(200)
      await whenReplied(next)
      expect(example.outputLines.filter((line) => line.endsWith(id))).to.have.length(1)
      expect(await textsTo(otherPhone))
        .to.include('You said: Again')
        .and.not.include('You said: Forged')
    })

    it('stops replying once the user has disconnected it', async () => {
      const { page } = visitor
      await page.goto(`${url}/console/authorized-applications`)
      await page.getByText('Disconnect application…').click()
      await page.getByRole('button', { name: 'Disconnect application' }).click()
      await page.getByText('No application can use your lines.').waitFor()
      const before = await outboundMessages(context, shop)
      const deliveries = () => context.db('deliveries').where({ line_id: shop.lineId }).pluck<string[]>('id')
      const delivered = await deliveries()

      await page.goto(`${url}/simulator?phone=${encodeURIComponent(phone)}`)
      await textTo(url, { fromNumber: phone, toNumber: shop.number, text: 'Still there?' })
      await page.getByText('Still there?').waitFor()
      expect(await deliveries()).to.have.members(delivered)

      // One that was under way: its tokens are worth nothing.
      await postEvent(phone, 'Late', newId(), environment.SIGNING_SECRET ?? '')
      await until('it is refused', () => example.errorLines.some((line) => line.includes('invalid_grant')))
      expect(await outboundMessages(context, shop)).to.have.length(before.length)
      expect(await page.getByText('You said: Still there?').count()).to.equal(0)
      expect(example.isRunning()).to.be.true
    })

    it('causes no errors in the browser console', () => {
      // Going back to the application is a request to it.
      const own = visitor.complaints.filter((each) => each !== `request to ${exampleUrl}`)
      expect([...developer.complaints, ...own]).to.deep.equal([])
    })

    async function expireAccessTokens(): Promise<void> {
      await context.db.raw(
        `update oauth_records set expires_at = now() - interval '1 second',
         payload = payload || jsonb_build_object('exp', extract(epoch from now())::integer - 1)
       where kind = 'AccessToken'`,
      )
    }

    function textsTo(number: string): Promise<string[]> {
      return context.db('messages').where({ line_id: shop.lineId, to_number: number }).pluck<string[]>('text')
    }
  }
})
