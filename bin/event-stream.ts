import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** The service says something every 15 s. A stream that is silent for longer is dead. */
const SILENCE_MS = 45_000
/** An event has at most a few thousand characters. */
const MAX_BUFFER = 1_000_000

/**
 * Yields the events of a stream of server-sent events. The next part is read only after the previous one was taken,
 * so that a slow reader gets no more than it can take.
 *
 * @throws Error if the stream breaks off or is silent
 */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<EventSourceMessage> {
  let come: EventSourceMessage[] = []
  const parser = createParser({
    onEvent: (event) => come.push(event),
    onError: (error) => {
      throw error
    },
    maxBufferSize: MAX_BUFFER,
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await notSilent(reader.read())
      if (done) return
      come = []
      parser.feed(decoder.decode(value, { stream: true }))
      yield* come
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function notSilent<T>(reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('the stream is silent'))
    }, SILENCE_MS)
  })
  try {
    return await Promise.race([reading, silence])
  } finally {
    clearTimeout(timer)
  }
}
