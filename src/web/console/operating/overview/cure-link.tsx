import type { ComponentChildren } from 'preact'
import { sectionPath, tabPath } from '../../lines/line/section.js'
import type { Page } from '../../page.js'
import { reaches } from '../../portal/reach.js'
import type { Cure } from '../../../../domain/operating/overview/cure.js'

/**
 * Links to the page where something is fixed. What belongs to another user is reached through that user's page.
 *
 * @param props.page left out where no portal session comes
 * @param props.children what is linked instead of words such as "Open line"
 */
export function CureLink(props: { page?: Page; cure: Cure; userId: string; children?: ComponentChildren }) {
  const { page, cure, userId, children } = props
  const [href, label] = placeOf(cure, userId)
  // A part of the page itself is always reached.
  if (page !== undefined && !href.startsWith('#') && !reaches(page, 'get', href)) return <>{children}</>
  return <a href={href}>{children ?? label}</a>
}

function placeOf(cure: Cure, userId: string): [href: string, label: string] {
  switch (cure.at) {
    case 'carrier':
      return [`/console/carriers/${cure.id}`, 'Open account']
    case 'queues':
      return ['/queues', 'Open queues']
    case 'user':
      if (cure.own !== undefined && cure.userId === userId)
        return [`/console/${cure.own}`, `Open your ${cure.own}`]
      break
    case 'sending':
      return ['/console/sending', 'Resume']
    case 'here':
      return [`#${cure.part}`, 'See below']
    case 'line sending':
      if (cure.userId === userId) return [sectionPath(cure.lineId, 'sending'), 'Open sending']
      break
    case 'line endpoints':
      if (cure.userId === userId) return [tabPath(cure.lineId, 'receive'), 'Add endpoint']
      break
    case 'line':
      if (cure.userId === userId) return [`/console/lines/${cure.lineId}`, 'Open line']
      break
    case 'endpoint':
      if (cure.userId === userId) return [`/console/endpoints/${cure.endpointId}`, 'Open endpoint']
      break
    case 'second factor':
      if (cure.userId === userId) return ['/console/settings/second-factor', 'Open your second factor']
      return [`/console/users/${cure.userId}#second-factor`, 'Open user']
    case 'unknown messages':
      if (cure.userId === userId) {
        const line = cure.lineId === undefined ? '' : `&line=${cure.lineId}`
        return [`/console/activity?status=unknown${line}`, 'Show messages']
      }
      break
    case 'message':
      if (cure.userId === userId) return [`/console/messages/${cure.messageId}`, 'Open message']
      break
    case 'failed messages':
      if (cure.userId === userId) return ['/console/activity?status=failed', 'Show failed messages']
      break
  }
  return [`/console/users/${cure.userId}`, 'Open user']
}
