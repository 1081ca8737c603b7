import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import { freePort } from '../dev/services/free-port.js'
import { createMailer, MailFailed, type Mail } from '../src/mail.js'
import { startMailServer, type MailServerMood } from './helpers/services/mail-server.js'
import { openForEachTest } from './helpers/suite.js'

const MAIL: Mail = {
  id: '0190a0b0-0000-7000-8000-000000000000',
  to: 'ada@example.com',
  subject: 'The line “Büro” fails',
  text: 'See what it answers.\n',
}

/** For servers from which nothing is to be expected. */
const QUICK = { connectMs: 1000, silentMs: 1000, totalMs: 2000 }

describe('the mailer', () => {
  const server = openForEachTest(startMailServer)
  const mailer = (times?: typeof QUICK) =>
    createMailer({ url: server.url, from: 'Acme Lines <lines@acme.example>' }, times)

  async function failureOf(mood: MailServerMood, words?: string, times?: typeof QUICK): Promise<MailFailed> {
    server.behave(mood, words)
    try {
      await mailer(times).send(MAIL)
    } catch (error) {
      if (error instanceof MailFailed) return error
      throw error
    }
    throw new Error('it was sent')
  }

  it('sends plain text to one address, and says that a program wrote it', async () => {
    await mailer().send(MAIL)
    const [mail] = server.mails
    expect(mail).to.include({ from: 'lines@acme.example', subject: MAIL.subject, text: MAIL.text })
    expect(mail?.to).to.deep.equal([MAIL.to])
    expect(mail?.headers).to.include({
      'auto-submitted': 'auto-generated',
      'message-id': `<${MAIL.id}@acme.example>`,
    })
    expect(mail?.headers['content-type']).to.match(/^text\/plain/)
    expect(mail?.headers).to.not.have.property('x-mailer')
  })

  it('takes the name of the service from the sender, and has one otherwise', () => {
    const named = (from: string) => createMailer({ url: server.url, from }).name
    expect(named('Acme Lines <lines@acme.example>')).to.equal('Acme Lines')
    expect(named('"Acme, Lines" <lines@acme.example>')).to.equal('Acme, Lines')
    expect(named('lines@acme.example')).to.equal('Linehook')
    expect(named('<lines@acme.example>')).to.equal('Linehook')
  })

  it('calls the service by its brand, and has that as the sender’s name where the address has none', async () => {
    for (const [from, sender] of [
      ['lines@acme.example', '"Acme, Lines" <lines@acme.example>'],
      ['Support <lines@acme.example>', 'Support <lines@acme.example>'],
    ] as const) {
      const branded = createMailer({ url: server.url, from, name: 'Acme, Lines' })
      expect(branded.name).to.equal('Acme, Lines')
      await branded.send(MAIL)
      expect(server.mails.at(-1)?.headers.from).to.equal(sender)
    }
  })

  it('sends to nobody besides, whatever stands in an address', async () => {
    await mailer()
      .send({ ...MAIL, to: 'ada@example.com, ben@example.com' })
      .catch(() => undefined)
    await mailer().send({ ...MAIL, subject: 'Hi\r\nBcc: ben@example.com' })
    expect(server.mails.flatMap(({ to }) => to)).to.not.include('ben@example.com')
  })

  it('knows a mailbox that is refused for good', async () => {
    const failure = await failureOf('refuse-recipient')
    expect(failure).to.include({ failure: 'refused', responseCode: 550, isFinal: true, isOfServer: false })
  })

  it('does not give up a mail because its sender is refused', async () => {
    const failure = await failureOf('refuse-sender')
    expect(failure).to.include({ failure: 'refused', responseCode: 550, isFinal: false, isOfServer: true })
  })

  for (const [response, isOfServer] of [
    ['5.1.7 Bad sender address', true],
    ['5.1.8 Sender address rejected: Domain not found', true],
    ['5.7.1 Relay access denied', false],
  ] as const) {
    it(`does not give up a mail because of "${response}", which some servers say only about the recipient`, async () => {
      const failure = await failureOf('refuse-recipient', response)
      expect(failure).to.include({ failure: 'refused', responseCode: 550, isFinal: false, isOfServer })
    })
  }

  it('tries again what is refused for now', async () => {
    const failure = await failureOf('refuse-later')
    expect(failure).to.include({ failure: 'refused', responseCode: 451, isFinal: false })
  })

  it('tells a wrong password, and not which', async () => {
    const failure = await failureOf('refuse-user')
    expect(failure).to.include({ failure: 'sign_in', isFinal: false, isOfServer: true })
    expect(JSON.stringify(failure) + failure.message + String(failure.stack)).to.not.include(server.password)
  })

  it('notices a server that hangs up', async () => {
    expect(await failureOf('close')).to.include({ failure: 'closed', isFinal: false, isOfServer: true })
  })

  for (const [mood, words] of [
    ['mute', 'says nothing at all'],
    ['hang', 'hangs in the middle of a mail'],
  ] as const) {
    it(`gives up on a server that ${words}`, async () => {
      expect(await failureOf(mood, undefined, QUICK)).to.include({ failure: 'timeout', isOfServer: true })
    })
  }

  it('gives up on a server that never comes to an end', async () => {
    const sockets: Socket[] = []
    const dripping = createServer((socket) => {
      sockets.push(socket)
      const drip = setInterval(() => socket.write('220-hello\r\n'), 20)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearInterval(drip)
      })
    })
    await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve))
    const { port } = dripping.address() as AddressInfo
    const mailer = createMailer({ url: `smtp://127.0.0.1:${port}`, from: 'lines@acme.example' }, QUICK)
    const failure = await mailer.send(MAIL).catch((error: unknown) => error)
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => dripping.close(resolve))
    expect(failure).to.include({ failure: 'timeout', isOfServer: true })
  })

  it('tells that nobody listens', async () => {
    const url = `smtp://127.0.0.1:${await freePort()}`
    const mailer = createMailer({ url, from: 'lines@acme.example' })
    const failure = await mailer.verify().catch((error: unknown) => error)
    expect(failure).to.include({ failure: 'connect', isOfServer: true })
  })
})
