import { mkdir } from 'node:fs/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Installation } from '../../bench/harness/installation.js'
import { getCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import type { Context } from '../../src/domain/context.js'
import { createPortalLink } from '../../src/domain/people/portal.js'
import { routesOf } from '../../test/helpers/web/routes.js'
import { CUSTOMER, type FoundIds, type Shop } from './shop.js'

/** The folder is ignored by git. */
const FOLDER = 'test/browser/screenshots'
export const DESK = { viewport: { width: 1280, height: 860 } } as const
const LOOKS: Record<string, BrowserContextOptions> = {
  desk: DESK,
  dark: { ...DESK, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 } },
}

interface Looks {
  installation: Installation
  url: string
  browser: Browser
  shop: Shop
  found: FoundIds
  /** Opens a browser that is signed in as the operator. */
  open: (options: BrowserContextOptions) => Promise<Page>
}

/** Takes every page of the console, light, dark and on a phone, and prints how tall each is. */
export async function takeAllLooks({ installation, url, browser, shop, found, open }: Looks): Promise<void> {
  const paths = await installation.prepare((context) => pagesOf(context, shop, found))
  await mkdir(FOLDER, { recursive: true })
  for (const [look, options] of Object.entries(LOOKS)) {
    const page = await open(options)
    for (const [name, path] of Object.entries(paths)) await takeWhole(page, path, `${name}-${look}`)
    await page.goto('/console/activity')
    await page.locator('ol.activity > li[id] > div > a:first-child').first().click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.screenshot({ path: `${FOLDER}/drawer-${look}.png` })
    // This is what somebody who is not signed in sees.
    await page.context().clearCookies()
    await takeWhole(page, '/console/sign-in', `console-sign-in-${look}`)
    await page.context().close()
    await takePortal(await browser.newContext({ baseURL: url, ...options }), look, await linkOf())
  }
  function linkOf(): Promise<string> {
    return installation.prepare(
      async (context) => (await createPortalLink(context, shop.userId, shop.operatorId)).url,
    )
  }
}

/** Takes the pages that are shown inside another product, from the portal link to a line. */
async function takePortal(context: Awaited<ReturnType<Browser['newContext']>>, look: string, link: string) {
  const page = await context.newPage()
  await takeWhole(page, link, `portal-link-${look}`)
  await page.getByRole('button', { name: 'Open' }).click()
  // With a single line, the link leads to that line.
  await page.waitForURL(({ pathname }) => pathname !== '/console/portal')
  await takeWhole(page, '/console', `portal-lines-${look}`)
  await page.locator('table.lines a').first().click()
  await page.waitForURL('**/lines/*')
  await takeWhole(page, page.url(), `portal-line-${look}`)
  await context.close()
}

async function takeWhole(page: Page, path: string, name: string): Promise<void> {
  const answer = await page.goto(path)
  await page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: true })
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  console.log(`${answer?.status() ?? 0} ${height} px ${name} ${path.replace(/token=.*/, 'token=…')}`)
}

/**
 * Lists every page of the route table, with the ids of the shop. Those that only a link opens are left out: a
 * portal is taken with its link, and an installation that has an operator is not set up again.
 */
async function pagesOf(
  context: Context,
  { operatorId, applicationId, frontDesk, deliveries }: Shop,
  { messageId, attemptId }: FoundIds,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {
    ':lineId': frontDesk.lineId,
    ':messageId': messageId,
    ':endpointId': deliveries.endpointId,
    ':userId': operatorId,
    ':accountId': (await getCarrierAccount(context, 'simulator')).id,
    ':number': encodeURIComponent(CUSTOMER),
    ':contact': encodeURIComponent(CUSTOMER),
  }
  const pages: Record<string, string> = Object.fromEntries(
    routesOf(context)
      .filter(
        ({ method, path }) =>
          method === 'GET' &&
          /^\/(console(?!\/(sign-in|portal$|set-up$))|simulator$)/.test(path) &&
          !/live|\.|export/.test(path),
      )
      .map(({ path }) => path.replace(/:\w+/g, (name) => ids[name] ?? name))
      .filter((path) => !path.includes(':'))
      .map((path) => [
        path
          .replace(/^\//, '')
          .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|%2B\d+/g, 'id')
          .replaceAll('/', '-'),
        path,
      ]),
  )
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: applicationId,
    redirect_uri: 'https://example.com/callback',
    scope: 'messages:write,messages:connect',
    state: 'a',
  })
  return {
    ...pages,
    attempt: `/console/messages/${messageId}?attempt=${attemptId}&view=request`,
    found: '/console/search?q=order',
    'carrier-of-http': '/console/carriers/new?kind=http',
    'carrier-of-smpp': '/console/carriers/new?kind=smpp',
    'new-application': '/console/applications?new',
    'new-user': '/console/users?new',
    consent: `/oauth/authorize?${asked.toString()}`,
  }
}
