/** A stream of events, as far as it has come. */
export interface Heard {
  status: number
  headers: Headers
  text: string
  isOver: boolean
  /** Hangs up. */
  close(): Promise<void>
}

/** Asks for a stream of events and listens to it until it ends, or is closed. */
export async function hear(url: string, headers: Record<string, string>): Promise<Heard> {
  const stream = new AbortController()
  const response = await fetch(url, {
    headers: { Accept: 'text/event-stream', ...headers },
    signal: stream.signal,
    redirect: 'manual',
  })
  const heard = { status: response.status, headers: response.headers, text: '', isOver: false }
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) heard.text += decoder.decode(chunk, { stream: true })
  })()
    .catch(() => undefined)
    .finally(() => (heard.isOver = true))
  return Object.assign(heard, {
    close: async () => {
      stream.abort()
      await reading
    },
  })
}
