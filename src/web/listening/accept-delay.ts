import { connect, type AddressInfo, type Server, type Socket } from 'node:net'

/** The time that new connections wait until Node accepts them. */
export interface AcceptDelay {
  /** True if it is so long that requests are refused until it is short again. */
  isTooLong(): boolean
  close(): void
}

export interface AcceptDelayOptions {
  maxWaitMs?: number
  /** Called when the wait has become too long, and when it is short again. */
  onChange?: (isTooLong: boolean, waitedMs: number) => void
}

/** This is half of the longest wait of a caller: the other half is for the request itself. */
const TOO_LONG_MS = 1000
/** Enough connections are still waiting then, so nobody who could have been served in time is refused. */
const SHORT_MS = 500
/**
 * After this many times the longest wait, our own connection counts as lost. One that is only slow must not be replaced:
 * its successor would stand behind it, and show later that the wait is short again. When every slow one was replaced, a
 * process beside 8 busy loops on one processor accepted 27 % less than it could.
 */
const LOST_AFTER = 5
const EVERY_MS = 200
const EVERY_WHILE_TOO_LONG_MS = 50

/**
 * Measures how long clients wait in the kernel, before this process knows about them. Node takes one new connection in
 * a turn of the event loop, so while it has too much to do, hundreds wait in the listen queue for longer than their
 * patience lasts, and nothing in the process shows it. So a connection of our own waits with them: it is made to our
 * own port now and then while requests come. It waits as long as all the others until it is accepted.
 *
 * Like CoDel (RFC 8289) this looks at how long the first connection has waited, and not at how many there are.
 */
export function watchAcceptDelay(
  server: Server,
  { maxWaitMs = TOO_LONG_MS, onChange = () => undefined }: AcceptDelayOptions = {},
): AcceptDelay {
  let waiting: { socket: Socket; since: number } | undefined
  let isTooLong = false
  let hasCome = false
  let timer: NodeJS.Timeout | undefined

  server.prependListener('connection', (socket: Socket) => {
    hasCome = true
    if (waiting === undefined || !isOurs(socket, waiting.socket)) return
    const { since, socket: ours } = waiting
    waiting = undefined
    ours.destroy()
    socket.destroy()
    judge(performance.now() - since)
  })
  server.on('request', () => {
    hasCome = true
    timer ??= setTimeout(probe, EVERY_MS).unref()
  })

  function probe(): void {
    timer = undefined
    // The server answers its last requests, and accepts no more.
    if (!server.listening) return
    if (waiting !== undefined) giveUpIfLost(waiting)
    if (waiting === undefined) {
      if (!hasCome && !isTooLong) return
      waiting = { socket: connectProbe(), since: performance.now() }
      hasCome = false
    }
    timer = setTimeout(probe, isTooLong ? EVERY_WHILE_TOO_LONG_MS : EVERY_MS).unref()
  }

  /**
   * When its queue is full, the kernel loses connections, and some of them stay open only on our side: they would wait
   * forever, and everyone would be refused. So another one is made, which shows whether the wait is still long.
   */
  function giveUpIfLost({ socket, since }: NonNullable<typeof waiting>): void {
    const waitedMs = performance.now() - since
    judge(waitedMs)
    if (waitedMs <= LOST_AFTER * maxWaitMs) return
    waiting = undefined
    socket.destroy()
  }

  function connectProbe(): Socket {
    const socket = connect(addressOf(server))
    // The server is closing, or there are no file descriptors left: either way, it tells us nothing.
    socket.on('error', () => {
      if (waiting?.socket === socket) waiting = undefined
    })
    return socket.unref()
  }

  /** While it waits, its wait so far can only show that the wait is too long. */
  function judge(waitedMs: number): void {
    const isOver = waiting === undefined
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
      waiting?.socket.destroy()
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
