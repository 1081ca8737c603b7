import type { Socket } from 'node:net'
import { newId } from '../../ids.js'
import { connect, NotBound, type Hosts } from './connect.js'
import { createLink, type Link } from './link.js'
import type { Pdu, ReceivedPdu } from './pdu.js'
import { linesOf, readHost } from './setting-lines.js'
import type { SmppSettings } from './settings.js'
import { describeStatus, statusName } from './status.js'

/**
 * The time limits; tests use shorter ones. Connecting, binding and the wait for the window are over before
 * CARRIER_TIMEOUT_MS by default: a message that was never written is then known not to have been sent. Each part of a
 * long text has that time (`countParts`), which is also that of a response where the sessions are held.
 */
export interface Timeouts {
  connectMs: number
  bindMs: number
  /** The time in which a peer that connects to us has to identify itself. */
  outbindMs: number
  windowMs: number
  responseMs: number
  enquireMs: number
  /** The first pause after ESME_RTHROTTLED, which does not say how long to wait. */
  throttledMs: number
  unbindMs: number
}

// A message without a response is `unknown`, so a response gets the most time. An unbind gets little, because a
// process that stops waits for it.
export const TIMEOUTS: Timeouts = {
  connectMs: 4000,
  bindMs: 4000,
  outbindMs: 10_000,
  windowMs: 4000,
  responseMs: 10_000,
  enquireMs: 10_000,
  throttledMs: 1000,
  unbindMs: 2000,
}

const DELIVERIES = new Set(['deliver_sm', 'data_sm'])
const WITHOUT_RESPONSE = new Set(['alert_notification', 'outbind'])

export type BindKind = 'transceiver' | 'transmitter' | 'receiver'

/** Returns the kinds of bind that sending and receiving need. */
export function bindKindsOf({ bindAs }: Pick<SmppSettings, 'bindAs'>): BindKind[] {
  return bindAs === 'transceiver' ? ['transceiver'] : ['transmitter', 'receiver']
}

/** A bound connection to an SMSC. It checks by itself that the other side is still there. */
export interface Session extends Link {
  readonly id: string
  /** Unbinds; requests under way then have no answer. */
  close(): Promise<void>
}

/** Returns the kinds of bind for which we connect; the others are bound when the SMSC connects to us. */
export function dialledKindsOf(settings: Pick<SmppSettings, 'bindAs' | 'outbindPort'>): BindKind[] {
  const kinds = bindKindsOf(settings)
  return settings.outbindPort === 0 ? kinds : kinds.filter((kind) => kind === 'transmitter')
}

export interface SessionOptions {
  settings: SmppSettings
  hosts: Hosts
  bindAs: BindKind
  /** A `deliver_sm` or `data_sm`. */
  onDelivery?: (session: Session, pdu: Pdu, body: Buffer) => void
  /** A request that cannot be read, and has to be refused; without this it is refused here. */
  onUnreadable?: (session: Session, received: ReceivedPdu) => void
  /** Ends the wait for the connection and the bind. */
  signal?: AbortSignal
  timeouts?: Timeouts
}

/**
 * Connects and binds: at the account's host, or at the first standby host that accepts.
 *
 * @throws NotBound
 */
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

/** The hosts in the order in which they are tried. */
function hostsOf(
  { host, port, standbyHosts, receiverHost }: SmppSettings,
  bindAs: BindKind,
): { host: string; port: number }[] {
  const [receiver] = bindAs === 'receiver' ? linesOf(receiverHost).map(readHost) : []
  const others = linesOf(standbyHosts).map(readHost)
  return [receiver ?? { host, port }, ...others].map((each) => ({ host: each.host, port: each.port ?? port }))
}

async function openSessionAt(options: SessionOptions): Promise<Session> {
  const { settings, hosts, signal, timeouts = TIMEOUTS } = options
  const socket = await connect(settings, hosts, timeouts.connectMs, signal)
  return bind(createSession(socket, options), options)
}

/**
 * Binds on a connection that the SMSC has opened, after it has identified itself by `outbind` (SMPP 3.4 §2.2.1,
 * §4.1.7).
 *
 * @param faultIn returns the fault of its outbind, or undefined
 * @throws NotBound
 */
