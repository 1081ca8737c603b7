import { createMailer, MailFailed } from '../../src/mail.js'
import { fault, ok, type Check } from './check.js'

/** A person waits for the answer. */
const LIMITS = { connectMs: 3000, silentMs: 3000, totalMs: 4000 }

/** Signs in at the mail server and sends nothing. */
export const mail: Check = {
  name: 'Mail',
  look: async ({ config }) => {
    if (config.smtp === undefined) return ok('There are no mails: SMTP_URL is not set.')
    try {
      await createMailer(config.smtp, LIMITS).verify()
    } catch (error) {
      if (!(error instanceof MailFailed)) throw error
      return fault(
        `No mail goes out: ${error.message}.`,
        error.failure === 'sign_in'
          ? 'Correct the user name and the password in SMTP_URL.'
          : 'Correct SMTP_URL, or see that the server runs and lets this machine in.',
      )
    }
    return ok('The mail server lets us in. Whether it takes MAIL_FROM as the sender, a mail will show.')
  },
}
