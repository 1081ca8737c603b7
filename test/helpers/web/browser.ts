import { mkdir } from 'node:fs/promises'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import type { Context } from '../../../src/domain/context.js'
import { findChromium } from './chromium.js'
import { startSession } from './sessions.js'

/** Git-ignored: for people to look at, who ask for them by SCREENSHOTS=true. They take a tenth of the time of a page. */
const SCREENSHOTS = 'test/browser/screenshots'

/** A page that notes everything it should not do. */
export interface WatchedPage {
  page: Page
  /** Errors on the console, refusals by the Content-Security-Policy, exceptions, requests to another origin. */
  complaints: string[]
  /** Of the whole page. */
  screenshot(name: string): Promise<void>
}

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(await findChromium()),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: url,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  const page = await context.newPage()
  // As long as `until` waits.
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`))
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== url && !['data:', 'blob:', 'about:'].includes(protocol)) {
      complaints.push(`request to ${origin}`)
    }
  })
  return {
    page,
    complaints,
    screenshot: async (name) => {
      if (process.env.SCREENSHOTS === undefined) return
      await mkdir(SCREENSHOTS, { recursive: true })
      await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true, caret: 'initial' })
    },
  }
}

/** A page of somebody who is signed in already. */
export async function openSignedIn(
  browser: Browser,
  { context, url, userId }: { context: Context; url: string; userId: string },
  options?: BrowserContextOptions,
): Promise<WatchedPage> {
  const watched = await openPage(browser, url, options)
  const value = await startSession(context, userId)
  await watched.page
    .context()
    .addCookies([{ name: '__Host-linehook', value, url: url.replace('http:', 'https:'), secure: true }])
  return watched
}
