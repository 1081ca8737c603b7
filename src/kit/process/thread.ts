import { Worker } from 'node:worker_threads'

/** What was asked for took too long, or more memory than the thread may have. It was ended, and its thread with it. */
export class Overran extends Error {
  constructor(readonly what: 'time' | 'memory') {
    super(`it takes too much ${what}`)
  }
}

interface Options {
  deadlineMs: number
  maxMemoryMb: number
  /** What the file finds in `workerData`. */
  data?: unknown
}

/**
 * A thread for what may take the processor for long, whoever wrote it: past the deadline it is ended from outside, wherever
 * it is, which nothing within a thread can do. The event loop of the process is free all the while. The thread is started at
 * the first use, is kept, and lets the process end. It inherits neither environment nor options of Node.
 *
 * The file is JavaScript, also in the sources: Node 20 starts a thread without tsx. It posts one message when it is ready, and
 * then one answer to each message.
 *
 * @returns asks the thread, one question at a time. It throws Overran, or what the thread failed with
 */
export function createThread<Answer>(file: URL, { deadlineMs, maxMemoryMb, data }: Options) {
  let thread: Promise<Worker> | undefined

  const start = async (): Promise<Worker> => {
    const worker = new Worker(file, {
      workerData: data,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
    })
    // Whoever waits for an answer hears of it too; while nobody does, the next one gets a new thread.
    worker.on('error', () => undefined)
    worker.once('exit', () => (thread = undefined))
    await messageOf(worker)
    return worker
  }

  return async (question: unknown): Promise<Answer> => {
    const worker = await (thread ??= start())
    worker.ref()
    const answer = messageOf<Answer>(worker, deadlineMs)
    worker.postMessage(question)
    try {
      return await answer
    } catch (error) {
      // Until it has ended it takes the processor, so the next one is not started before.
      await worker.terminate()
      throw error
    } finally {
      worker.unref()
    }
  }
}

/** The next message. Without a deadline it is waited for as long as the thread lives. */
function messageOf<Message>(worker: Worker, deadlineMs?: number): Promise<Message> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
    }
    const onMessage = (message: Message): void => {
      settle()
      resolve(message)
    }
    const onError = (error: NodeJS.ErrnoException): void => {
      settle()
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new Overran('memory') : error)
    }
    const onExit = (): void => {
      settle()
      reject(new Error('the thread has ended by itself'))
    }
    const onDeadline = (): void => {
      // If this process was held up itself, the answer is there already, and is read before this.
      setImmediate(() => {
        settle()
        reject(new Overran('time'))
      })
    }
    const timer = deadlineMs === undefined ? undefined : setTimeout(onDeadline, deadlineMs)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
  })
}
