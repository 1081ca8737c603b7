import { after, afterEach, before } from 'mocha'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { PASSWORD, type Person } from '../domain/people/people.js'
import { launchBrowser, openPage, openSignedIn, type WatchedPage } from '../helpers/web/browser.js'

/**
 * Called in the body of a suite: a browser for its tests. What is opened in it by a test, or by a hook before the test,
 * is closed after that test.
 */
export function browserForSuite() {
  let browser: Browser | undefined
  const opened: WatchedPage[] = []

  before(async () => {
    browser = await launchBrowser()
  })
  afterEach(async () => {
    for (const { page } of opened.splice(0)) await page.context().close()
  })
  after(() => browser?.close())

  const closedLater = async (opening: Promise<WatchedPage>) => {
    const watched = await opening
    opened.push(watched)
    return watched
  }
  return {
    openPage: (url: string, options?: BrowserContextOptions) => closedLater(openPage(browser!, url, options)),
    openSignedIn: (who: Parameters<typeof openSignedIn>[1], options?: BrowserContextOptions) =>
      closedLater(openSignedIn(browser!, who, options)),
  }
}

/** Fills in the form that the page shows. */
export async function signIn(page: Page, { email }: Pick<Person, 'email'>): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
