import { createContext, type ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { faultAt, isKeptFromPages, messageOf, REFUSAL, type FormFault } from './form-fault.js'
import { NEVER } from './form-values.js'
import { Words } from './parts/words.js'
import type { Page } from './page.js'
import { reaches } from './portal/reach.js'
import { optionText } from './user-text.js'

/** The fault of the form around a field; undefined if the form was not refused. */
const Refused = createContext<FormFault | undefined>(undefined)

/** Returns the fault of a form that was just refused. */
export function faultOfForm({ fault }: Page, action: string): FormFault | undefined {
  return fault?.action === action ? fault : undefined
}

/** Returns the same for the form around a field. */
export function useFault(): FormFault | undefined {
  return useContext(Refused)
}

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
  const fault = faultOfForm(page, action)
  if (!reaches(page, 'post', action)) return null
  return (
    <form
      method="post"
      action={action}
      class={props.class}
      {...(isMultipart ? { enctype: 'multipart/form-data' } : {})}
      {...more}
    >
      <CsrfField page={page} />
      {fault !== undefined && (
        // Otherwise the page would be shown from its top, wherever the form is.
        <p role="alert" class="fault" tabIndex={-1} autofocus {...REFUSAL}>
          <Words>{messageOf(fault)}</Words>
        </p>
      )}
      <Refused.Provider value={fault}>{children}</Refused.Provider>
    </form>
  )
}

/**
 * Shows a form that is only a button.
 *
 * @param props.fields what it sends besides
 */
export function ActButton(props: {
  page: Page
  action: string
  label: string
  look?: 'primary' | 'secondary' | 'link'
  fields?: Record<string, string>
}) {
  const { page, action, label, look, fields = {} } = props
  return (
    <Form page={page} action={action} class="inline">
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={look}>
        {label}
      </button>
    </Form>
  )
}

export function CsrfField({ page }: { page: Page }) {
  return <input type="hidden" name="csrf" value={page.csrfToken} />
}

interface FieldProps {
  name: string
  label: string
  hint?: string
  value?: string
  required?: boolean
  more?: Record<string, string | number | boolean>
}

/** Shows a label with its input; after a refusal it holds what was typed. */
export function Field(
  props: FieldProps & {
    type?: 'text' | 'password' | 'email' | 'url' | 'tel' | 'number' | 'datetime-local'
    autocomplete?: string
  },
) {
  const { name, label, hint, type = 'text', required = false, more = {} } = props
  if (type === 'password' && !isKeptFromPages(name)) throw new Error(`${name} is not the name of a secret`)
  const fault = useFault()
  const { marks, note } = faultOf(fault, props)
  return (
    <label>
      {label}
      <input
        // Preact's types only accept one literal type for an input.
        {...({ type } as { type: 'text' })}
        name={name}
        required={required}
        value={type === 'password' ? undefined : (fault?.fields[name] ?? props.value)}
        autocomplete={props.autocomplete}
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
export function TextArea(
  props: FieldProps & {
    rows: number
    /** True if something was typed that the page does not keep, and nothing was refused. */
    isEmptied?: boolean
  },
) {
  const { name, label, hint, rows, required = false, more = {} } = props
  const fault = useFault()
  const { marks, note } = faultOf(fault, props)
  return (
    <label>
      {label}
      <textarea name={name} rows={rows} required={required} dir="auto" {...marks} {...more}>
        {fault?.fields[name] ?? props.value ?? ''}
      </textarea>
      {note}
      {hint !== undefined && <small>{hint}</small>}
    </label>
  )
}

/** Returns how a field is marked after a refusal, and what stands below it, if it was wrong or is empty again. */
export function faultOf(
  fault: FormFault | undefined,
  props: { name: string; label: string; autocomplete?: string; isEmptied?: boolean },
) {
  const { name, label, autocomplete = '' } = props
  // Everybody knows that a password and a code have to be entered again, and browsers fill them in.
  const isEmptied =
    props.isEmptied === true ||
    (fault?.unkept.includes(name) === true && !['current-password', 'one-time-code'].includes(autocomplete))
  const words =
    faultAt(fault, name, label) ??
    (isEmptied ? (isKeptFromPages(name) ? SECRET_NOT_KEPT : FILE_NOT_KEPT) : undefined)
  if (words === undefined) return { marks: {}, note: null }
  return {
    marks: { 'aria-invalid': 'true' as const },
    note: (
      <small class="why">
        <Words>{words}</Words>
      </small>
    ),
  }
}

const SECRET_NOT_KEPT = 'Enter this again. It was not saved.'
const FILE_NOT_KEPT = 'Choose this again. It was not saved.'

/** Shows a box, after a refusal as it was sent: an unticked box sends nothing. */
export function CheckBox(props: { name: string; label: string; isChecked?: boolean }) {
  const { name, label, isChecked = false } = props
  const fault = useFault()
  return (
    <label>
      <input
        type="checkbox"
        name={name}
        value="true"
        checked={fault === undefined ? isChecked : fault.fields[name] !== undefined}
      />
      {label}
    </label>
  )
}

/** Shows several boxes of one name, after a refusal as they were sent; `options` are pairs of value and label. */
export function CheckBoxes(props: {
  name: string
  legend: string
  options: readonly (readonly [value: string, label: ComponentChildren])[]
  ticked: readonly string[]
}) {
  const { name, legend, options } = props
  const fault = useFault()
  const ticked = fault === undefined ? props.ticked : (fault.fields[name] ?? '').split('\n')
  return (
    <fieldset>
      <legend>{legend}</legend>
      {faultOf(fault, { name, label: legend }).note}
      {options.map(([value, label]) => (
        <label key={value}>
          <input type="checkbox" name={name} value={value} checked={ticked.includes(value)} />
          {label}
        </label>
      ))}
    </fieldset>
  )
}

/** Shows a choice from a few; `options` are pairs of value and label. After a refusal it shows what was chosen. */
export function Select(
  props: Pick<FieldProps, 'name' | 'label' | 'hint' | 'value'> & {
    options: readonly (readonly [value: string, label: string])[]
  },
) {
  const { name, label, hint, options } = props
  const fault = useFault()
  const { marks, note } = faultOf(fault, props)
  const typed = fault?.fields[name]
  // What was chosen may be gone meanwhile, and a browser would choose the first option then.
  const chosen = options.some(([value]) => value === typed) ? typed : props.value
  return (
    <label>
      {label}
      <select name={name} {...marks}>
        {options.map(([value, label]) => (
          <option key={value} value={value} selected={value === chosen}>
            {optionText(label)}
          </option>
        ))}
      </select>
      {note}
      {hint !== undefined && <small>{hint}</small>}
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
  if (!reaches(props.page, 'post', props.action)) return null
  return (
    <details class="confirm" open={faultOfForm(props.page, props.action) !== undefined}>
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

/** Says what is wrong with what a page was asked for; nothing if it is right. */
export function Refusal({ fault }: { fault: string | undefined }) {
  if (fault === undefined) return null
  return (
    <p role="alert" class="fault">
      <Words>{fault}</Words>
    </p>
  )
}

/** Says what to do if there is nothing yet. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}
