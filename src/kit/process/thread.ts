import { Worker } from 'node:worker_threads'

/** The work took too long, or more memory than the thread may have. It was ended together with its thread. */
export class Overran extends Error {
  constructor(readonly what: 'time' | 'memory') {
    super(`it takes too much ${what}`)
  }
}

interface Options {
  deadlineMs: number
  maxMemoryMb: number
  /** The value that the file finds in `workerData`. */
  data?: unknown
}

/**
 * Makes a thread for work that may occupy the processor for a long time, whoever wrote it. After the deadline the
 * thread is ended from outside, whatever it is doing, which nothing within a thread can do; the event loop of the
 * process stays free the whole time. The thread is started at its first use, stays around, and does not keep the
 * process alive. It inherits neither the environment nor the options of Node.
 *
 * The file is JavaScript even in the sources, because Node 20 starts a thread without tsx. It posts one message when it
 * is ready, and then one answer to each message.
 *
 * @returns a function that asks the thread one question at a time; it throws Overran, or the error that the thread
 *   failed with
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
    // A caller that waits for an answer gets the error too. If none waits, the next one gets a new thread.
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
      // The thread occupies the processor until it has ended, so the next one is not started before that.
      await worker.terminate()
      throw error
    } finally {
      worker.unref()
    }
  }
}

/** Resolves with the next message. Without a deadline it waits as long as the thread lives. */
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
      reject(new Error('the thread ended unexpectedly'))
    }
    const onDeadline = (): void => {
      // If this process itself was held up, the answer has arrived already, and is read before this runs.
      setImmediate(() => {
        settle()
        reject(new Overran('time'))
      })
    }
    const timer = deadlineMs === undefined ? undefined : setTimeout(onDeadline, deadlineMs)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
  })
}
