// The pages work without this script. It shows times in the reader's zone, copies, and brings keys and menus.

// The pages are in English, so that is the language of their dates: the reader's own form of it, or the server's.
const { locale } = Intl.DateTimeFormat().resolvedOptions()
const LOCALE = locale.startsWith('en') ? locale : 'en-GB'

// A browser that blocks the site's data throws an error as soon as a storage is named, one without storages has null, and a full
// one throws when something is kept. Then nothing is kept from page to page. `try.js` uses both functions, too.
function storage(name) {
  try {
    return window[name] ?? undefined
  } catch {
    return undefined
  }
}

function keep(name, key, value) {
  try {
    storage(name)?.setItem(key, value)
  } catch {
    // The page works without it.
  }
}

function showLocalTimes(root) {
  // A piece that htmx has updated comes from the server, so its times have no mark and are shown anew.
  for (const time of root.querySelectorAll('time[datetime]:not([data-shown])')) {
    const moment = new Date(time.dateTime)
    const { as, zone: timeZone } = time.dataset
    const exact = moment.toLocaleString(LOCALE, { dateStyle: 'medium', timeStyle: 'medium', timeZone })
    time.dataset.shown = ''
    // Where there is no room, the line breaks between the day and the clock.
    if (as === undefined)
      [time.title, time.textContent] = [time.textContent, exact.replace(/ (?!\d+:)/g, '\u00a0')]
    else time.title = exact
    const timeStyle = { clock: 'medium', minute: 'short' }[as]
    if (as === 'date')
      time.textContent = moment.toLocaleString(LOCALE, {
        dateStyle: 'medium',
        timeStyle: 'short',
        timeZone,
      })
    if (as === 'soon') time.textContent = describeSoon(moment)
    if (timeStyle) time.textContent = moment.toLocaleTimeString(LOCALE, { timeStyle, timeZone })
  }
  for (const list of root.querySelectorAll('ol[data-days]')) showLocalDays(list)
}

function describeSoon(moment) {
  const timeStyle = 'short'
  if (moment.toDateString() !== new Date().toDateString())
    return moment.toLocaleString(LOCALE, { dateStyle: 'medium', timeStyle })
  return `today at ${moment.toLocaleTimeString(LOCALE, { timeStyle })}`
}

// The server did not know the reader's zone, so the days above the rows are made again by the reader's calendar.
function showLocalDays(list) {
  for (const day of list.querySelectorAll('li.day')) day.remove()
  let before
  for (const row of [...list.children]) {
    // A scheduled message shows another time than the one by which it is sorted.
    const at = row.dataset.at ?? row.querySelector('time[datetime]')?.dateTime
    const day = at && new Date(at).toLocaleDateString(LOCALE, { dateStyle: 'full' })
    if (!day || day === before) continue
    before = day
    const item = document.createElement('li')
    item.className = 'day'
    item.textContent = day
    row.before(item)
  }
}

// A time is read in the zone that stands beside it: the reader's, unless the page has another. The list of the activity is
// shown in it too.
function offerOwnZone(choice) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (!own) return
  if (![...choice.options].some(({ value }) => value === own)) {
    const option = document.createElement('option')
    option.value = option.textContent = own
    choice.append(option)
  }
  if (choice.dataset.zone !== 'own') return
  choice.value = own
  for (const field of choice.form.querySelectorAll('input[data-at]'))
    field.value = clockOf(new Date(field.dataset.at))
  // This happens once: what the reader chooses afterwards stays.
  delete choice.dataset.zone
}

// Writes a time as a field for date and time has it.
function clockOf(moment) {
  return new Date(moment - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

// The foot says which zone the times are in, unless the page has chosen one.
function sayZone() {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const shown = document.querySelector('.own-zone')
  if (own && shown) shown.textContent = own
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy)
  // At a second press the button may still say "Copied".
  const label = (button.dataset.label ??= button.textContent)
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent)
    button.textContent = 'Copied'
    button.classList.add('copied')
  } catch {
    // Without a secure context there is no clipboard, so the text is selected, to be copied by hand.
    getSelection().selectAllChildren(source)
    button.textContent = 'Press Ctrl+C'
  }
  setTimeout(() => {
    button.textContent = label
    button.classList.remove('copied')
  }, 2000)
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-copy]')
  if (button) void copy(button)
})

// An open menu covers what is below it. Escape closes it, and so does whatever is pressed or focused elsewhere. On a phone the
// menus are in a popover, which the browser closes.
function closeMenus(event) {
  const own = event.target.closest?.('details.menu')
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (menu !== own && !menu.closest(':popover-open')) menu.open = false
  }
}

document.addEventListener('click', closeMenus)
document.addEventListener('focusin', closeMenus)
document.addEventListener('keydown', (event) => {
  const menu = event.key === 'Escape' && document.querySelector('details.menu[open]')
  if (!menu || menu.closest(':popover-open')) return
  // The same key would close the drawer below the menu.
  event.stopImmediatePropagation()
  menu.open = false
  menu.querySelector('summary').focus()
})

// A filter takes effect as soon as a choice in it changes.
document.addEventListener('change', (event) => {
  if (event.target.matches(':is(form[data-auto], form[data-auto] > .fold) > label > select'))
    event.target.form.requestSubmit()
})

