import { connect, type AddressInfo, type Server, type Socket } from 'node:net'

/** The line of newcomers that wait to be let in. */
export interface Line {
  /** True if it is so long that newcomers are turned away until it is short again. */
  isTooLong(): boolean
  close(): void
}

export interface LineOptions {
  maxWaitMs?: number
  /** Called when the line has become too long, and when it is short again. */
  onChange?: (isTooLong: boolean, waitedMs: number) => void
}

/** This is half of the longest wait of a caller: the other half is for the request itself. */
const TOO_LONG_MS = 1000
/** Enough are left in the line, so that no one is turned away who could have been served in time. */
const SHORT_MS = 500
const EVERY_MS = 200
const EVERY_WHILE_TOO_LONG_MS = 50

/**
 * Measures how long clients wait in the kernel, before this process knows about them. Node takes one new connection in
 * a turn of the event loop, so while it has too much to do hundreds wait in the listen queue, for longer than their
 * patience lasts, and nothing in the process shows it. So a connection of our own stands in line with them: it is made
 * to our own port now and then while requests come. It waits until it is let in as long as all the others.
 *
 * Like CoDel (RFC 8289) this looks at how long the first in the line has waited, and not at how many there are.
 */
export function standInLine(
  server: Server,
  { maxWaitMs = TOO_LONG_MS, onChange = () => undefined }: LineOptions = {},
): Line {
  let standing: { socket: Socket; since: number } | undefined
  let isTooLong = false
  let hasCome = false
  let timer: NodeJS.Timeout | undefined

  server.prependListener('connection', (socket: Socket) => {
    hasCome = true
    if (standing === undefined || !isOurs(socket, standing.socket)) return
    const { since, socket: ours } = standing
    standing = undefined
    ours.destroy()
    socket.destroy()
    judge(performance.now() - since)
  })
  server.on('request', () => {
    hasCome = true
    timer ??= setTimeout(look, EVERY_MS).unref()
  })

  function look(): void {
    timer = undefined
    // The server answers its last requests, and lets no more in.
    if (!server.listening) return
    if (standing !== undefined) judge(performance.now() - standing.since)
    else if (hasCome || isTooLong) {
      standing = { socket: stand(), since: performance.now() }
      hasCome = false
    } else return
    timer = setTimeout(look, isTooLong ? EVERY_WHILE_TOO_LONG_MS : EVERY_MS).unref()
  }

  function stand(): Socket {
    const socket = connect(addressOf(server))
    // The server is closing, or there are no file descriptors left: either way nothing can be learned from it.
    socket.on('error', () => {
      if (standing?.socket === socket) standing = undefined
    })
    return socket.unref()
  }

  /** While it waits, its wait so far can only show that the line is too long. */
  function judge(waitedMs: number): void {
    const isOver = standing === undefined
    const before = isTooLong
    if (waitedMs > maxWaitMs) isTooLong = true
    else if (isOver && waitedMs < SHORT_MS) isTooLong = false
    if (isTooLong !== before) onChange(isTooLong, waitedMs)
  }

  return {
    isTooLong: () => isTooLong,
    close: () => {
      clearTimeout(timer)
      timer = undefined
      standing?.socket.destroy()
    },
  }
}

function addressOf(server: Server): { port: number; host: string } {
  const { port, address, family } = server.address() as AddressInfo
  const isAny = address === '0.0.0.0' || address === '::'
  return { port, host: isAny ? (family === 'IPv6' ? '::1' : '127.0.0.1') : address }
}

function isOurs(accepted: Socket, ours: Socket): boolean {
  return accepted.remotePort === ours.localPort && accepted.remoteAddress === ours.localAddress
}
