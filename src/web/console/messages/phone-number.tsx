import { partsOfNumber } from '../../../domain/messages/phone-number.js'

/**
 * Shows a number in parts, as people read it. The gaps are only drawn: the copied text is E.164 without spaces. It
 * keeps its direction in a text that is written from right to left.
 */
export function PhoneNumber({ number }: { number: string }) {
  const [first, ...others] = partsOfNumber(number)
  return (
    <bdi dir="ltr" class="number">
      {first}
      {others.map((part, index) => (
        <i key={index}>{part}</i>
      ))}
    </bdi>
  )
}
