import type { ComponentChildren } from 'preact'
import { faultAt, isKeptFromPages, messageOf, REFUSAL } from './form-fault.js'
import { NEVER } from './form-values.js'
import { Words } from './parts/words.js'
import type { Page } from './page.js'
import { reaches } from './portal/reach.js'
import { optionText } from './user-text.js'

/**
 * Shows a form that our own server takes, with its token, and at its head what was wrong with it the last time. A portal
 * session that may not send it does not get it.
 */
export function Form(props: {
  page: Page
  action: string
  class?: string
  isMultipart?: boolean
  /** Additional attributes, such as htmx's. */
  more?: Record<string, string>
  children: ComponentChildren
}) {
  const { page, action, isMultipart = false, more = {}, children } = props
  if (!reaches(page, 'post', action)) return null
  return (
    <form
      method="post"
      action={action}
      {...(props.class === undefined ? {} : { class: props.class })}
      {...(isMultipart ? { enctype: 'multipart/form-data' } : {})}
      {...more}
    >
      <CsrfField page={page} />
      {page.fault?.action === action && (
        // Otherwise the page would be shown from its top, wherever the form is.
        <p role="alert" class="fault" tabIndex={-1} autofocus {...REFUSAL}>
          <Words>{messageOf(page.fault)}</Words>
        </p>
      )}
      {children}
    </form>
  )
}

export function CsrfField({ page }: { page: Page }) {
  return <input type="hidden" name="csrf" value={page.csrfToken} />
}

/** Shows a label with its input; after a refusal it holds what was typed. */
export function Field(props: {
  page: Page
  action: string
  name: string
  label: string
  hint?: string
  value?: string
  type?: 'text' | 'password' | 'email' | 'url' | 'tel' | 'number' | 'datetime-local'
  required?: boolean
  autocomplete?: string
  more?: Record<string, string | number | boolean>
}) {
  const { page, action, name, label, hint, type = 'text', required = false, more = {} } = props
  if (type === 'password' && !isKeptFromPages(name)) throw new Error(`${name} is not the name of a secret`)
  const typed = typedIn(page, action, name)
  const value = type === 'password' ? undefined : (typed ?? props.value)
  const { marks, note } = faultOf(props)
  return (
    <label>
      {label}
      <input
        // Preact's types only accept one literal type for an input.
        {...({ type } as { type: 'text' })}
        name={name}
        required={required}
        {...(value === undefined ? {} : { value })}
        {...(props.autocomplete === undefined ? {} : { autocomplete: props.autocomplete })}
        {...(type === 'text' ? { dir: 'auto' } : {})}
        {...marks}
        {...more}
      />
      {note}
      {hint !== undefined && <small>{hint}</small>}
    </label>
  )
}

/** Shows a field for text of several lines. */
export function TextArea(props: {
  page: Page
  action: string
  name: string
  label: string
  hint?: string
  value?: string
  rows: number
  required?: boolean
  /** True if something was typed that the page does not keep, and nothing was refused. */
  isEmptied?: boolean
  more?: Record<string, string | number | boolean>
}) {
  const { page, action, name, label, hint, rows, required = false, more = {} } = props
  const { marks, note } = faultOf(props)
  return (
    <label>
      {label}
      <textarea name={name} rows={rows} required={required} dir="auto" {...marks} {...more}>
        {typedIn(page, action, name) ?? props.value ?? ''}
      </textarea>
      {note}
      {hint !== undefined && <small>{hint}</small>}
    </label>
  )
}

/** Returns how a field is marked after a refusal, and what stands below it, if it was wrong or is empty again. */
export function faultOf(props: {
  page: Page
  action: string
  name: string
  label: string
  autocomplete?: string
  isEmptied?: boolean
}) {
  const { page, action, name, label, autocomplete = '' } = props
  const fault = page.fault?.action === action ? page.fault : undefined
  // Everybody knows that a password and a code have to be entered again, and browsers fill them in.
  const isEmptied =
    props.isEmptied === true ||
    (fault?.unkept.includes(name) === true && !['current-password', 'one-time-code'].includes(autocomplete))
  const words =
    faultAt(fault, name, label) ??
    (isEmptied ? (isKeptFromPages(name) ? SECRET_NOT_KEPT : FILE_NOT_KEPT) : undefined)
  if (words === undefined) return NO_FAULT
  return {
    marks: { 'aria-invalid': 'true' as const },
    note: (
      <small class="why">
        <Words>{words}</Words>
      </small>
    ),
  }
}

