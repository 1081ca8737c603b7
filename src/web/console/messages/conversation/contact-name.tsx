import { PhoneNumber } from '../phone-number.js'
import { UserText } from '../../user-text.js'

/** Shows a number, with the user's name for it first. */
export function ContactName({ number, name }: { number: string; name: string | null | undefined }) {
  if (name == null) return <PhoneNumber number={number} />
  return (
    <>
      <UserText>{name}</UserText>{' '}
      <span class="muted">
        <PhoneNumber number={number} />
      </span>
    </>
  )
}
