import type { AddressInfo } from 'node:net'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

interface ReceivedMail {
  from: string
  /** Whom the envelope names. */
  to: string[]
  subject: string
  text: string
  headers: Record<string, string>
  /** As it came. */
  raw: string
}

/**
 * What the server does with the next mails. `refuse-sender`: 550 to who sends it; `refuse-recipient`: 550 to whoever it is for; `refuse-later`: 451 to the mail;
 * `refuse-user`: 535 to the password; `close`: it hangs up when the mail begins; `hang`: it says nothing after that;
 * `mute`: it takes connections and says nothing at all.
 */
export type MailServerMood =
  | 'take'
  | 'refuse-sender'
  | 'refuse-recipient'
  | 'refuse-later'
  | 'refuse-user'
  | 'close'
  | 'hang'
  | 'mute'

export interface MailServer {
  /** With a user and a password that it wants. */
  url: string
  password: string
  mails: ReceivedMail[]
  /** How many connections there ever were. */
  connectionCount: () => number
  /** @param words what it says when it refuses a recipient */
  behave: (mood: MailServerMood, words?: string) => void
  close: () => Promise<void>
}

/** A mail server on loopback. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const password = 'p@ss/word of the mail server'
  let mood: MailServerMood = 'take'
  let refusal = ''
  let connectionCount = 0
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onConnect: (_, done) => {
      connectionCount += 1
      if (mood !== 'mute') done()
    },
    onAuth: (auth, _, done) => {
      const isRight = auth.username === 'linehook' && auth.password === password && mood !== 'refuse-user'
      done(isRight ? null : new Error('wrong'), { user: 'linehook' })
    },
    onMailFrom: (_, __, done) => {
      done(mood === 'refuse-sender' ? answer(550, 'no such sender') : null)
    },
    onRcptTo: (_, __, done) => {
      done(mood === 'refuse-recipient' ? answer(550, refusal) : null)
    },
    onData: (stream, session, done) => {
      if (mood === 'hang') return
      if (mood === 'close') {
        server.connections.forEach((connection) => {
          ;(connection as unknown as { _socket: { destroy: () => void } })._socket.destroy()
        })
        return
      }
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        if (mood === 'refuse-later') {
          done(answer(451, 'come again'))
          return
        }
        const raw = Buffer.concat(pieces).toString('utf8')
        const { mailFrom, rcptTo } = session.envelope
        void PostalMime.parse(raw).then(({ subject = '', text = '', headers }) => {
          mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            ...{ subject, text, raw },
            headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
          })
          done()
        })
      })
    },
  })
  // A client that gives up cuts its connection.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://linehook:${encodeURIComponent(password)}@127.0.0.1:${port}`,
    password,
    mails,
    connectionCount: () => connectionCount,
    behave: (next, words = 'no such mailbox') => {
      mood = next
      refusal = words
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
      }),
  }
}

function answer(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}