export async function answerOutbind(
  socket: Socket,
  options: Omit<SessionOptions, 'hosts'> & { faultIn: (outbind: Pdu) => string | undefined },
): Promise<Session> {
  const { signal, timeouts = TIMEOUTS, faultIn } = options
  let settle: (fault: string | undefined) => void = () => undefined
  const settled = new Promise<string | undefined>((resolve) => (settle = resolve))
  const session = createSession(socket, options, (first) => {
    const fault = first.command === 'outbind' ? faultIn(first) : 'it did not start with outbind'
    // Anything after it in the same packet is not read.
    if (fault !== undefined) session.end(new Error(fault))
    settle(fault)
  })
  const cut = () => {
    session.end(new Error('this process is stopping'))
  }
  if (signal?.aborted === true) cut()
  signal?.addEventListener('abort', cut)
  const tooLate = setTimeout(() => {
    session.end(new Error(`it sent nothing for ${timeouts.outbindMs} ms`))
  }, timeouts.outbindMs)
  void session.ended.then(({ message }) => {
    settle(message)
    signal?.removeEventListener('abort', cut)
  })
  const fault = await settled
  clearTimeout(tooLate)
  if (fault !== undefined) throw new NotBound(`the SMSC has connected, but ${fault}`)
  return bind(session, options)
}

/**
 * @param greet gets the first request, and ends the session if it must not continue; if left out, any request may be
 *   the first
 */
function createSession(
  socket: Socket,
  {
    settings,
    onDelivery,
    onUnreadable = refuseUnreadable,
    timeouts = TIMEOUTS,
  }: Pick<SessionOptions, 'settings' | 'onDelivery' | 'onUnreadable' | 'timeouts'>,
  greet?: (first: Pdu) => void,
): Session {
  const link = createLink(socket, {
    windowSize: settings.windowSize,
    windowMs: timeouts.windowMs,
    responseMs: timeouts.responseMs,
    onRequest: (pdu, body) => {
      takeRequest(pdu, body)
    },
    onUnreadable: (received) => {
      if (isGreeted) onUnreadable(session, received)
      else refuseUnreadable(session, received)
    },
  })
  const session: Session = {
    ...link,
    id: newId(),
    close: async () => {
      if (!link.isOpen()) return
      await link.control('unbind', {}, timeouts.unbindMs).catch(() => undefined)
      link.end(new Error('unbound'))
    },
  }
  let isGreeted = greet === undefined

  function takeRequest(pdu: Pdu, body: Buffer): void {
    if (!isGreeted) {
      if (link.isOpen()) greet?.(pdu)
      isGreeted = link.isOpen()
      return
    }
    const request = { command: pdu.command, sequence: pdu.sequence_number }
    // If there is no handler, it is not answered, so the SMSC keeps it.
    if (DELIVERIES.has(pdu.command)) onDelivery?.(session, pdu, body)
    else if (pdu.command === 'enquire_link') link.answer(request)
    else if (pdu.command === 'unbind') void answerUnbind(request)
    else if (!WITHOUT_RESPONSE.has(pdu.command)) link.refuse(pdu.sequence_number, 'ESME_RINVCMDID')
  }

  /** An SMSC that restarts still answers what it has accepted; without these answers, nobody would know. */
  async function answerUnbind(request: { command: string; sequence: number }): Promise<void> {
    const reason = new Error('the SMSC has unbound')
    await link.leave(reason, timeouts.unbindMs)
    link.answer(request)
    link.end(reason)
  }

  return session
}

/** Every SMSC knows this status. It says that the lengths in the PDU are wrong. */
export function refuseUnreadable(link: Pick<Link, 'refuse'>, { header }: Pick<ReceivedPdu, 'header'>): void {
  link.refuse(header.sequence, 'ESME_RINVCMDLEN')
}

/** The answers of SMSCs to a kind of bind that they do not support; some give them for a wrong password too. */
const KIND_UNKNOWN: ReadonlySet<string> = new Set(['ESME_RINVCMDID', 'ESME_RBINDFAIL', 'ESME_RINVBNDSTS'])
const HINT = '. If it does not accept transceivers, set bindAs to transmitter-and-receiver'

async function bind(
  session: Session,
  { settings, bindAs, timeouts = TIMEOUTS }: Pick<SessionOptions, 'settings' | 'bindAs' | 'timeouts'>,
): Promise<Session> {
  const { systemId, password, systemType, enquireLinkSeconds } = settings
  let response: Pdu
  try {
    const fields = { system_id: systemId, password, system_type: systemType, interface_version: 0x34 }
    response = await session.control(`bind_${bindAs}`, fields, timeouts.bindMs)
  } catch (error) {
    session.end(new Error('not bound'))
    throw new NotBound(`connected, but the bind was not answered: ${(error as Error).message}`)
  }
  if (response.command_status !== 0 || response.command !== `bind_${bindAs}_resp`) {
    session.end(new Error('not bound'))
    const status = statusName(response.command_status)
    const hint = bindAs === 'transceiver' && KIND_UNKNOWN.has(status) ? HINT : ''
    throw new NotBound(`connected, but the bind was refused: ${describeStatus(status)}${hint}`)
  }
  keepAsking(session, enquireLinkSeconds * 1000, timeouts.enquireMs)
  return session
}

/** Detects a peer that is silently gone, and ends the link. */
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
