import type { Context } from '../../../../domain/context.js'
import { setNoticeMails, type NoticeMails } from '../../../../domain/operating/notices.js'
import { fieldOf } from '../../form-values.js'
import { Form, Select } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act, Page } from '../../page.js'
import { sessionOf } from '../session.js'
import { SETTINGS } from './path.js'

const NONE = ['none', 'none'] as const
const CHOICES: Record<'user' | 'operator', readonly (readonly [NoticeMails, string])[]> = {
  user: [['all', 'everything about my lines and applications'], NONE],
  operator: [
    ['all', 'everything: the service, and everybody’s lines and applications'],
    ['own', 'what is about my own lines and applications'],
    NONE,
  ],
}

/** Which notices come by e-mail; the console has them all. */
export function Mails({ page, mails }: { page: Page; mails: NoticeMails }) {
  const choices = CHOICES[page.session?.role ?? 'user']
  return (
    <section id="mails">
      <h2>E-mail</h2>
      {page.hasMail ? (
        <Form page={page} action={`${SETTINGS}/mails`}>
          <Select
            name="mails"
            label="Notices that come by e-mail"
            hint={`To ${page.session?.email ?? ''}. One mail a minute at most, and nothing twice within an hour.`}
            options={choices}
            // A user who once was an operator may have a choice that is none any more.
            value={choices.some(([value]) => value === mails) ? mails : 'all'}
          />
          <button type="submit">Save</button>
        </Form>
      ) : (
        <p>
          This service sends no e-mail. <a href="/console/notices">Notices</a> has what it would tell you.
        </p>
      )}
    </section>
  )
}

export function postMails(context: Context): Act {
  return async (ctx) => {
    await setNoticeMails(context, sessionOf(ctx).userId, fieldOf(ctx, 'mails'))
    return withNotice(SETTINGS, 'mails-saved')
  }
}
