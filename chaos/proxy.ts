import { once } from 'node:events'
import { createServer, connect, type Server, type Socket } from 'node:net'
import { freePort } from '../dev/services/free-port.js'

/** It stands between a group of processes and a server, and treats their connections as bad networks do. */
export interface Proxy {
  port: number
  /** Nothing gets through either way, and neither side is told. What is on its way arrives after `pass`. */
  blackhole(): void
  /** Present connections stay open and are silent for ever. New ones work. */
  halfOpen(): void
  /** Resets the present connections. New ones work. */
  reset(): void
  /** Everything takes so much longer, both ways. */
  delay(ms: number): void
  /** Ends the present connections and takes no new ones. */
  refuse(): void
  /** From now on it behaves as if it were not there. */
  pass(): Promise<void>
  close(): void
}

export async function startProxy(targetPort: number): Promise<Proxy> {
  const pairs = new Set<Pair>()
  const state: Network = { isOpen: true, delayMs: 0 }
  const server = createServer((client) => {
    const pair = new Pair(client, targetPort, state)
    pairs.add(pair)
    client.once('close', () => pairs.delete(pair))
  })
  // Nobody else takes it while it refuses.
  const port = await freePort()
  await listen(server, port)
  const openAll = () => {
    state.isOpen = true
    for (const pair of pairs) pair.flow()
  }
  const reset = () => {
    for (const pair of pairs) pair.reset()
  }
  return {
    port,
    blackhole: () => {
      state.isOpen = false
      for (const pair of pairs) pair.hold()
    },
    halfOpen: () => {
      for (const pair of pairs) pair.silence()
    },
    reset,
    delay: (ms) => {
      state.delayMs = ms
    },
    refuse: () => {
      server.close()
      reset()
    },
    pass: async () => {
      state.delayMs = 0
      openAll()
      if (!server.listening) await listen(server, port)
    },
    close: () => {
      server.close()
      reset()
    },
  }
}

interface Network {
  isOpen: boolean
  delayMs: number
}

/** A client's connection, and the connection to the server that was made for it. */
class Pair {
  private readonly sides: { from: Socket; lane: Lane }[] = []
  private isSilent = false

  constructor(
    private readonly client: Socket,
    private readonly targetPort: number,
    private readonly network: Network,
  ) {
    client.on('error', () => undefined)
    client.pause()
    if (network.isOpen) this.dial()
  }

  hold(): void {
    for (const { from } of this.sides) from.pause()
  }

  flow(): void {
    if (this.isSilent) return
    if (this.sides.length === 0) this.dial()
    for (const { from } of this.sides) from.resume()
  }

  silence(): void {
    this.isSilent = true
    this.hold()
  }

  reset(): void {
    for (const { from } of this.sides) from.resetAndDestroy()
    this.client.resetAndDestroy()
  }

  private dial(): void {
    const server = connect(this.targetPort, '127.0.0.1')
    server.on('error', () => undefined)
    this.join(this.client, server)
    this.join(server, this.client)
  }

  private join(from: Socket, to: Socket): void {
    const lane = new Lane(to)
    this.sides.push({ from, lane })
    from.setNoDelay(true)
    from.on('data', (bytes: Buffer) => {
      lane.carry(bytes, this.network.delayMs)
    })
    from.once('close', () => {
      lane.finish()
    })
    from.resume()
  }
}

/** One direction of a connection. Bytes arrive in their order, however long each takes. */
class Lane {
  private readonly waiting: { bytes: Buffer; at: number }[] = []
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly to: Socket) {}

  carry(bytes: Buffer, delayMs: number): void {
    if (delayMs === 0 && this.waiting.length === 0) this.write(bytes)
    else {
      this.waiting.push({ bytes, at: performance.now() + delayMs })
      this.schedule()
    }
  }

  finish(): void {
    if (this.waiting.length === 0) this.to.end()
    else this.to.destroy()
  }

  private schedule(): void {
    const [first] = this.waiting
    if (first === undefined || this.timer !== undefined) return
    this.timer = setTimeout(
      () => {
        this.timer = undefined
        while ((this.waiting[0]?.at ?? Infinity) <= performance.now()) {
          const due = this.waiting.shift()
          if (due) this.write(due.bytes)
        }
        this.schedule()
      },
      Math.max(1, first.at - performance.now()),
    )
  }

  private write(bytes: Buffer): void {
    if (this.to.writable) this.to.write(bytes)
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}
