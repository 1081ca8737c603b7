import { access } from 'node:fs/promises'
import type { SerialPort } from 'serialport'
import { asError } from '../../errors.js'
import { connect, type Hosts } from '../smpp/connect.js'
import type { ModemSettings } from './settings.js'

/** Thrown if the modem cannot be used. The message says in words what is wrong. */
export class ModemFault extends Error {
  override name = 'ModemFault'
}

/** An open serial port, on this machine or on the network. */
export interface Port {
  write(text: string): void
  /** Called once; anything that arrived before is kept until then. */
  onData(take: (chunk: Buffer) => void): void
  /** Resolves when it is over, with the reason. */
  readonly ended: Promise<Error>
  close(): void
}

const CONNECT_MS = 4000
/** How often to check whether a device was unplugged. */
const PRESENCE_MS = 2000

/** @throws ModemFault, NotBound */
export async function openPort(
  { device, baudRate }: Pick<ModemSettings, 'device' | 'baudRate'>,
  hosts: Hosts,
): Promise<Port> {
  const [, host, port] = /^tcp:\[?([^\]]+?)\]?:(\d+)$/i.exec(device) ?? []
  if (host === undefined) return openDevice(device, baudRate)
  const peer = { host, port: Number(port), tls: false, tlsCertificate: '' }
  const socket = await connect(peer, hosts, CONNECT_MS, undefined)
  return {
    write: (text) => socket.write(text, 'latin1'),
    onData: (take) => socket.on('data', take),
    ended: new Promise((resolve) => {
      socket.on('error', resolve)
      socket.on('close', () => {
        resolve(new ModemFault('the connection to the serial port was closed'))
      })
    }),
    close: () => socket.destroy(),
  }
}

async function openDevice(device: string, baudRate: number): Promise<Port> {
  const Serial = await loadSerialPort()
  const port = new Serial({ path: device, baudRate, autoOpen: false })
  let unplugged: () => void = () => undefined
  const ended = new Promise<Error>((resolve) => {
    unplugged = () => {
      resolve(new ModemFault('the modem was unplugged'))
    }
    port.on('error', resolve)
    port.on('close', unplugged)
  })
  await new Promise<void>((resolve, reject) => {
    port.open((error) => {
      if (error === null) resolve()
      else reject(new ModemFault(wordsOf(error.message, device)))
    })
  })
  // A device that disappears while it is being read returns empty reads forever, which the package mistakes for a
  // pause.
  const presence = setInterval(() => {
    access(device).catch(unplugged)
  }, PRESENCE_MS)
  port.on('close', () => {
    clearInterval(presence)
  })
  return {
    write: (text) => port.write(text, 'latin1'),
    onData: (take) => port.on('data', take),
    ended,
    close: () => {
      if (port.isOpen) port.close()
    },
  }
}

/** The package has a native part, so it is loaded only where a modem is used. */
async function loadSerialPort(): Promise<typeof SerialPort> {
  try {
    return (await import('serialport')).SerialPort
  } catch (error) {
    throw new ModemFault(`serial ports cannot be used on this machine: ${asError(error).message}`)
  }
}

/** The package returns the operating system's message, and no code. */
function wordsOf(message: string, device: string): string {
  if (/no such/i.test(message)) return `there is no ${device}. Check that the modem is plugged in`
  if (/permission|denied/i.test(message))
    return `no permission to use ${device}. Add the user of this process to the group dialout`
  if (/lock|busy|unavailable/i.test(message))
    return `${device} is in use by another program, such as ModemManager`
  return `${device} cannot be opened: ${message}`
}
