import { Fragment } from 'preact'
import { partsOfNumber } from '../../domain/messages/phone-number.js'
import { PhoneNumber } from './messages/phone-number.js'

/** A number as it stands in a text; what follows it is no digit. */
const NUMBER = /(\+\d{7,15}(?!\d))/

/**
 * Shows a person's text, such as a name, within a text of ours. Each keeps its own direction of writing. A person's text
 * that stands alone has `dir="auto"` on its own element. A number in it, or in place of a name, is shown in parts.
 */
export function UserText({ children }: { children: string }) {
  return (
    <bdi dir="auto">
      {children
        .split(NUMBER)
        .map((piece, n) =>
          n % 2 === 1 ? <PhoneNumber key={n} number={piece} /> : <Fragment key={n}>{piece}</Fragment>,
        )}
    </bdi>
  )
}

/**
 * Writes a person's name, with what it is the name of, where there can be no element: in an option, or in a label. The
 * characters isolate each, so that a name from right to left does not take the number along (Unicode UAX #9, FSI and
 * PDI).
 */
export function labelOf(name: string, detail: string): string {
  return name === detail ? detail : `${isolate(name)} (${isolate(detail)})`
}

/**
 * Returns the text of an option, which is written in the direction of the page. With a direction of its own, a name from
 * right to left would turn the whole field around. In a number there are real gaps: an option has no elements to draw
 * them.
 */
export function optionText(label: string): string {
  const text = label.replace(NUMBERS, (number) => partsOfNumber(number).join('\u00a0'))
  return IS_FROM_RIGHT.test(label) && !label.startsWith('\u2068') ? isolate(text) : text
}

const NUMBERS = new RegExp(NUMBER, 'g')

const IS_FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufefc]/

function isolate(text: string): string {
  return `\u2068${text}\u2069`
}
