import type { ComponentChildren } from 'preact'
import type { Page } from '../page.js'
import { reaches } from './reach.js'

/** Links to a page; a portal session that does not reach it sees only the words. */
export function PageLink(props: { page: Page; href: string; children: ComponentChildren }) {
  const { page, href, children } = props
  return reaches(page, 'get', href) ? <a href={href}>{children}</a> : <>{children}</>
}
