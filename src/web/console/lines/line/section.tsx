import type { ComponentChildren } from 'preact'
import type { LineHealth } from '../../../../database/lines/line-health.js'
import type { getConnection } from '../../../../domain/lines/connection-overview.js'
import type { EndpointWork } from '../../../../domain/endpoints/deliveries/endpoint-work.js'
import type { readLimits } from '../../../../domain/messages/limits.js'
import type { getOwnLine } from '../../../../domain/lines/lines.js'
import { SIMULATOR } from '../../../../domain/simulator/simulator.js'
import { REFUSAL } from '../../form-fault.js'
import { withNotice, type Notice } from '../../notices.js'
import type { Page } from '../../page.js'
import { LostInput } from '../../parts/lost-input.js'
import { Words } from '../../parts/words.js'

/** The data for every section of a line's page. */
export interface LineView {
  page: Page
  line: Awaited<ReturnType<typeof getOwnLine>>
  connection: Awaited<ReturnType<typeof getConnection>>
  /** null if there is no outgoing webhook URL. */
  endpointId: string | null
  /** The deliveries of that endpoint. */
  work: EndpointWork | undefined
  limits: Awaited<ReturnType<typeof readLimits>>
  /** undefined if the line was added a moment ago. */
  health: LineHealth | undefined
  /** A path such as `/console/lines/…`. */
  path: string
  /** The name of the notice of what was just done; empty if nothing was. */
  done: string
}

/** True if the simulator's phones can write to the line, and see what it sends. */
export function hasPhones({ page, line }: Pick<LineView, 'page' | 'line'>): boolean {
  return page.hasSimulator && line.carrierAccount === SIMULATOR
}

/** A section's id is also the first part of its forms' paths. */
export type SectionId =
  | 'messages'
  | 'sending'
  | 'connection'
  | 'outgoing-webhook'
  | 'endpoints'
  | 'incoming-webhook'
  | 'opt-outs'
  | 'limits'

/** The page's tabs, in their order, with their paths below the line's. */
export const TABS = {
  overview: '',
  conversations: '/conversations',
  send: '/send',
  receive: '/receive',
  access: '/access',
  danger: '/danger',
} as const

export type Tab = keyof typeof TABS

const TAB_OF: Record<SectionId, Tab> = {
  messages: 'send',
  sending: 'send',
  'incoming-webhook': 'send',
  'opt-outs': 'send',
  limits: 'send',
  'outgoing-webhook': 'receive',
  endpoints: 'receive',
  connection: 'access',
}

/** A tab has several sections, so a form's success is shown in the form's section. */
const SAID_AT: Partial<Record<string, SectionId>> = {
  'sending-paused': 'sending',
  'sending-resumed': 'sending',
  'messages-tried-now': 'sending',
  enabled: 'connection',
  disabled: 'connection',
  disconnected: 'connection',
  'url-saved': 'outgoing-webhook',
  'url-removed': 'outgoing-webhook',
  'endpoint-deleted': 'endpoints',
  'webhook-created': 'incoming-webhook',
  'webhook-regenerated': 'incoming-webhook',
  'webhook-deleted': 'incoming-webhook',
} satisfies Partial<Record<Notice, SectionId>>

export const LINES = '/console'

export function linePath(lineId: string): string {
  return `/console/lines/${lineId}`
}

export function tabPath(lineId: string, tab: Tab): string {
  return linePath(lineId) + TABS[tab]
}

export function sectionPath(lineId: string, section: SectionId): string {
  return `${tabPath(lineId, TAB_OF[section])}#${section}`
}

/** Returns the section that a form leads to after its work, where the notice stands. */
export function lineWithNotice(lineId: string, notice: Notice, show?: 'webhook'): string {
  const query = show === undefined ? '' : `?show=${show}`
  const section = SAID_AT[notice]
  if (section === undefined) return withNotice(linePath(lineId) + query, notice)
  return `${withNotice(tabPath(lineId, TAB_OF[section]) + query, notice)}#${section}`
}

export function isSaidInSection(done: string): boolean {
  return Object.hasOwn(SAID_AT, done)
}

export function Section(props: {
  view: LineView
  id: SectionId
  title: string
  /** The actions of the forms that it shows now; the fault of another one has no form to be shown at. */
  offers?: readonly string[]
  /** True if one of its forms has just answered. */
  isAnswer?: boolean
  children: ComponentChildren
}) {
  const { view, id, title, offers = [], isAnswer = false, children } = props
  const { fault, notice } = view.page
  const isAtFault = fault?.action.startsWith(`${view.path}/${id}`) === true
  const isStray = isAtFault && !offers.includes(fault.action)
  // Such an answer is the whole page again, and the browser would show its top.
  const toHere = isStray || isAnswer ? { tabIndex: -1, autofocus: true } : {}
  return (
    <section id={id} aria-labelledby={`${id}-title`} {...toHere}>
      <h2 id={`${id}-title`}>{title}</h2>
      {notice !== undefined && SAID_AT[view.done] === id && (
        <p role="status" class="notice">
          {notice}
        </p>
      )}
      {isStray && (
        <>
          <p role="alert" class="fault" {...REFUSAL}>
            <Words>{fault.message}</Words>
          </p>
          <LostInput fault={fault} />
        </>
      )}
      {children}
    </section>
  )
}

/** Explains why a section's forms are missing. */
export function NeedsConnection({ view }: { view: LineView }) {
  if (view.page.isPortal) return <p class="empty">Not available while the developer connection is off.</p>
  return (
    <p class="empty">
      The developer connection is off: <a href={sectionPath(view.line.id, 'connection')}>enable it first</a>.
    </p>
  )
}