// A double click would send a form twice, and the browser drops the answer to the first press: a new token that nobody has seen,
// or the cookie of a session that was just confirmed. What htmx sends stays on its page and may be sent again at once.
const AGAIN_MS = 3000
let sentAt = new WeakMap()
document.addEventListener('submit', (event) => {
  const { target: form, submitter, defaultPrevented } = event
  if (form.method !== 'post' || defaultPrevented) return
  if (form.matches('[data-hx-post]') || submitter?.matches('[data-hx-post]')) return
  if (performance.now() - (sentAt.get(form) ?? -AGAIN_MS) < AGAIN_MS) event.preventDefault()
  else {
    sentAt.set(form, performance.now())
    const place = form.closest('main [id]')?.id
    keep('sessionStorage', 'acted', JSON.stringify({ action: form.getAttribute('action'), place }))
  }
})
// A page that Back shows again may send its forms again.
addEventListener('pageshow', () => {
  sentAt = new WeakMap()
})

// The answer to a form is a new page. The focus returns to the form; if the form is gone, to its row or section, else to the
// notice. If the server has chosen a place, for an error or a result, it stays there.
function returnFocus() {
  const kept = storage('sessionStorage')
  const acted = kept?.getItem('acted') ?? null
  kept?.removeItem('acted')
  if (acted === null || location.hash !== '' || document.querySelector('[autofocus]')) return
  const { action, place } = JSON.parse(acted)
  const form = [...document.forms].find((each) => each.getAttribute('action') === action)
  const composer = form?.closest('.composer')?.querySelector('textarea')
  if (composer) return composer.focus()
  const part = place === undefined ? undefined : document.getElementById(place)
  const isRow = part?.matches('li, tr') === true
  const shown = [
    form?.querySelector('button:not(.by-enter)'),
    isRow ? part.querySelector('form button, a') : undefined,
    part,
  ]
  const next = shown.find((each) => each?.checkVisibility()) ?? document.querySelector('main .notice')
  if (next === null) return
  if (!next.matches('a, button')) next.tabIndex = -1
  next.focus({ preventScroll: !isRow })
}

// A refused form's page takes the address of the page that it was sent from. Otherwise Reload and Back would ask whether to send it
// again.
if (document.body.dataset.refused !== undefined && document.referrer.startsWith(`${location.origin}/`))
  history.replaceState(history.state, '', document.referrer)

// As in a messenger, Enter sends; with Shift it begins a line.
document.addEventListener('keydown', (event) => {
  // Safari ends a composition before the Enter that chooses its word, which then has only this code to tell it by.
  const isComposing = event.isComposing || event.keyCode === 229
  if (event.key !== 'Enter' || event.shiftKey || isComposing) return
  const { form } = event.target
  if (!event.target.matches('.composer textarea') || !form.reportValidity()) return
  event.preventDefault()
  form.requestSubmit(form.querySelector('button.primary'))
})

// Whoever dictates, or presses keys by accident, needs no single keys (WCAG 2.2, 2.1.4). The browser keeps the choice.
function showKeys() {
  const state =
    (storage('localStorage')?.getItem('keys') ?? document.body.dataset.keys) === 'off' ? 'off' : 'on'
  document.body.dataset.keys = state
  const button = document.querySelector('button[data-keys]')
  if (!button) return
  button.hidden = false
  button.textContent = `Shortcuts: ${state}`
}

document.addEventListener('click', (event) => {
  if (!event.target.closest('button[data-keys]')) return
  const state = document.body.dataset.keys === 'off' ? 'on' : 'off'
  document.body.dataset.keys = state
  keep('localStorage', 'keys', state)
  showKeys()
})

// Lists of links by keyboard: j and k go down and up, Enter opens, / looks for something.
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.body.dataset.keys === 'off') return
  if (event.target.closest('input, textarea, select, [contenteditable]')) return
  if (event.key === '/') {
    const field = document.querySelector('[data-key="/"]') ?? document.querySelector('[type="search"]')
    if (!field) return
    event.preventDefault()
    field.focus()
  } else if (event.key === 'j' || event.key === 'k') {
    const links = [...document.querySelectorAll('ol.activity > li')]
      .map((row) => row.querySelector('a'))
      .filter(Boolean)
    const here = links.findIndex(
      (link) => link.closest('li') === document.activeElement?.closest('ol.activity > li'),
    )
    const next = event.key === 'j' ? here + 1 : Math.max(0, here - 1)
    links[Math.min(next, links.length - 1)]?.focus()
  }
})

// On a phone the tabs are wider than the window, so the current one is scrolled into sight.
for (const tab of document.querySelectorAll('.tabs [aria-current]')) {
  const row = tab.closest('ul')
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2
}

for (const choice of document.querySelectorAll('select[name="zone"]')) offerOwnZone(choice)
function showCopyButtons() {
  for (const button of document.querySelectorAll('button[data-copy]')) button.hidden = false
}

showLocalTimes(document)
showCopyButtons()
sayZone()
showKeys()
returnFocus()
document.addEventListener('htmx-after-swap', () => {
  showLocalTimes(document)
  showCopyButtons()
  showKeys()
  for (const choice of document.querySelectorAll('select[name="zone"]')) offerOwnZone(choice)
})
