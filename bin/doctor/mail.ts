import { createMailer, MailFailed, type MailFailure } from '../../src/mail.js'
import { fault, ok, warning, type Check } from './check.js'

/** A person waits for the answer. */
const LIMITS = { connectMs: 3000, silentMs: 3000, totalMs: 4000 }

/** Signs in at the mail server and sends nothing. */
export const mail: Check = {
  name: 'Mail',
  look: async ({ config }) => {
    if (config.smtp === undefined) return ok('No email is sent, because SMTP_URL is not set.')
    let hasSignedIn: boolean
    try {
      hasSignedIn = await createMailer(config.smtp, LIMITS).verify()
    } catch (error) {
      if (!(error instanceof MailFailed)) throw error
      return fault(
        `Email cannot be sent: ${error.message}.`,
        CURES[error.failure] ??
          'Correct SMTP_URL, or check that the server is running and accepts this machine.',
      )
    }
    if (hasSignedIn) {
      return ok(
        'Signing in to the mail server works. Whether it accepts MAIL_FROM as the sender was not tested.',
      )
    }
    if (new URL(config.smtp.url).username === '') {
      return ok(
        'The mail server answers. SMTP_URL has no user name, and whether the server accepts emails without one was not tested.',
      )
    }
    return warning(
      'The mail server answers but does not offer to sign in, so the user name and the password in SMTP_URL are not used. ' +
        'Whether it accepts emails without them was not tested.',
      'Use the port for signing in: usually 587 with smtp://, or 465 with smtps://. If the server accepts this machine ' +
        'without a password, remove both from SMTP_URL.',
    )
  },
}

const CURES: Partial<Record<MailFailure, string>> = {
  sign_in: 'Correct the user name and the password in SMTP_URL.',
  tls:
    'Use smtps:// for a port that is encrypted from the start (465), and smtp:// for others (587). ' +
    'If an authority of your own signed the certificate, set NODE_EXTRA_CA_CERTS.',
}
