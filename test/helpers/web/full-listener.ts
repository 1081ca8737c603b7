import { once } from 'node:events'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'

/** A thread that listens and then never comes back to its event loop, so it accepts nothing. */
const LISTENER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const server = require('node:net').createServer()
  server.listen({ ...workerData, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

/** Far more than wait at a listener with a backlog of 1, whatever the kernel makes of it. */
const FILLERS = 8

export interface FullListener {
  /** As in a URL. */
  host: string
  close(): Promise<void>
}

/** A port of loopback at which a connection is neither refused nor made: as many wait for `accept` as may. */
export async function startFullListener({ host = '127.0.0.1', port: asked = 0 } = {}): Promise<FullListener> {
  const worker = new Worker(LISTENER, { eval: true, workerData: { host, port: asked } })
  const [port] = (await once(worker, 'message')) as [number]
  const fillers = Array.from({ length: FILLERS }, () => connect(port, host).on('error', () => undefined))
  // The kernel takes them in their order: when the first is through, the others have asked already.
  await once(fillers[0]!, 'connect')
  return {
    host: `${host}:${port}`,
    close: async () => {
      for (const filler of fillers) filler.destroy()
      await worker.terminate()
    },
  }
}
