import type { ComponentChildren } from 'preact'
import type { Page } from '../page.js'
import { reaches } from './reach.js'

/** A link to a page that portal sessions do not reach: to them its words stay, without a way. */
export function PageLink(props: { page: Page; href: string; children: ComponentChildren }) {
  const { page, href, children } = props
  return reaches(page, 'get', href) ? <a href={href}>{children}</a> : <>{children}</>
}
