import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { freePort } from '../../dev/services/free-port.js'
import type { Context } from '../../src/domain/context.js'
import { findSecondFactors } from '../../src/domain/people/second-factors.js'
import { createPerson, PASSWORD, type Person } from '../domain/people/people.js'
import { launchBrowser, openPage, type WatchedPage } from '../helpers/web/browser.js'
import { createTestContext } from '../helpers/context.js'
import { openings } from '../helpers/openings.js'
import { setUpApp } from '../helpers/web/second-factor.js'
import { serveApp } from '../helpers/web/web.js'

describe('a lost second factor in a browser', () => {
  let context: Context
  let browser: Browser
  let url: string
  let ada: Person

  const open = openings()

  before(async () => {
    const port = await freePort()
    url = `http://localhost:${port}`
    context = await open(createTestContext({ PUBLIC_URL: url }))
    await open(serveApp(context, { port }))
    browser = await open(launchBrowser())
    ada = await createPerson(context)
    await setUpApp(context, ada.id)
  })

  const signIn = async (): Promise<WatchedPage> => {
    const { email } = await createPerson(context, { role: 'operator' })
    const watched = await openPage(browser, url)
    await watched.page.goto('/console/sign-in')
    await watched.page.getByLabel('Email').fill(email)
    await watched.page.getByLabel('Password').fill(PASSWORD)
    await watched.page.getByRole('button', { name: 'Sign in' }).click()
    await watched.page.waitForURL('**/console/overview')
    return watched
  }

  it('is reported by one operator, who cannot confirm its removal, and removed by another', async () => {
    const [first, second] = [await signIn(), await signIn()]
    const users = `/console/users/${ada.id}`

    await first.page.goto(users)
    await first.page.getByText('Request removal…', { exact: true }).click()
    await first.page.getByLabel('How did you verify their identity?').fill('She called from her desk.')
    await first.screenshot('lost-second-factor-ask')
    await first.page.getByRole('button', { name: 'Ask another operator' }).click()
    await first.page.getByText('Another operator has to confirm it until').waitFor()
    expect(await first.page.getByRole('button', { name: 'Remove second factor' }).count()).to.equal(0)
    await first.screenshot('lost-second-factor-asked')

    await second.page.goto('/console/notices')
    await second.page.getByText('has requested to remove the second factor').waitFor()
    await second.page.getByRole('link', { name: 'Open the user' }).click()
    await second.page.getByText('She called from her desk.').waitFor()
    await second.page.getByText('Confirm', { exact: true }).click()
    await second.screenshot('lost-second-factor-confirm')
    await second.page.getByRole('button', { name: 'Remove second factor' }).click()
    await second.page.getByText('Second factor removed. The user').waitFor()
    expect((await findSecondFactors(context, ada.id)).app).to.equal(undefined)
    await second.screenshot('lost-second-factor-removed')
    expect([...first.complaints, ...second.complaints]).to.deep.equal([])
  })
})
