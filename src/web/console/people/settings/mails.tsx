import { setNoticeMails, type NoticeMails } from '../../../../domain/operating/notices.js'
import { actAt } from '../../act.js'
import { fieldOf } from '../../form-values.js'
import { Form, Select } from '../../form.js'
import type { Page } from '../../page.js'
import { SETTINGS } from './path.js'

const NONE = ['none', 'None'] as const
const CHOICES: Record<'user' | 'operator', readonly (readonly [NoticeMails, string])[]> = {
  user: [['all', 'Everything about my lines and applications'], NONE],
  operator: [
    ['all', "Everything: the service and all users' lines and applications"],
    ['own', 'Only my own lines and applications'],
    NONE,
  ],
}

/** Shows the choice of notifications that also come by email; the console has them all. */
export function Mails({ page, mails }: { page: Page; mails: NoticeMails }) {
  const choices = CHOICES[page.session?.role ?? 'user']
  const action = `${SETTINGS}/mails`
  return (
    <section id="mails">
      <h2>Email</h2>
      {page.hasMail ? (
        <Form page={page} action={action}>
          <Select
            name="mails"
            label="Notifications by email"
            hint={`To ${page.session?.email ?? ''}. At most one email a minute, and the same problem at most once an hour.`}
            options={choices}
            // A former operator may have a choice that no longer exists.
            value={choices.some(([value]) => value === mails) ? mails : 'all'}
          />
          <button type="submit">Save</button>
        </Form>
      ) : (
        <p>
          This service does not send email. See <a href="/console/notices">Notifications</a> instead.
        </p>
      )}
    </section>
  )
}

export const postMails = actAt(SETTINGS, 'mails-saved', (context, userId, ctx) =>
  setNoticeMails(context, userId, fieldOf(ctx, 'mails')),
)
