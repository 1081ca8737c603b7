import { expect } from 'chai'
import { hear, type Heard } from '../../../../helpers/web/hear.js'
import type { Console, OpenLine } from '../../lines/line/line-page.js'

/** A page's live part, as htmx would hear it. */
export async function listen(
  { web }: Console,
  { browser }: Pick<OpenLine, 'browser'>,
  path: string,
): Promise<Heard> {
  const heard = await hear(web.url + path, { Cookie: browser.cookie() })
  expect(heard.headers.get('content-type')).to.match(/^text\/event-stream/)
  return heard
}

/** Where a page says that its live part comes from. */
export function livePathOf(html: string): string | undefined {
  const [, main = ''] = /<main(.*)<\/main>/s.exec(html) ?? []
  return /data-live="([^"]*)"/.exec(main)?.[1]?.replaceAll('&amp;', '&')
}
