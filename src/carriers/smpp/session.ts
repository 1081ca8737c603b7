import { newId } from '../../ids.js'
import { connect, NotBound, type Hosts } from './connect.js'
import { createLink, type Link } from './link.js'
import type { Pdu } from './pdu.js'
import { linesOf, readHost } from './setting-lines.js'
import type { SmppSettings } from './settings.js'
import { describeStatus, statusName } from './status.js'

/**
 * How long things may take; tests are in a hurry. Connecting, binding and the wait for the window are over before
 * CARRIER_TIMEOUT_MS by default: what was never written is then known not to have been sent.
 */
export interface Patience {
  connectMs: number
  bindMs: number
  windowMs: number
  responseMs: number
  enquireMs: number
  unbindMs: number
}

// A message without a response is `unknown`, so a response has the most time. An unbind has little, because a process that
// stops waits for it.
export const PATIENCE: Patience = {
  connectMs: 4000,
  bindMs: 4000,
  windowMs: 4000,
  responseMs: 10_000,
  enquireMs: 10_000,
  unbindMs: 2000,
}

const DELIVERIES = new Set(['deliver_sm', 'data_sm'])
const WITHOUT_RESPONSE = new Set(['alert_notification', 'outbind'])

export type BindKind = 'transceiver' | 'transmitter' | 'receiver'

/** What it takes to send and to receive. */
export function bindKindsOf({ bindAs }: Pick<SmppSettings, 'bindAs'>): BindKind[] {
  return bindAs === 'transceiver' ? ['transceiver'] : ['transmitter', 'receiver']
}

/** A bound connection to an SMSC. It asks by itself whether the other side is still there. */
export interface Session extends Link {
  readonly id: string
  /** Unbinds; what is under way then has no answer. */
  close(): Promise<void>
}

export interface SessionOptions {
  settings: SmppSettings
  hosts: Hosts
  bindAs: BindKind
  /** A `deliver_sm` or `data_sm`. */
  onDelivery?: (session: Session, pdu: Pdu, body: Buffer) => void
  /** Ends the wait for the connection and the bind. */
  signal?: AbortSignal
  patience?: Patience
}

/** Connects and binds: at the account's host, or at the first standby host that takes it. @throws NotBound */
export async function openSession(options: SessionOptions): Promise<Session> {
  const [host, ...standby] = hostsOf(options.settings, options.bindAs)
  const faults: string[] = []
  for (const each of [host, ...standby]) {
    try {
      return await openSessionAt({ ...options, settings: { ...options.settings, ...each } })
    } catch (error) {
      if (!(error instanceof NotBound)) throw error
      faults.push(error.message)
    }
  }
  throw new NotBound(faults.join('; '))
}

/** In the order in which they are tried. */
function hostsOf(
  { host, port, standbyHosts, receiverHost }: SmppSettings,
  bindAs: BindKind,
): { host: string; port: number }[] {
  const [receiver] = bindAs === 'receiver' ? linesOf(receiverHost).map(readHost) : []
  const others = linesOf(standbyHosts).map(readHost)
  return [receiver ?? { host, port }, ...others].map((each) => ({ host: each.host, port: each.port ?? port }))
}

async function openSessionAt({
  settings,
  hosts,
  bindAs,
  onDelivery,
  signal,
  patience = PATIENCE,
}: SessionOptions): Promise<Session> {
  const socket = await connect(settings, hosts, patience.connectMs, signal)
  const link = createLink(socket, {
    windowSize: settings.windowSize,
    windowMs: patience.windowMs,
    responseMs: patience.responseMs,
    onRequest: (pdu, body) => {
      takeRequest(pdu, body)
    },
  })
  const session: Session = {
    ...link,
    id: newId(),
    close: async () => {
      if (!link.isOpen()) return
      await link.control('unbind', {}, patience.unbindMs).catch(() => undefined)
      link.end(new Error('unbound'))
    },
  }

  function takeRequest(pdu: Pdu, body: Buffer): void {
    const request = { command: pdu.command, sequence: pdu.sequence_number }
    // Nobody is here for it: without an answer the SMSC keeps it.
    if (DELIVERIES.has(pdu.command)) onDelivery?.(session, pdu, body)
    else if (pdu.command === 'enquire_link') link.answer(request)
    else if (pdu.command === 'unbind') {
      link.answer(request)
      link.end(new Error('the SMSC has unbound'))
    } else if (!WITHOUT_RESPONSE.has(pdu.command)) link.refuse(pdu.sequence_number, 'ESME_RINVCMDID')
  }

  await bind(link, settings, bindAs, patience.bindMs)
  keepAsking(link, settings.enquireLinkSeconds * 1000, patience.enquireMs)
  return session
}

/** What SMSCs say to a kind of bind that they do not take; some say it to a wrong password too. */
const KIND_UNKNOWN: ReadonlySet<string> = new Set(['ESME_RINVCMDID', 'ESME_RBINDFAIL', 'ESME_RINVBNDSTS'])
const HINT = '; if it takes no transceivers, set bindAs to transmitter-and-receiver'

async function bind(
  link: Link,
  { systemId, password, systemType }: SmppSettings,
  bindAs: BindKind,
  timeoutMs: number,
): Promise<void> {
  let response: Pdu
  try {
    const fields = { system_id: systemId, password, system_type: systemType, interface_version: 0x34 }
    response = await link.control(`bind_${bindAs}`, fields, timeoutMs)
  } catch (error) {
    link.end(new Error('not bound'))
    throw new NotBound(`connected, but no answer to the bind: ${(error as Error).message}`)
  }
  if (response.command_status === 0 && response.command === `bind_${bindAs}_resp`) return
  link.end(new Error('not bound'))
  const status = statusName(response.command_status)
  const hint = bindAs === 'transceiver' && KIND_UNKNOWN.has(status) ? HINT : ''
  throw new NotBound(`connected, but the bind was refused: ${describeStatus(status)}${hint}`)
}

/** A peer that is gone without a word is found out, and the link ended. */
function keepAsking(link: Link, everyMs: number, timeoutMs: number): void {
  const timer = setInterval(() => {
    link.control('enquire_link', {}, timeoutMs).catch((error: unknown) => {
      link.end(error as Error)
    })
  }, everyMs)
  void link.ended.then(() => {
    clearInterval(timer)
  })
}
