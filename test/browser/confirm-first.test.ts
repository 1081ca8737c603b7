import { expect } from 'chai'
import type { BrowserContextOptions } from 'playwright-core'
import { createPerson, PASSWORD, type Person } from '../domain/people/people.js'
import { createLine } from '../helpers/factories.js'
import { describeWeb } from '../helpers/web/web.js'
import { loseFreshness } from '../web/console/support.js'
import { browserForSuite } from './support.js'

describeWeb('a form that needs a recent password, in a browser', function ({ context, web }) {
  this.timeout(300_000)

  const browser = browserForSuite()

  /** Signed in, and the password was given a while ago. */
  const openAs = async ({ id: userId }: Person, options: BrowserContextOptions) => {
    const watched = await browser.openSignedIn({ context, url: web.url, userId }, options)
    await loseFreshness(context)
    return watched
  }

  it('adds a user with one form and one password, on a wide screen', async () => {
    const watched = await openAs(await createPerson(context, { role: 'operator' }), {
      viewport: { width: 1280, height: 900 },
    })
    const { page } = watched
    await page.goto('/console/users')
    await page.getByText('Add user').click()
    await page.getByLabel('Email', { exact: true }).fill('grace@example.com')
    await page.getByLabel('Name').fill('Grace')
    await page.getByLabel('Role').first().selectOption('operator')
    await page.getByRole('button', { name: 'Add user' }).click()
    await page.getByRole('heading', { name: "Confirm it's you" }).waitFor()
    await watched.screenshot('confirm-first-asks')
    await page.getByLabel('Password').fill('wrong horse')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Wrong password').waitFor()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Set-up link for grace@example.com' }).waitFor()
    await watched.screenshot('confirm-first-done')
    const rows = await context.db('users').where({ email: 'grace@example.com' }).select('name', 'role')
    expect(rows).to.deep.equal([{ name: 'Grace', role: 'operator' }])
    // A browser calls a page that answers 401 a failed resource.
    expect(watched.complaints.filter((said) => !said.includes('401'))).to.deep.equal([])
  })

  it('changes the URL of a line’s events, on a phone without scripts', async () => {
    const person = await createPerson(context)
    const { lineId } = await createLine(context, {
      userId: person.id,
      outgoingUrl: 'http://127.0.0.1:9/before',
    })
    const watched = await openAs(person, {
      viewport: { width: 390, height: 844 },
      javaScriptEnabled: false,
      colorScheme: 'dark',
    })
    const { page } = watched
    await page.goto(`/console/lines/${lineId}/receive`)
    await page.getByLabel("Your server's URL").fill('http://127.0.0.1:9/after')
    await page.getByRole('button', { name: 'Save URL' }).click()
    await page.getByRole('heading', { name: "Confirm it's you" }).waitFor()
    await watched.screenshot('confirm-first-without-scripts')
    const urls = () => context.db('endpoints').where({ user_id: person.id }).pluck<string[]>('url')
    expect(await urls()).to.deep.equal(['http://127.0.0.1:9/before'])
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Outgoing webhook URL saved.').waitFor()
    expect(await urls()).to.deep.equal(['http://127.0.0.1:9/after'])
  })
})
