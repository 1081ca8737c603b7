/** What runs in the page itself, where nothing of this file but the function is. */

/** @returns its width with everything opened */
export function openAll(): number {
  for (const details of document.querySelectorAll<HTMLDetailsElement>('main details:not([name])')) {
    details.open = true
  }
  // The width must not depend on the hour at which somebody looks.
  for (const time of document.querySelectorAll('main time:not([data-as])'))
    time.textContent = 'Nov\u00a028,\u00a02026, 12:44:44\u00a0PM'
  return document.documentElement.scrollWidth
}

/** @returns what the content model of HTML forbids, and IDs that occur twice */
export function findUnsound(): string[] {
  const misplaced = [
    'header :is(header, footer, main)',
    'footer :is(header, footer, main)',
    'dl > div:not(:has(> dt):has(> dd))',
    'dl > :not(div, dt, dd)',
    ':is(ul, ol) > :not(li)',
    ':is(a, button, label, summary) :is(a[href], button, details)',
    'form form',
    ':is(p, h1, h2, h3, small, span, button) :is(p, div, ul, ol, dl, section, form, table)',
    'body style',
  ].join()
  const ids = [...document.querySelectorAll('[id]')].filter(
    ({ id }, n, all) => all.findIndex((each) => each.id === id) !== n,
  )
  return [...document.querySelectorAll(misplaced), ...ids].map(({ outerHTML }) => outerHTML.slice(0, 120))
}

/** @returns the words of the buttons that are filled with the accent */
export function findPrimary(): string[] {
  return [...document.querySelectorAll<HTMLElement>('.primary')]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .map(({ textContent }) => textContent)
}

/** @returns how many controls it has. Tab reaches only one of the radio buttons with the same name. */
export function numberControls(): number {
  const controls = [
    ...document.querySelectorAll<HTMLElement>(
      'a[href], button:enabled, input:enabled:not([type="hidden"], [type="radio"]), select:enabled, textarea:enabled, summary, [tabindex="0"]',
    ),
  ].filter((each) => each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true }))
  for (const [number, control] of controls.entries()) control.dataset.number = String(number)
  return controls.length
}

/** @returns what is focused, and whether it, or the form that it fills, is marked */
export function focused(): { number: string | undefined; isSeen: boolean; html: string } {
  const element = document.activeElement as HTMLElement
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const composer = element.closest('.composer')
  const isSeen =
    (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) ||
    (composer !== null && getComputedStyle(composer).boxShadow !== 'none')
  return { number: element.dataset.number, isSeen, html: element.outerHTML.slice(0, 160) }
}

/** @returns the controls that are not among these */
export function controlsBut(reached: string[]): string[] {
  return [...document.querySelectorAll<HTMLElement>('[data-number]')]
    .filter(({ dataset }) => !reached.includes(dataset.number ?? ''))
    .map(({ outerHTML }) => outerHTML.slice(0, 160))
}

/** A finger needs 44 px. */
export function findLowFields(): string[] {
  const fields = [...document.querySelectorAll<HTMLElement>('input, select, textarea')].filter(
    (field) => !/^(checkbox|radio|hidden)$/.test(field.getAttribute('type') ?? '') && field.offsetHeight > 1,
  )
  return fields
    .filter(({ offsetHeight }) => offsetHeight < 44)
    .map(({ outerHTML }) => outerHTML.slice(0, 200))
}

/** The words of a person stand alone in an element that finds their direction. */
export function findMisdirected(): { count: number; faults: string[] } {
  const faults: string[] = []
  let count = 0
  for (const element of document.querySelectorAll('body *:not(script)')) {
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
    const text =
      element instanceof HTMLInputElement ? element.value : own.map((node) => node.textContent).join('')
    if (!/[\u0590-\u05ff]/.test(text)) continue
    count += 1
    const closest = element.closest('[dir]')
    // What characters isolate stands alone. A number beside a name would go to its other side.
    const around = (closest?.textContent ?? '').replace(/\u2068[^\u2069]*\u2069/g, '')
    // A field with a line's name stays in the direction of the page.
    const wanted = element instanceof HTMLOptionElement ? undefined : 'auto'
    const isAlone = !/[a-z].*[\u0590-\u05ff]|[\u0590-\u05ff].*\+\d{7}/is.test(around)
    const direction = getComputedStyle(element).direction
    const isTurned = wanted === undefined ? direction !== 'ltr' : closest?.getAttribute('dir') !== 'auto'
    if (isTurned || !isAlone) faults.push(element.outerHTML.slice(0, 300))
  }
  return { count, faults }
}
