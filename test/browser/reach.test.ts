import { expect } from 'chai'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Context } from '../../src/domain/context.js'
import { createTestContext } from '../helpers/context.js'
import { openings } from '../helpers/openings.js'
import { launchBrowser, openPage } from '../helpers/web/browser.js'
import { startSession } from '../helpers/web/sessions.js'
import { serveApp, type TestWeb } from '../helpers/web/web.js'
import { consoleRoutes, createOwner, type Owner } from '../web/console/support.js'

const REFERENCE = ['/docs', '/docs/messages', '/docs/objects']

/** Somebody with a small window, a large font or no mouse gets to everything: WCAG 1.4.10, 1.4.4, 2.1.1, 2.4.7. */
describe('every page of the route table in a browser', function () {
  this.timeout(180_000)

  let context: Context
  let web: TestWeb
  let browser: Browser
  let owner: Owner
  const open = openings()

  before(async () => {
    context = await open(createTestContext())
    ;[web, browser] = await Promise.all([open(serveApp(context)), open(launchBrowser())])
    owner = await createOwner(context)
  })

  async function visit(options: BrowserContextOptions): Promise<Page> {
    const { page } = await openPage(browser, web.url, options)
    const value = await startSession(context, owner.person.id)
    await page
      .context()
      .addCookies([{ name: '__Host-linehook', value, url: web.url.replace('http:', 'https:'), secure: true }])
    return page
  }

  const paths = () =>
    consoleRoutes(context)
      .filter(({ method, path }) => method === 'GET' && !/live$|\.(csv|jsonl|zip)$/.test(path))
      .map(({ path }) => owner.fill(path))
      .concat(REFERENCE)

  for (const [how, options] of [
    ['320 px wide', { viewport: { width: 320, height: 640 } }],
    ['at 200 %', { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }],
  ] as const) {
    it(`does not scroll sideways with everything opened, ${how}`, async () => {
      const page = await visit(options)
      const faults: string[] = []
      for (const path of paths()) {
        await page.goto(path)
        const width = await page.evaluate(openAll)
        if (width > options.viewport.width) faults.push(`${path} is ${width} px wide`)
      }
      expect(faults.join('\n')).to.equal('')
      await page.context().close()
    })
  }

  it('is valid HTML where axe does not look', async () => {
    const page = await visit({})
    const faults: string[] = []
    for (const path of paths()) {
      await page.goto(path)
      faults.push(...(await page.evaluate(findUnsound)).map((html) => `${path}: ${html}`))
    }
    expect(faults.join('\n')).to.equal('')
    await page.context().close()
  })

  it('can be used with the Tab key alone: each control gets the focus, and shows it', async () => {
    const page = await visit({ viewport: { width: 1280, height: 900 } })
    const faults: string[] = []
    for (const path of paths()) {
      await page.goto(path)
      const count = await page.evaluate(numberControls)
      const reached = new Set<string>()
      // A date field has several stops.
      for (let pressed = 0; pressed < count + 30 && reached.size < count; pressed += 1) {
        await page.keyboard.press('Tab')
        const { number, isSeen, html } = await page.evaluate(focused)
        if (number === undefined || reached.has(number)) continue
        reached.add(number)
        if (!isSeen) faults.push(`${path}: the focus is not seen on ${html}`)
      }
      const missed = await page.evaluate(controlsBut, [...reached])
      faults.push(...missed.map((html) => `${path}: Tab does not reach ${html}`))
    }
    expect(faults.join('\n')).to.equal('')
    await page.context().close()
  })

  it('has menus that Escape closes, with the focus back on their button, and that anything else closes', async () => {
    const page = await visit({ viewport: { width: 1280, height: 900 } })
    await page.goto('/console')
    const button = page.locator('summary', { hasText: 'Account' })
    const settings = page.getByRole('link', { name: 'Settings' })
    await button.focus()
    await page.keyboard.press('Enter')
    await settings.waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')
    await settings.waitFor({ state: 'hidden' })
    expect(await button.evaluate((element) => element === document.activeElement)).to.equal(true)

    await page.keyboard.press('Enter')
    await settings.waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    await settings.waitFor({ state: 'hidden' })

    await button.click()
    await settings.waitFor()
    await page.locator('main a').first().focus()
    await settings.waitFor({ state: 'hidden' })
    await page.context().close()

    const phone = await visit({ viewport: { width: 390, height: 844 } })
    await phone.goto('/console')
    const menu = phone.getByRole('button', { name: /^Menu/ })
    await menu.focus()
    await phone.keyboard.press('Enter')
    await phone.locator('summary', { hasText: 'Account' }).click()
    await phone.getByRole('link', { name: 'Settings' }).waitFor()
    await phone.keyboard.press('Escape')
    await phone.locator('#nav').waitFor({ state: 'hidden' })
    expect(await menu.evaluate((element) => element === document.activeElement)).to.equal(true)
    await phone.context().close()
  })
})

/** Runs in the page. @returns its width with everything opened */
function openAll(): number {
  for (const details of document.querySelectorAll<HTMLDetailsElement>('main details:not([name])')) {
    details.open = true
  }
  return document.documentElement.scrollWidth
}

/** Runs in the page. @returns what the content model of HTML forbids, and IDs that occur twice */
function findUnsound(): string[] {
  const misplaced = [
    'header :is(header, footer, main)',
    'footer :is(header, footer, main)',
    'dl > div:not(:has(> dt):has(> dd))',
    'dl > :not(div, dt, dd)',
    ':is(ul, ol) > :not(li)',
    ':is(a, button, label, summary) :is(a[href], button, details)',
    'form form',
    ':is(p, h1, h2, h3, small, span, button) :is(p, div, ul, ol, dl, section, form, table)',
    'body style',
  ].join()
  const ids = [...document.querySelectorAll('[id]')].filter(
    ({ id }, n, all) => all.findIndex((each) => each.id === id) !== n,
  )
  return [...document.querySelectorAll(misplaced), ...ids].map(({ outerHTML }) => outerHTML.slice(0, 120))
}

/** Runs in the page. @returns how many controls it has. Tab reaches only one of the radio buttons with the same name. */
function numberControls(): number {
  const controls = [
    ...document.querySelectorAll<HTMLElement>(
      'a[href], button:enabled, input:enabled:not([type="hidden"], [type="radio"]), select:enabled, textarea:enabled, summary, [tabindex="0"]',
    ),
  ].filter((each) => each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true }))
  for (const [number, control] of controls.entries()) control.dataset.number = String(number)
  return controls.length
}

/** Runs in the page. @returns what is focused, and whether it, or the form that it fills, is marked */
function focused(): { number: string | undefined; isSeen: boolean; html: string } {
  const element = document.activeElement as HTMLElement
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const composer = element.closest('.composer')
  const isSeen =
    (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) ||
    (composer !== null && getComputedStyle(composer).boxShadow !== 'none')
  return { number: element.dataset.number, isSeen, html: element.outerHTML.slice(0, 160) }
}

/** Runs in the page. @returns the controls that are not among these */
function controlsBut(reached: string[]): string[] {
  return [...document.querySelectorAll<HTMLElement>('[data-number]')]
    .filter(({ dataset }) => !reached.includes(dataset.number ?? ''))
    .map(({ outerHTML }) => outerHTML.slice(0, 160))
}
