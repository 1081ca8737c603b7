import type { Contact } from '../../../../domain/lines/contacts.js'
import { MAX_NAME_LENGTH } from '../../../../domain/names.js'
import { ActButton, Confirm, Field, Form, Time } from '../../form.js'
import type { Page } from '../../page.js'
import { PhoneNumber } from '../phone-number.js'

/** Shows the forms that name and block the number: both apply to all lines of the user. */
export function ContactForms(props: { page: Page; contact: Contact | undefined; path: string }) {
  const { page, contact, path } = props
  const naming = `${path}/name`
  const isBlocked = contact?.blockedAt != null
  return (
    <section aria-labelledby="contact-title">
      <h2 id="contact-title">Contact</h2>
      <p class="muted">Names and blocks apply to all of your lines.</p>
      <Form page={page} action={naming} class="row">
        <Field
          name="name"
          label="Name"
          value={contact?.name ?? ''}
          autocomplete="off"
          more={{ maxlength: MAX_NAME_LENGTH }}
        />
        <button type="submit">Save</button>
      </Form>
      {isBlocked ? (
        <ActButton page={page} action={`${path}/unblock`} label="Unblock" look="secondary" />
      ) : (
        <Confirm
          page={page}
          action={`${path}/block`}
          label="Block"
          consequence="Its messages still appear here, but no events go to your server or to applications. You can still send to it."
          button="Block"
        />
      )}
    </section>
  )
}

export function Blocked({ number, contact }: { number: string; contact: Contact | undefined }) {
  if (contact?.blockedAt == null) return null
  return (
    <p class="fault">
      <PhoneNumber number={number} /> has been blocked since <Time at={contact.blockedAt} />. Its messages
      appear here but create no events.
    </p>
  )
}
