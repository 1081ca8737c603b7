// Runs in the browser, on the pages that come from a package (/queues). It adds what these leave out for people who use a
// screen reader or the keyboard (WCAG 2.2: 1.3.1, 2.5.3, 4.1.2). A package draws its page again at any time, so every change of the
// page is looked at; each repair leaves alone what is right.

/** The names of icons, in the words of the package's own tooltips, which are in the page only while they are shown. */
const ICONS = {
  'arrow-up-down': 'Sort',
  ban: 'Remove unprocessed children',
  'circle-user': 'Links',
  clock: 'Reschedule',
  copy: 'Copy',
  'corner-up-left': 'Promote',
  'ellipsis-vertical': 'More actions',
  files: 'Duplicate',
  gauge: 'Change priority',
  maximize: 'Full screen',
  pencil: 'Update data',
  'refresh-cw': 'Retry',
  settings: 'Settings',
  'trash-2': 'Clean',
  x: 'Close',
}

/** Leaves out the style sheet that an icon may have in it. `innerText` would have the browser lay the page out each time. */
function textOf(element) {
  const styles = [...element.querySelectorAll('style')].map(({ textContent }) => textContent)
  return styles
    .reduce((text, style) => text.replace(style, ''), element.textContent)
    .replace(/\s+/g, ' ')
    .trim()
}
const lettersOf = (text) => text.toLowerCase().replace(/[^\p{L}\d]/gu, '')

/** Does nothing if the value is there already: each change of the page starts another repair. */
function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value)
}

function nameOf(button) {
  const classes = button.querySelector('svg')?.getAttribute('class') ?? ''
  // A package names an icon twice where its name has changed; the last one is the newest.
  const icon = [...classes.matchAll(/lucide-([a-z\d-]+)/g)].at(-1)?.[1]
  if (icon === undefined) return 'Redis'
  return ICONS[icon] ?? icon.replaceAll('-', ' ').replace(/^./, (first) => first.toUpperCase())
}

/** Each repair finds what is wrong by a selector, and mends it. */
const REPAIRS = [
  [
    'button:not([aria-label], [aria-labelledby], [title])',
    (button) => textOf(button) === '' && set(button, 'aria-label', nameOf(button)),
  ],
  // People who control a page by voice say the words that they see.
  [
    ':is(a, button)[aria-label]',
    (control) => {
      const [text, label] = [textOf(control), control.getAttribute('aria-label')]
      if (text !== label && lettersOf(text) === lettersOf(label)) control.removeAttribute('aria-label')
      else if (!label.toLowerCase().includes(text.toLowerCase()))
        set(control, 'aria-label', `${text}: ${label}`)
    },
  ],
  ['button svg[role="img"]', (icon) => set(icon, 'aria-hidden', 'true')],
  ['a img[alt]', (image) => textOf(image.closest('a')) === image.alt && set(image, 'alt', '')],
  // The button around it opens the same thing.
  ['button a[href]', (link) => link.removeAttribute('href')],
  ['table[role="region"]', (table) => table.removeAttribute('role')],
  ['[data-base-ui-portal]:has([role="menu"])', (part) => nameRegion(part, 'Menu')],
  ['th:empty', (cell) => set(cell, 'role', 'cell')],
  // An editor of JSON, with its label beside it, or alone in a dialog.
  [
    '.cm-content[role="textbox"]',
    (field) =>
      set(field, 'aria-label', field.closest('div:has(> label)')?.querySelector('label').innerText ?? 'Data'),
  ],
]

function nameRegion(part, name) {
  set(part, 'role', 'region')
  set(part, 'aria-label', name)
}

/** The name of the dashboard is the heading of a page that has none. Below it, no level is left out. */
function levelHeadings() {
  const title = document.querySelector('header > a > span')
  if (title !== null && document.querySelector('h1') === null) {
    set(title, 'role', 'heading')
    set(title, 'aria-level', '1')
  } else for (const name of ['role', 'aria-level']) title?.removeAttribute(name)
  const above = title?.hasAttribute('role') ? [1] : []
  for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const own = Number(heading.tagName[1])
    while (above.length > 0 && above.at(-1) >= own) above.pop()
    above.push(own)
    set(heading, 'aria-level', String(above.length))
  }
}

function repair() {
  for (const [selector, mend] of REPAIRS) for (const each of document.querySelectorAll(selector)) mend(each)
  levelHeadings()
}

let isAsked = false
new MutationObserver(() => {
  if (isAsked) return
  isAsked = true
  requestAnimationFrame(() => {
    isAsked = false
    repair()
  })
}).observe(document.documentElement, {
  subtree: true,
  childList: true,
  attributeFilter: ['aria-label', 'alt', 'href', 'role'],
})
repair()
