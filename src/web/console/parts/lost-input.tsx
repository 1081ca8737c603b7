import { isId } from '../../../ids.js'
import { labelOfField, type FormFault } from '../form-fault.js'

/**
 * Shows what was entered in a form that the page no longer has, so that it can be copied. Values that nobody has entered,
 * such as the ids in hidden fields, are left out.
 */
export function LostInput({ fault }: { fault: FormFault }) {
  const entered = Object.entries(fault.fields).filter(
    ([name, value]) =>
      !isHidden(name, fault) &&
      !OF_QUESTION.test(name) &&
      value.trim() !== '' &&
      value !== 'true' &&
      !isId(value),
  )
  if (entered.length === 0) return null
  return (
    <>
      <p>This form is no longer on the page. You entered:</p>
      {entered.map(([name, value]) => (
        <label key={name}>
          {labelOfField(name)}
          <textarea readOnly rows={Math.min(6, value.split('\n').length)} dir="auto">
            {value}
          </textarea>
        </label>
      ))}
    </>
  )
}

/** The names of hidden fields whose values are no ids. */
const HIDDEN = new Set(['back', 'csv', 'key', 'next', 'offeredEvents', 'seen', 'show', 'since', 'token'])
/** The names of fields that are hidden in one form, and that people fill in or choose in another. */
const HIDDEN_SOMEWHERE: Record<string, (fault: FormFault) => boolean> = {
  country: ({ action }) => action.endsWith('/countries/resume'),
  outcome: ({ fields }) => fields.since !== undefined,
}

function isHidden(name: string, fault: FormFault): boolean {
  if (Object.hasOwn(HIDDEN_SOMEWHERE, name)) return HIDDEN_SOMEWHERE[name]?.(fault) === true
  return HIDDEN.has(name)
}

/** The names of the fields of a question that came between the form and its act. */
const OF_QUESTION = /^(confirm|sign-in)-/
