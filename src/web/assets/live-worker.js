// Reads one stream for all pages of a session in this browser. Each page tells this shared worker what it shows, and is told
// what is new, and whether it is live. It is named after the session, so no page gets what another session was shown.

/** What is shown at each path: its pieces, and their mark. */
const shown = new Map()
/** The pages: the paths of each, and when it was last heard. */
const pages = new Map()

const SETTLE_MS = 50
const SILENT_MS = 45_000

let stream
let streamed = ''
let failures = 0
let fault = ''
let timer

onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data: { at } }) => {
    if (at.length === 0) {
      pages.delete(port)
      port.close()
    } else {
      const isNew = !pages.has(port)
      pages.set(port, { at, heardAt: Date.now() })
      if (isNew) greet(port, at)
    }
    later(SETTLE_MS)
  }
}

function greet(port, at) {
  for (const each of at)
    if (shown.has(each)) port.postMessage({ at: each, html: shown.get(each).pieces.join('') })
  if (fault !== '') port.postMessage({ fault })
}

function later(ms) {
  clearTimeout(timer)
  timer = setTimeout(connect, ms)
}

// A page that was killed cannot say goodbye, so one that has long been silent is forgotten.
setInterval(() => {
  for (const [port, { heardAt }] of pages) if (Date.now() - heardAt > SILENT_MS) pages.delete(port)
  later(SETTLE_MS)
}, SILENT_MS)

async function connect() {
  const wanted = [...new Set([...pages.values()].flatMap(({ at }) => at))].sort()
  const all = wanted.join('\n')
  if (stream !== undefined && all === streamed) return
  stream?.abort()
  stream = undefined
  for (const at of shown.keys()) if (!wanted.includes(at)) shown.delete(at)
  if (wanted.length === 0) return
  const own = new AbortController()
  stream = own
  streamed = all
  let waitMs = 0
  try {
    waitMs = await read(wanted, own.signal)
  } catch {
    if (!own.signal.aborted) say('The connection is lost.')
  }
  // Another stream has taken its place.
  if (stream !== own) return
  stream = undefined
  failures = fault === '' ? 0 : failures + 1
  later(Math.max(waitMs, Math.min(30_000, 500 * 2 ** failures)))
}

/** Reads until the end. Returns how long the server wants to be left alone. */
async function read(wanted, signal) {
  const query = new URLSearchParams({ session: self.name })
  for (const at of wanted) query.append('at', at)
  for (const at of wanted) query.append('has', shown.get(at)?.is ?? '')
  const response = await fetch(`/console/live?${query}`, {
    headers: { Accept: 'text/event-stream' },
    redirect: 'manual',
    cache: 'no-store',
    signal,
  })
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    // Meanwhile the session may have ended, or no longer reach this.
    shown.clear()
    if (response.type === 'opaqueredirect' || response.status === 401) finish()
    else say('The server is busy.')
    return 1000 * (Number(response.headers.get('Retry-After')) || 5)
  }
  say('')
  let text = ''
  let waitMs = 0
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return waitMs
    const events = (text + value).split('\n\n')
    text = events.pop()
    for (const event of events.filter((each) => each.startsWith('data: '))) {
      const heard = JSON.parse(event.slice(6))
      hear(heard)
      // A piece that is gone is asked for again, but not at once.
      if (heard.gone !== undefined) waitMs = 10_000
    }
  }
}

function hear({ at, is, changes, gone }) {
  if (gone !== undefined) return tell(at, { at, gone })
  // No changes: the browser has this already.
  if (shown.get(at)?.is === is) return
  const before = shown.get(at)?.pieces ?? []
  const pieces = changes.flatMap((each) =>
    typeof each === 'string' ? [each] : before.slice(each[0], each[0] + each[1]),
  )
  shown.set(at, { is, pieces })
  tell(at, { at, html: pieces.join('') })
}

function tell(at, message) {
  for (const [port, page] of pages) if (page.at.includes(at)) port.postMessage(message)
}

/** Tells the pages that the session is over, and forgets them. */
function finish() {
  for (const port of pages.keys()) port.postMessage({ isOver: true })
  pages.clear()
}

function say(what) {
  if (what === fault) return
  fault = what
  for (const port of pages.keys()) port.postMessage({ fault })
}
