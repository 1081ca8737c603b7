import { expect } from 'chai'
import type { CDPSession, Page } from 'playwright-core'
import { freePort } from '../../dev/services/free-port.js'
import { listAudit } from '../../src/domain/operating/audit.js'
import type { Context } from '../../src/domain/context.js'
import { createPerson, type Person } from '../domain/people/people.js'
import type { WatchedPage } from '../helpers/web/browser.js'
import { createTestContext } from '../helpers/context.js'
import { openings } from '../helpers/openings.js'
import { countSessions } from '../helpers/web/second-factor.js'
import { serveApp } from '../helpers/web/web.js'
import { loseFreshness } from '../web/console/support.js'
import { browserForSuite, signIn as fillIn } from './support.js'

const SECOND_FACTOR = '/console/settings/second-factor'

/** With Chromium's virtual authenticator, which says yes to everything, unless it is told otherwise. */
describe('passkeys in a browser', () => {
  let context: Context
  let url: string
  let person: Person
  let watched: WatchedPage
  let page: Page
  let device: CDPSession
  let authenticatorId: string

  const open = openings()
  const browser = browserForSuite()

  before(async () => {
    const port = await freePort()
    // A name: browsers have no passkeys for addresses.
    url = `http://localhost:${port}`
    context = await open(createTestContext({ PUBLIC_URL: url, REQUIRE_SECOND_FACTOR: 'operators' }))
    await open(serveApp(context, { port }))
  })

  beforeEach(async () => {
    person = await createPerson(context, { role: 'operator' })
    watched = await browser.openPage(url)
    page = watched.page
    device = await page.context().newCDPSession(page)
    await device.send('WebAuthn.enable')
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const
    ;({ authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', { options }))
  })

  const signIn = async () => {
    await page.goto('/console/sign-in')
    await fillIn(page, person)
  }
  const signOut = async () => {
    await page.getByRole('banner').getByText('Account').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
  }
  const usePasskey = () => page.getByRole('button', { name: 'Use a passkey' }).click()
  const addPasskey = async (name = 'my phone') => {
    await page.getByLabel('Name of the new passkey').fill(name)
    await page.getByRole('button', { name: 'Add passkey' }).click()
  }
  const setUp = async () => {
    await signIn()
    await page.getByText('Set up a second factor to continue').waitFor()
    await addPasskey()
    await page.getByText('These are your recovery codes.').waitFor()
  }

  it('can be set up by an operator, and serve as the second step after the password', async () => {
    await setUp()
    await watched.screenshot('passkeys-recovery-codes')
    await page.getByRole('button', { name: 'I have saved them. Continue' }).click()
    await page.waitForURL('**/console/overview')

    await signOut()
    await signIn()
    await page.waitForURL('**/console/sign-in/second-step**')
    await watched.screenshot('passkeys-second-step')
    await usePasskey()
    await page.waitForURL('**/console/overview')
    await page.goto(SECOND_FACTOR)
    expect(await page.locator('#passkeys tbody td').first().textContent()).to.equal('my phone')
    expect(await page.locator('#passkeys tbody td').nth(2).textContent()).not.to.equal('Never')
    await watched.screenshot('passkeys-settings')
    const actions = (await listAudit(context, { userId: person.id }, { limit: 10 })).map(
      ({ action }) => action,
    )
    expect(actions).to.include.members(['second_factor.added', 'sign_in.succeeded'])
    expect(watched.complaints).to.deep.equal([])
  })

  it('are enough to sign in without the password', async () => {
    await setUp()
    await signOut()
    await page.goto('/console/sign-in?next=%2Fconsole%2Factivity')
    await usePasskey()
    await page.waitForURL('**/console/activity')
    expect(await countSessions(context, person.id)).to.equal(1)
    expect(watched.complaints).to.deep.equal([])
  })

  it('confirm the user’s identity before a change', async () => {
    await setUp()
    await loseFreshness(context)
    await page.goto(SECOND_FACTOR)
    await page.locator('#passkeys summary').click()
    await page.getByRole('button', { name: 'Remove passkey' }).click()
    await page.getByRole('heading', { name: "Confirm it's you" }).waitFor()
    await usePasskey()
    await page.getByText('Set up a second factor to continue').waitFor()
    expect(await context.db('passkeys').where({ user_id: person.id })).to.deep.equal([])
  })

  it('are added once by each device, and another try says so', async () => {
    await setUp()
    await page.getByRole('button', { name: 'I have saved them. Continue' }).click()
    await page.goto(SECOND_FACTOR)
    await addPasskey('the same phone')
    await page.getByText('This device already has a passkey for your account.').waitFor()
    expect(await context.db('passkeys').where({ user_id: person.id })).to.have.length(1)
  })

  it('are refused if the device does not verify the user', async () => {
    await setUp()
    await signOut()
    await signIn()
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await usePasskey()
    await page.getByText('Nothing was changed').waitFor()
    expect(await countSessions(context, person.id)).to.equal(0)
  })

  it('of another user are refused as the second step, and the page says so', async () => {
    const { id: firstId } = person
    await setUp()
    await signOut()
    person = await createPerson(context, { role: 'operator' })
    await setUp()
    await signOut()
    await signIn()
    // The browser is told to show the first one's passkey, which is on the same device.
    const theirs = await context.db('passkeys').where({ user_id: firstId }).pluck<string[]>('credential_id')
    await page.route('**/passkey/options', async (route) => {
      const response = await route.fetch()
      const options = (await response.json()) as { allowCredentials: { id: string }[] }
      options.allowCredentials = [{ ...options.allowCredentials[0], id: theirs[0]! }]
      await route.fulfill({ response, json: options })
    })
    await usePasskey()
    await page.getByText('The passkey was not accepted').waitFor()
    expect(await countSessions(context, person.id)).to.equal(0)
    const [row] = await listAudit(context, { userId: person.id }, { limit: 1 })
    expect(row).to.include({ action: 'second_factor.refused' })
  })

  it('answer a challenge only once, and a repeated response is refused', async () => {
    await setUp()
    await signOut()
    await page.goto('/console/sign-in')
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith('/console/sign-in/passkey')),
      usePasskey(),
    ])
    const secretCredential = new URLSearchParams(sent.postData() ?? '').get('secretCredential') ?? ''
    await page.waitForURL('**/console/overview')
    await signOut()
    const csrf = await page.locator('input[name=csrf]').first().inputValue()
    const answer = await page.request.post('/console/sign-in/passkey', {
      form: { csrf, secretCredential },
      headers: { 'Sec-Fetch-Site': 'same-origin' },
    })
    expect(answer.status()).to.equal(401)
    expect(await answer.text()).to.include('The passkey was not accepted')
  })
})
