// Shows the details of a row beside its list on a desktop: the main part of the row's own page, which is fetched. The address
// becomes that of the page, so that it can be shared and loaded again. A phone, and a browser without a script, goes to the page.

const DESK = matchMedia('(width >= 1040px)')
const PAGE = '.way-page'
const DETAILS = /^\/console\/messages\/[\w-]+$/

let drawer
/** The row whose details are shown, as its link has it: the list may be made again while they are. */
let shown
/** The row whose details were asked for last: Next, pressed again before they come, is another step. */
let asked
let listTitle
/** How many details were asked for. An answer that comes after the next request, or after Close, is dropped. */
let askedCount = 0
/** True from Close until the list is back: pressed twice, Back would lead away from the list. */
let isLeaving = false

const address = () => location.pathname + location.search
const loadedAt = address()

const rows = () => [...document.querySelectorAll('[data-drawer] a')].filter(isRow)
const rowOf = (path) => rows().find(({ pathname }) => pathname === path)

function isRow({ pathname, origin }) {
  return origin === location.origin && DETAILS.test(pathname)
}

async function open(href, { isBack = false } = {}) {
  askedCount += 1
  const own = askedCount
  const url = new URL(href, location.href)
  asked = url.pathname
  // A page that is being left drops what it has asked for: the browser ends the request, and nobody wants these details now.
  // Each request has a listener of its own, because the answer to an earlier one removes its listener.
  const drop = () => forget()
  addEventListener('beforeunload', drop)
  const answer = await fetch(url, { headers: { Accept: 'text/html' } }).catch(() => undefined)
  const text = await answer?.text().catch(() => undefined)
  removeEventListener('beforeunload', drop)
  if (own !== askedCount) return undefined
  // If the session is over or the message is gone, the page itself says so.
  if (!answer?.ok || answer.redirected || !text?.includes('class="way-page"')) return location.assign(url)
  const isFirst = drawer === undefined
  if (isFirst) listTitle = document.title
  drawer ??= makeDrawer()
  // Back always leads to the list, so other details replace the address instead of adding one to the history.
  if (!isBack) history[isFirst ? 'pushState' : 'replaceState']({ drawer: true }, '', url)
  document.title = new DOMParser().parseFromString(text, 'text/html').title
  shown = url.pathname
  mark()
  await htmx.swap({
    text,
    target: drawer.querySelector('.drawer-page'),
    sourceElement: drawer,
    select: PAGE,
    swap: 'innerHTML ignoreTitle:true',
  })
  // htmx waits a moment before it is done. Meanwhile the drawer may have been closed, or others asked for.
  if (own !== askedCount) return undefined
  // A link within the details, such as to an attempt's response, leads to its part of them.
  const part = url.hash === '' ? null : drawer.querySelector(`[id="${CSS.escape(url.hash.slice(1))}"]`)
  if (part === null) drawer.scrollTop = 0
  else part.scrollIntoView()
  // Next and Previous lose the focus when they are disabled, at the last row and the first.
  const { activeElement } = document
  if (!drawer.contains(activeElement) || activeElement.disabled) {
    const current = part?.querySelector('[aria-current]') ?? part?.querySelector('a') ?? drawer
    current.focus({ preventScroll: true })
  }
  document.dispatchEvent(new Event('live:begin'))
}

function forget() {
  askedCount += 1
}

function makeDrawer() {
  const made = document.createElement('div')
  made.className = 'drawer'
  made.tabIndex = -1
  made.setAttribute('role', 'dialog')
  made.setAttribute('aria-label', 'Details')
  made.innerHTML = `<div class="drawer-acts">
    <button type="button" data-go="-1">Previous</button>
    <button type="button" data-go="1">Next</button>
    <button type="button" data-close>Close</button>
  </div><div class="drawer-page"></div>`
  document.querySelector('main').append(made)
  return made
}

function close() {
  forget()
  const row = rowOf(shown)
  drawer.remove()
  drawer = shown = asked = undefined
  document.title = listTitle
  mark()
  row?.focus()
  document.dispatchEvent(new Event('live:begin'))
}

/** Marks the row whose details are shown, and disables the button that has no other row to go to. */
function mark() {
  const all = rows()
  for (const row of all) {
    if (row.pathname === shown) row.setAttribute('aria-current', 'true')
    else row.removeAttribute('aria-current')
  }
  const at = all.findIndex(({ pathname }) => pathname === shown)
  for (const button of drawer?.querySelectorAll('[data-go]') ?? []) {
    button.disabled = all[at + Number(button.dataset.go)] === undefined
  }
}

function go(step) {
  const all = rows()
  const next = all[all.findIndex(({ pathname }) => pathname === asked) + step]
  if (next === undefined) return
  next.scrollIntoView({ block: 'nearest' })
  void open(next.href)
}

function leave() {
  if (isLeaving) return
  isLeaving = true
  history.back()
}

document.addEventListener('click', (event) => {
  if (event.target.closest('[data-close]')) return leave()
  const step = event.target.closest('[data-go]')
  if (step) return go(Number(step.dataset.go))
  const link = event.target.closest('[data-drawer] a, .drawer a')
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
  if (!link || !isPlain || !DESK.matches || !isRow(link)) return
  event.preventDefault()
  void open(link.href)
})

document.addEventListener('keydown', (event) => {
  if (drawer === undefined || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'Escape') return leave()
  if (event.target.closest('input, textarea, select, [contenteditable]')) return
  // j and k are the keys of the lists, too. The arrows scroll what is long.
  const keys = document.body.dataset.keys === 'off' ? {} : { j: 1, k: -1 }
  const step = { ArrowDown: 1, ArrowUp: -1, ...keys }[event.key]
  const isScrolled = event.key.startsWith('Arrow') && drawer.scrollHeight > drawer.clientHeight
  if (step === undefined || isScrolled) return
  event.preventDefault()
  event.stopImmediatePropagation()
  go(step)
})

// After the page was loaded again beside its drawer, or Back has come to it from elsewhere, the document is the message's own,
// but the browser still goes to the list without loading anything.
addEventListener('popstate', () => {
  isLeaving = false
  if (address() === loadedAt) return drawer !== undefined && close()
  if (!history.state?.drawer || document.querySelector('[data-drawer]') === null) return location.reload()
  void open(location.href, { isBack: true })
})

// Where Back left the page, the browser may show it again as it was.
addEventListener('pageshow', () => {
  isLeaving = false
})

// The list was updated, so its rows are new elements without the mark.
document.addEventListener('htmx-after-swap', () => drawer !== undefined && mark())
