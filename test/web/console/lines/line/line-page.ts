import type { Context } from '../../../../../src/domain/context.js'
import { browse, type BrowserSession } from '../../../../helpers/web/browser-session.js'
import { createTestContext } from '../../../../helpers/context.js'
import { createLine, type TestLine } from '../../../../helpers/factories.js'
import { startReceiver, type Receiver } from '../../../../helpers/services/receiver.js'
import { serveApp, type Answer, type TestWeb } from '../../../../helpers/web/web.js'

export interface Console {
  context: Context
  web: TestWeb
  receiver: Receiver
  /** A connected line of a new user, in that user's browser. */
  openLine(overrides?: Parameters<typeof createLine>[1]): Promise<OpenLine>
  close(): Promise<unknown>
}

export interface OpenLine extends TestLine {
  browser: BrowserSession
  /** Of its page. */
  path: string
  /** Posts one of the page's forms; `form` is what comes after the page's path. */
  submit: (form: string, fields?: Record<string, string>) => Promise<Answer>
  /** The page as it is now, or with a query. */
  page: (query?: string) => Promise<string>
  /** Of the page of its outgoing webhook. */
  endpointPath: string
  /** Posts one of the forms on that page. */
  act: (form: string, fields?: Record<string, string>) => Promise<Answer>
  endpointPage: (query?: string) => Promise<string>
}

export async function startConsole(): Promise<Console> {
  const context = await createTestContext()
  const [web, receiver] = await Promise.all([serveApp(context), startReceiver()])
  return {
    context,
    web,
    receiver,
    openLine: async (overrides) => {
      const line = await createLine(context, overrides)
      const browser = await browse(context, web, line.userId)
      const path = `/console/lines/${line.lineId}`
      const endpointPath = `/console/endpoints/${line.endpointId}`
      return {
        ...line,
        browser,
        path,
        submit: (form, fields) => browser.submit(`${path}/${form}`, fields),
        page: async (query = '') => (await browser.get(path + query)).text,
        endpointPath,
        act: (form, fields) => browser.submit(`${endpointPath}/${form}`, fields),
        endpointPage: async (query = '') => (await browser.get(endpointPath + query)).text,
      }
    },
    close: () => Promise.all([web.close().then(() => context.close()), receiver.close()]),
  }
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

/** What a browser makes of a text in HTML. */
export function textOf(html: string): string {
  return html
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
}