const NO_FAULT = { marks: {}, note: null }
const SECRET_NOT_KEPT = 'Enter this again. It was not saved.'
const FILE_NOT_KEPT = 'Choose this again. It was not saved.'

/** Returns the field's value when its form was refused. */
export function typedIn(page: Page, action: string, name: string): string | undefined {
  return page.fault?.action === action ? page.fault.fields[name] : undefined
}

/** Shows a box, after a refusal as it was sent: an unticked box sends nothing. */
export function CheckBox(props: {
  page: Page
  action: string
  name: string
  label: string
  isChecked?: boolean
}) {
  const { page, action, name, label, isChecked = false } = props
  const isRefused = page.fault?.action === action
  return (
    <label>
      <input
        type="checkbox"
        name={name}
        value="true"
        checked={isRefused ? typedIn(page, action, name) !== undefined : isChecked}
      />
      {label}
    </label>
  )
}

/** Shows a choice from a few; `options` are pairs of value and label. */
export function Select(props: {
  /** The page and the action of the form. Without them, no faults are shown. */
  page?: Page
  action?: string
  name: string
  label: string
  hint?: string
  options: readonly (readonly [value: string, label: string])[]
  value?: string
}) {
  const { page, action, name, label } = props
  const { marks, note } =
    page === undefined || action === undefined ? NO_FAULT : faultOf({ page, action, name, label })
  return (
    <label>
      {label}
      <select name={name} {...marks}>
        {props.options.map(([value, label]) => (
          <option key={value} value={value} selected={value === props.value}>
            {optionText(label)}
          </option>
        ))}
      </select>
      {note}
      {props.hint !== undefined && <small>{props.hint}</small>}
    </label>
  )
}

/**
 * Asks once before a step that cannot be undone: when it is opened, it says what will happen and has the button. It
 * works without a script and by keyboard. The dots after its label say that nothing happens yet.
 */
export function Confirm(props: {
  page: Page
  action: string
  label: string
  consequence: ComponentChildren
  button: string
  children?: ComponentChildren
}) {
  const isRefused = props.page.fault?.action === props.action
  if (!reaches(props.page, 'post', props.action)) return null
  return (
    <details class="confirm" open={isRefused}>
      <summary>{`${props.label}…`}</summary>
      <Form page={props.page} action={props.action}>
        <p>{props.consequence}</p>
        {props.children}
        <button type="submit" class="danger">
          {props.button}
        </button>
      </Form>
    </details>
  )
}

/**
 * Says in a form what it was made for: when what it replaces was last replaced. A double click sends the form twice,
 * and the second must not replace what the first has just made.
 */
export function Seen({ at }: { at: Date | null }) {
  return <input type="hidden" name="seen" value={at?.toISOString() ?? NEVER} />
}

/** Shows a time in UTC; `console.js` shows it in the reader's zone. */
export function Time({ at }: { at: Date }) {
  return <time dateTime={at.toISOString()}>{`${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`}</time>
}

/** Shows how long ago it was when the page was made, for lists; pointing at it shows the exact time. */
export function Ago({ at, isShort = false }: { at: Date; isShort?: boolean }) {
  const exact = `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
  return (
    <time dateTime={at.toISOString()} title={exact} data-as="ago">
      {describeAgo(Date.now() - at.getTime(), isShort ? SHORT_AGO : AGO)}
    </time>
  )
}

/** Shows when something will happen; `console.js` leaves out the day if that is today. */
export function Soon({ at }: { at: Date }) {
  return (
    <time dateTime={at.toISOString()} data-as="soon">
      {`${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`}
    </time>
  )
}

const AGO = new Intl.RelativeTimeFormat('en')
/** Such as `5m ago`. */
const SHORT_AGO = new Intl.RelativeTimeFormat('en', { style: 'narrow' })
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

function describeAgo(ms: number, ago: Intl.RelativeTimeFormat): string {
  for (const [unit, unitMs] of UNITS) {
    if (ms >= unitMs) return ago.format(-Math.floor(ms / unitMs), unit)
  }
  return 'just now'
}

/** Says what to do if there is nothing yet. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}
