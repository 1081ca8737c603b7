import { setTimeout as sleep } from 'node:timers/promises'
import type { SMTPTransportOptions } from 'nodemailer/lib/smtp-transport'
import { asError } from './errors.js'

export interface Mail {
  /**
   * The id is the same on every try, so that mail programs show one mail if two arrive. A mail that says something else
   * has another one, because they may show only the first.
   */
  id: string
  to: string
  subject: string
  text: string
}

/** Sends mails through the server of SMTP_URL. */
export interface Mailer {
  /** The service's name in mails. */
  name: string
  /**
   * Takes 15 s at most.
   *
   * @throws MailFailed
   */
  send(mail: Mail): Promise<void>
  /**
   * Signs in and sends nothing.
   *
   * @returns false if there is no user name, or the server does not offer signing in; mails are sent without it then
   * @throws MailFailed
   */
  verify(): Promise<boolean>
}

/** The reason why the server did not take a mail. */
export type MailFailure = 'dns' | 'connect' | 'tls' | 'timeout' | 'sign_in' | 'refused' | 'closed'

export class MailFailed extends Error {
  override name = 'MailFailed'

  /**
   * @param responseCode the SMTP code, such as 550; the rest of the server's answer may name people
   * @param isOfServer true if any other mail would fail now as well
   * @param isByRule true if a rule of the server refused it, which operators can correct, such as one for relaying
   */
  constructor(
    readonly failure: MailFailure,
    readonly responseCode: number | undefined,
    readonly isOfServer: boolean,
    readonly isByRule = false,
  ) {
    super(`${WORDS[failure]}${responseCode === undefined ? '' : ` (${responseCode})`}`)
  }

  /** True if the mail was refused for good (RFC 5321 §4.2.1): another try would have the same result. */
  get isFinal(): boolean {
    const isOfMailbox = this.failure === 'refused' && !this.isOfServer && !this.isByRule
    return isOfMailbox && (this.responseCode ?? 0) >= 500
  }
}

const WORDS: Record<MailFailure, string> = {
  dns: "The mail server's name could not be resolved",
  connect: 'The mail server is unreachable',
  tls: "The mail server's certificate or encryption is not accepted",
  timeout: 'The mail server timed out',
  sign_in: 'The mail server rejected the user name or password',
  refused: 'The mail server rejected the email',
  closed: 'The mail server closed the connection',
}

interface MailLimits {
  /** The time to connect, and for the server's greeting. */
  connectMs: number
  /** The time for each of its later answers. */
  silentMs: number
  /** The time for all of it, even if the server keeps sending a little. */
  totalMs: number
}

const LIMITS: MailLimits = { connectMs: 5000, silentMs: 10_000, totalMs: 15_000 }

/**
 * The package is loaded with the first mail, because most processes never send one.
 *
 * @param brandName the service's name in mails, whatever name `from` has before its address
 * @param limits only tests give others
 */
export function createMailer(
  { url, from, name: brandName }: { url: string; from: string; name?: string | undefined },
  { connectMs, silentMs, totalMs }: MailLimits = LIMITS,
): Mailer {
  const address = /<([^<>]+)>$/.exec(from)?.[1] ?? from
  const [written = '', ...rest] = from.split('<')
  const senderName = (rest.length > 0 && written.replaceAll('"', '').trim()) || brandName
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url,
      connectionTimeout: connectMs,
      dnsTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: silentMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  let opened: ReturnType<typeof open> | undefined
  const transport = () => (opened ??= open())

  return {
    name: brandName ?? senderName ?? 'Linehook',
    send: ({ id, to, subject, text }) =>
      within(totalMs, async () => {
        await (
          await transport()
        ).sendMail({
          from: { name: senderName ?? '', address },
          // An object is always one address, whatever is in it.
          to: { name: '', address: to },
          subject,
          text,
          messageId: `<${id}@${address.slice(address.lastIndexOf('@') + 1)}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
          xMailer: false,
        })
      }),
    verify: () =>
      within(totalMs, async () => {
        const { options } = await transport()
        return signIn(options)
      }),
  }
}

/** The package's own `verify` does not tell whether the server offered signing in. */
async function signIn(options: SMTPTransportOptions): Promise<boolean> {
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection')
  const connection = new SMTPConnection(options)
  try {
    return await new Promise<boolean>((resolve, reject) => {
      const { auth } = options
      const over = (why: Error | null | undefined, hasSignedIn: boolean) => {
        if (why) reject(why)
        else resolve(hasSignedIn)
      }
      connection.on('error', reject)
      connection.once('end', () => {
        reject(new MailFailed('closed', undefined, true))
      })
      connection.connect((refusal) => {
        if (refusal || auth === undefined || !connection.allowsAuth) over(refusal, false)
        else
          connection.login(auth, (failure) => {
            over(failure, true)
          })
      })
    })
  } finally {
    connection.quit()
  }
}

async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new MailFailed('timeout', undefined, true)
  })
  try {
    const done = work()
    // If the time is over first, nothing else handles this error.
    done.catch(() => undefined)
    return await Promise.race([done, late])
  } catch (error) {
    throw error instanceof MailFailed ? error : failureOf(asError(error))
  } finally {
    late.catch(() => undefined)
    over.abort()
  }
}

/** The failures by the codes of the package. */
const FAILURES: Record<string, MailFailure> = {
  EDNS: 'dns',
  ESOCKET: 'connect',
  ETLS: 'tls',
  EREQUIRETLS: 'tls',
  ETIMEDOUT: 'timeout',
  EAUTH: 'sign_in',
  ENOAUTH: 'sign_in',
  EENVELOPE: 'refused',
  EMESSAGE: 'refused',
  ECONNECTION: 'closed',
  EPROTOCOL: 'closed',
}

/** An error with none of the codes is a bug of ours. */
function failureOf(
  error: Error & { code?: string; responseCode?: number; command?: string; response?: string },
): Error {
  const { code = '', responseCode, command, message, response = '' } = error
  const failure = FAILURES[code]
  if (failure === undefined) return error
  const isTls = failure === 'connect' && /certificate|tls|ssl/i.test(message)
  // This is the code of RFC 3463: Postfix tells of a bad sender (5.1.7, 5.1.8) and of its rules (5.7) only after RCPT TO.
  const [, enhanced = ''] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? []
  // A sender that is refused is refused for every mail, until MAIL_FROM is corrected.
  const isOfServer = failure !== 'refused' || command === 'MAIL FROM' || /^5\.1\.[78]$/.test(enhanced)
  return new MailFailed(isTls ? 'tls' : failure, responseCode, isOfServer, enhanced.startsWith('5.7.'))
}
