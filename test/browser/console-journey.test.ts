import { expect } from 'chai'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { freePort } from '../../dev/services/free-port.js'
import type { Context } from '../../src/domain/context.js'
import { addLine } from '../../src/domain/lines/lines.js'
import { createSetUpLink } from '../../src/domain/people/set-up-links.js'
import { addUser } from '../../src/domain/people/users.js'
import { openings } from '../helpers/openings.js'
import { startWeb, startWorkers, stopProcesses } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import { createInstallation } from '../journeys/support/steps.js'
import { browserForSuite } from './support.js'

const PASSWORD = 'correct horse battery staple'
const PHONE = '+15005550199'

/** Section 3 of the specification, by a stranger who has a set-up link and a browser. */
describe('the console in a browser', function () {
  this.timeout(300_000)

  let context: Context
  let receiver: Receiver
  let url: string
  let lineCount = 0

  after(stopProcesses)
  const open = openings()
  const browser = browserForSuite()

  before(async () => {
    const port = String(await freePort())
    url = `http://127.0.0.1:${port}`
    const installation = await createInstallation({ PORT: port, PUBLIC_URL: url })
    context = open(installation.context)
    receiver = await open(startReceiver())
    await Promise.all([
      startWeb(installation.environment),
      startWorkers(['send-message', 'deliver-event', 'maintenance'], installation.environment),
    ])
  })

  const post = async (webhookUrl: string, text: string) => {
    const response = await fetch(webhookUrl, {
      method: 'POST',
      body: JSON.stringify({ intent: 'message', data: { toNumber: PHONE, text } }),
    })
    return { status: response.status, body: (await response.json()) as unknown }
  }

  for (const [what, options] of [
    ['on a desk', { viewport: { width: 1280, height: 900 } }],
    ['on a phone, in the dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
    ['without JavaScript', { javaScriptEnabled: false }],
  ] as const satisfies readonly (readonly [string, BrowserContextOptions])[]) {
    it(`connects a line, sends and receives, and disconnects it (${what})`, async () => {
      const hasScript = what !== 'without JavaScript'
      const name = what.replace(/\W+/g, '-')
      const number = `+1555555${String((lineCount += 1)).padStart(4, '0')}`
      const user = await addUser(context, { email: `${name}@example.com` })
      await addLine(context, { userId: user.id, number, name: 'Front desk', carrierAccount: 'simulator' })
      const setUp = new URL((await createSetUpLink(context, user.id)).url)

      const { page, complaints, screenshot } = await browser.openPage(url, options)
      const show = (step: string) => screenshot(`${name}-${step}`)
      /** What changes by itself with a script is looked for by reloading without one. */
      const sees = async (target: Page, text: string | RegExp, within = 'body') => {
        await until(`${String(text)} is on ${target.url()}`, async () => {
          if (await target.locator(within).getByText(text).first().isVisible()) return true
          if (!hasScript) await target.reload()
          return false
        })
      }

      const openLine = () =>
        page
          .getByRole('link', { name: 'Front desk' })
          .or(page.getByRole('link', { name: number }))
          .first()
          .click()

      /** The page's scripts have run then. */
      const openTab = async (tab: string) => {
        await page.getByRole('navigation', { name: 'This line' }).getByRole('link', { name: tab }).click()
        await page.waitForLoadState()
      }

      /** On a phone the navigation is behind a button, also without a script. */
      const openMenu = async () => {
        const button = page.getByRole('button', { name: /^Menu/ })
        if (await button.isVisible()) await button.click()
      }
      const goTo = async (place: string) => {
        await openMenu()
        await page
          .getByRole('navigation', { name: 'Main' })
          .getByRole('link', { name: place, exact: true })
          .click()
        await page.waitForLoadState()
      }

      await page.goto(setUp.pathname + setUp.search)
      await page.getByLabel('New password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Set password and sign in' }).click()
      await page.waitForURL('**/console')
      await show('1-lines')

      await openLine()
      await show('2-line')
      await openTab('Access')
      await page.locator('#connection').getByRole('button', { name: 'Enable' }).click()
      await sees(page, 'Developer connection enabled.')

      await openTab('Receive')
      await page.getByLabel("Your server's URL").fill(receiver.url)
      await page.getByRole('button', { name: 'Save URL' }).click()
      await sees(page, 'Outgoing webhook URL saved.')
      await page.getByRole('link', { name: 'Endpoint settings' }).click()
      await page.getByRole('button', { name: 'Send test event' }).click()
      await sees(page, /Your server returned HTTP 200/)
      await page
        .getByRole('navigation', { name: 'Breadcrumbs' })
        .getByRole('link', { name: 'Front desk' })
        .click()

      await openTab('Send')
      await page.getByRole('button', { name: 'Create incoming webhook' }).click()
      const webhookUrl = (await page.locator('#webhook-url').textContent()) ?? ''
      if (hasScript) {
        await page.getByRole('button', { name: 'Copy the URL' }).click()
        await until(
          'the URL is copied',
          async () => (await page.evaluate(() => navigator.clipboard.readText())) === webhookUrl,
        )
      }
      await show('3-connected')

      const tour = await page.context().newPage()
      await tour.goto('/console')
      await tour.getByRole('link', { name: 'Connect your server' }).click()
      await tour.getByText('Python', { exact: true }).click()
      await tour.locator('#receive-code-python').waitFor()
      expect(await tour.locator('#receive-code-node').isVisible()).to.equal(false)
      await sees(tour, '0 of 3 done')

      const phone = await page.context().newPage()
      await phone.goto(`/simulator?phone=${encodeURIComponent(PHONE)}`)
      expect(await post(webhookUrl, `Your table is ready, ${name}`)).to.deep.equal({
        status: 200,
        body: { success: true },
      })
      await sees(phone, `Your table is ready, ${name}`)
      await sees(tour, '1 of 3 done')

      const before = receiver.requests.length
      await phone.getByLabel('Text', { exact: true }).fill(`On my way, ${name}`)
      await phone.getByRole('button', { name: 'Send', exact: true }).click()
      await sees(phone, `On my way, ${name}`)
      await until('the event is delivered', () => receiver.requests.length > before)
      expect(JSON.parse(receiver.requests.at(-1)?.body ?? '')).to.include({
        type: 'inboundText',
        payload: `On my way, ${name}`,
        fromNumber: PHONE,
        toNumber: number,
      })
      await sees(tour, /your server returned HTTP 200 in \d+ ms\./)
      await sees(tour, 'All done.')
      await phone.screenshot({
        path: `test/browser/screenshots/${name}-4-phone.png`,
        fullPage: true,
        caret: 'initial',
      })

      await goTo('Activity')
      await sees(page, `On my way, ${name}`)
      await show('5-activity')
      await page.getByRole('link', { name: `From ${PHONE}` }).click()
      await sees(page, /delivered/i, '.way-page')
      await show('6-message')

      await goTo('Lines')
      await openLine()
      await openTab('Send')
      await page.locator('#messages input[name=to]').fill(PHONE)
      await page.locator('#messages textarea').fill(`By hand, ${name}`)
      if (!hasScript) await page.getByRole('button', { name: 'Count segments' }).click()
      await sees(page, '1 segment, GSM-7')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await sees(page, 'Message accepted.')
      await sees(phone, `By hand, ${name}`)

      await goTo('Lines')
      await openLine()
      await openTab('Send')
      await page.getByText('Regenerate token…').click()
      await page.getByRole('button', { name: 'Regenerate' }).click()
      await sees(page, 'Incoming webhook URL regenerated.')
      const newUrl = (await page.locator('#webhook-url').textContent()) ?? ''
      expect(await post(webhookUrl, 'Old')).to.deep.equal({
        status: 403,
        body: { success: false, error: 'URL is invalid' },
      })
      expect((await post(newUrl, 'New')).status).to.equal(200)

      await openTab('Danger')
      await page.getByText('Disconnect…').click()
      await page.getByRole('button', { name: 'Disconnect' }).click()
      await sees(page, /Disconnected. The connection is disabled/)
      expect(await post(newUrl, 'Gone')).to.deep.equal({
        status: 404,
        body: { success: false, error: "URL doesn't exist" },
      })
      await show('7-disconnected')

      await openMenu()
      await page.getByRole('banner').getByText('Account').click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await sees(page, 'You are signed out.')
      expect(complaints).to.deep.equal([])
    })
  }
})
