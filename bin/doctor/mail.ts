import { createMailer, MailFailed, type MailFailure } from '../../src/mail.js'
import { fault, ok, type Check } from './check.js'

/** A person waits for the answer. */
const LIMITS = { connectMs: 3000, silentMs: 3000, totalMs: 4000 }

/** Signs in at the mail server and sends nothing. */
export const mail: Check = {
  name: 'Mail',
  look: async ({ config }) => {
    if (config.smtp === undefined) return ok('No email is sent, because SMTP_URL is not set.')
    try {
      await createMailer(config.smtp, LIMITS).verify()
    } catch (error) {
      if (!(error instanceof MailFailed)) throw error
      return fault(
        `Email cannot be sent: ${error.message}.`,
        CURES[error.failure] ??
          'Correct SMTP_URL, or check that the server is running and accepts this machine.',
      )
    }
    return ok(
      new URL(config.smtp.url).username === ''
        ? 'The mail server answers. SMTP_URL has no user name, and whether the server takes emails without one was not tested.'
        : 'Signing in to the mail server works. Whether it accepts MAIL_FROM as the sender was not tested.',
    )
  },
}

const CURES: Partial<Record<MailFailure, string>> = {
  sign_in: 'Correct the user name and the password in SMTP_URL.',
  tls:
    'Use smtps:// for a port that is encrypted from the start (465), and smtp:// for others (587). ' +
    'If an authority of your own signed the certificate, set NODE_EXTRA_CA_CERTS.',
}
