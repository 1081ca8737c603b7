// Keeps pieces of the page up to date: `data-live` names where each comes from. All pages of a browser share
// one stream for each session, in a shared worker; a browser that has no shared workers opens a stream for each piece. The
// server refuses the stream if somebody else has signed in meanwhile.

const { worker, session } = document.currentScript.dataset

let port
let own = []
/** Where the streams come from that are lost at the moment, in a browser that has no shared workers. */
const lost = new Set()

function begin() {
  end()
  const at = [...new Set(livePieces().map(({ dataset }) => dataset.live))]
  // The counts outside of the content are only updated together with a piece in it: they alone open no stream.
  if (document.querySelector('main [data-live]') === null || document.hidden) return
  port = openShared()
  if (port === undefined) own = at.map(openOwn)
  else {
    port.onmessage = ({ data }) => hear(data)
    port.postMessage({ at })
  }
}

/** Returns undefined in a browser that has no shared workers, or refuses them because it blocks the site's data. */
function openShared() {
  try {
    return new SharedWorker(worker, { name: session }).port
  } catch {
    return undefined
  }
}

function end() {
  port?.postMessage({ at: [] })
  port = undefined
  for (const each of own.splice(0)) each.close()
  lost.clear()
}

function openOwn(at) {
  const stream = new EventSource(`${at}${at.includes('?') ? '&' : '?'}session=${session}`)
  stream.onmessage = ({ data }) => {
    const wasLost = lost.delete(at)
    hear({ at, html: data })
    if (wasLost) hear({})
  }
  stream.onerror = () => {
    lost.add(at)
    hear({})
    // A stream that the browser has given up is tried again later.
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => own.includes(stream) && begin(), 10_000)
  }
  return stream
}

function livePieces(at) {
  return [...document.querySelectorAll('[data-live]')].filter(
    ({ dataset }) => (at ?? dataset.live) === dataset.live,
  )
}

function hear({ at, html, gone, fault = lost.size > 0 ? 'The connection is lost.' : '', isOver = false }) {
  if (isOver) end()
  const [first] = livePieces()
  for (const piece of livePieces(at)) {
    // A fault of all pieces is shown once, at the first.
    const said = isOver ? 'Your session has ended. Reload the page.' : fault
    say(piece, gone ?? (piece === first ? said : ''), isOver)
    if (html === undefined) continue
    const swap = `${piece.getAttribute('data-hx-swap') ?? 'innerMorph'} swapEmpty:false`
    void htmx.swap({ text: html, target: piece, sourceElement: piece, swap })
  }
}

/** Shows above a piece that it is not live. Nothing says so while it is. */
function say(piece, fault, isOver) {
  const before = piece.previousElementSibling
  const said = before?.classList.contains('not-live') ? before : undefined
  if (fault === '') said?.remove()
  else {
    const note = said ?? document.createElement('p')
    note.className = 'notice not-live'
    note.setAttribute('role', 'status')
    const sentence = fault.replace(/^./, (first) => first.toUpperCase()).replace(/\.?$/, '.')
    const words = `Not live. ${sentence}${isOver ? '' : ' Trying again…'}`
    // The same words once more would be read out once more.
    if (note.textContent !== words) note.textContent = words
    if (said === undefined) piece.before(note)
  }
}

// The worker forgets a page that it has not heard from for a while.
setInterval(() => {
  const at = livePieces().map(({ dataset }) => dataset.live)
  if (at.length > 0) port?.postMessage({ at })
}, 15_000)

// The drawer was opened or closed, so the page has other pieces.
document.addEventListener('live:begin', begin)
document.addEventListener('visibilitychange', begin)
addEventListener('pagehide', end)
addEventListener('pageshow', ({ persisted }) => persisted && begin())
begin()
