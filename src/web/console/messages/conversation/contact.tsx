import type { Contact } from '../../../../domain/lines/contacts.js'
import { MAX_NAME_LENGTH } from '../../../../domain/names.js'
import { Confirm, Field, Form, Time } from '../../form.js'
import type { Page } from '../../page.js'

/** What the user calls the number, and whether it is blocked: both count for all lines of the user. */
export function ContactForms(props: {
  page: Page
  number: string
  contact: Contact | undefined
  path: string
}) {
  const { page, number, contact, path } = props
  const naming = `${path}/name`
  const isBlocked = contact?.blockedAt != null
  return (
    <section aria-labelledby="contact-title">
      <h2 id="contact-title">Contact</h2>
      <p class="muted">A name and a block count for all of your lines.</p>
      <Form page={page} action={naming} class="row">
        <Field
          page={page}
          action={naming}
          name="name"
          label={`Name of ${number}`}
          value={contact?.name ?? ''}
          autocomplete="off"
          more={{ maxlength: MAX_NAME_LENGTH }}
        />
        <button type="submit">Save the name</button>
      </Form>
      {isBlocked ? (
        <Form page={page} action={`${path}/unblock`} class="inline">
          <button type="submit" class="secondary">
            Unblock the number
          </button>
        </Form>
      ) : (
        <Confirm
          page={page}
          action={`${path}/block`}
          label="Block the number"
          consequence="What it sends is kept here, and nobody is told of it: no event goes to your server or to applications. You can still write to it."
          button="Block it"
        />
      )}
    </section>
  )
}

export function Blocked({ number, contact }: { number: string; contact: Contact | undefined }) {
  if (contact?.blockedAt == null) return null
  return (
    <p class="fault">
      {number} is blocked since <Time at={contact.blockedAt} />: what it sends is kept here and makes no
      events.
    </p>
  )
}
