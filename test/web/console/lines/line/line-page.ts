import type { Suite } from 'mocha'
import { browse, type BrowserSession } from '../../../../helpers/web/browser-session.js'
import { createLine, type TestLine } from '../../../../helpers/factories.js'
import { startReceiver, type Receiver } from '../../../../helpers/services/receiver.js'
import { openForSuite } from '../../../../helpers/suite.js'
import { describeWeb, type Answer, type ServedContext } from '../../../../helpers/web/web.js'

export interface Console extends ServedContext {
  receiver: Receiver
  /** A connected line of a new user, in that user's browser. */
  openLine(overrides?: Parameters<typeof createLine>[1]): Promise<OpenLine>
}

export interface OpenLine extends TestLine {
  browser: BrowserSession
  /** Of its page. */
  path: string
  /** Posts one of the page's forms; `form` is what comes after the page's path. */
  submit: (form: string, fields?: Record<string, string>) => Promise<Answer>
  /** The page as it is now, or with a query. */
  page: (query?: string) => Promise<string>
  /** The words of that. */
  words: (query?: string) => Promise<string>
}

/** As `describeWeb`, with a server that receives events. */
export function describeConsole(title: string, body: (this: Suite, site: Console) => void): void {
  describeWeb(title, function ({ context, web }) {
    const receiver = openForSuite(() => startReceiver())
    const openLine = async (overrides?: Parameters<typeof createLine>[1]): Promise<OpenLine> => {
      const line = await createLine(context, overrides)
      const browser = await browse(context, web, line.userId)
      const path = `/console/lines/${line.lineId}`
      return {
        ...line,
        browser,
        path,
        submit: (form, fields) => browser.submit(`${path}/${form}`, fields),
        page: async (query = '') => (await browser.get(path + query)).text,
        words: (query = '') => wordsAt(browser, path + query),
      }
    }
    body.call(this, { context, web, receiver, openLine })
  })
}

/** Status and Location of an answer. */
export function redirectOf({ status, headers }: Answer): [number, string | null] {
  return [status, headers.get('location')]
}

/** The words of a page, as a reader sees them; tags are gone. */
export function wordsOf(html: string): string {
  // The parts of a phone number, between which gaps are drawn, and the characters that isolate a name.
  const drawn = html.replace(/<bdi dir="ltr" class="number">(.*?)<\/bdi>/g, '$1')
  return textOf(drawn.replace(/<\/?i>|[\u2068\u2069]/g, '').replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
}

/** The words of the page at this path. */
export async function wordsAt(browser: BrowserSession, path: string): Promise<string> {
  return wordsOf((await browser.get(path)).text)
}

/** What a browser makes of a text in HTML. */
export function textOf(html: string): string {
  return html
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
}
