import type { Pdu, PduFields, Session } from 'smpp'
import { smpp } from '../../../src/carriers/smpp/package.js'
import { SELF_MADE } from '../../helpers/services/self-made.js'

/** An SMSC that connects to us, by the package's own session. */
export interface OutbindSmsc {
  session: Session
  /** What it has heard, oldest first. */
  heard: Pdu[]
  commands(): string[]
  send(command: string, fields?: PduFields): void
  outbind(fields?: PduFields): void
  isClosed(): boolean
  close(): void
}

export const OUTBIND = { system_id: 'smsc', password: 'opensesame' }

/** @param options.answer how it answers a bind or a submit_sm; by default it takes all of them */
export function connectSmsc(
  port: number,
  options: { tls?: boolean; answer?: (pdu: Pdu) => PduFields } = {},
): OutbindSmsc {
  const { tls = false, answer = () => ({}) } = options
  const session = smpp.connect({
    ...{ host: '127.0.0.1', port },
    ...(tls && { tls, ca: SELF_MADE.cert, servername: 'localhost' }),
  })
  const heard: Pdu[] = []
  let isClosed = false
  session.on('close', () => (isClosed = true))
  session.on('error', () => {
    session.destroy()
  })
  session.on('pdu', (pdu: Pdu) => {
    heard.push(pdu)
    if (pdu.isResponse()) return
    session.send(
      pdu.response(pdu.command === 'submit_sm' ? { message_id: 'taken', ...answer(pdu) } : answer(pdu)),
    )
    if (pdu.command === 'unbind') session.socket.end()
  })
  const send = (command: string, fields: PduFields = {}) => {
    session.send(new smpp.PDU(command, fields))
  }
  return {
    session,
    heard,
    commands: () => heard.map(({ command }) => command),
    send,
    outbind: (fields = {}) => {
      send('outbind', { ...OUTBIND, ...fields })
    },
    isClosed: () => isClosed,
    close: () => {
      session.destroy()
    },
  }
}
