import { expect } from 'chai'
import type { Console, OpenLine } from '../../lines/line/line-page.js'

export interface Heard {
  /** All that has come until now. */
  text: string
  close(): Promise<void>
}

/** A page's live part, as htmx would hear it. */
export async function listen(
  { web }: Console,
  { browser }: Pick<OpenLine, 'browser'>,
  path: string,
): Promise<Heard> {
  const stream = new AbortController()
  const response = await fetch(web.url + path, {
    headers: { Cookie: browser.cookie() },
    signal: stream.signal,
  })
  expect(response.headers.get('content-type')).to.match(/^text\/event-stream/)
  const heard = { text: '' }
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) heard.text += chunk
  })().catch(() => undefined)
  return Object.assign(heard, {
    close: async () => {
      stream.abort()
      await reading
    },
  })
}

/** Where a page says that its live part comes from. */
export function livePathOf(html: string): string | undefined {
  return /hx-sse:connect="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
}
