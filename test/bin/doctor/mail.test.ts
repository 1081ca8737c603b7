import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { createEnvironment } from '../../helpers/process/environment.js'
import { startMailServer, type MailServerMood } from '../../helpers/services/mail-server.js'
import { openForSuite } from '../../helpers/suite.js'
import { runDoctor } from './run-doctor.js'

describe('what the doctor says of mails', () => {
  const server = openForSuite(startMailServer)

  async function mail(mood: MailServerMood, url = server.url) {
    server.behave(mood)
    const smtp = { SMTP_URL: url, MAIL_FROM: 'lines@acme.example' }
    return (await runDoctor(await createEnvironment(smtp))).Mail
  }

  it('there are none', async () => {
    const found = await runDoctor(await createEnvironment())
    expect(found.Mail).to.deep.equal({ state: 'ok', why: 'No email is sent, because SMTP_URL is not set.' })
  })

  it('the server lets us in, and gets no mail', async () => {
    expect(await mail('take')).to.include({ state: 'ok' })
    expect(server.mails).to.deep.equal([])
  })

  it('it refuses the password, which is not repeated', async () => {
    const found = await mail('refuse-user')
    expect(found).to.deep.equal({
      state: 'fault',
      why: 'Email cannot be sent: The mail server rejected the user name or password (535).',
      cure: 'Correct the user name and the password in SMTP_URL.',
    })
  })

  it('it says nothing', async () => {
    expect(await mail('mute')).to.include({
      state: 'fault',
      why: 'Email cannot be sent: The mail server timed out.',
    })
  })

  it('nobody signs in, because SMTP_URL has no user name', async () => {
    const found = await mail('take', `smtp://${new URL(server.url).host}`)
    expect(found).to.include({ state: 'ok' })
    expect(found?.why).to.match(/^The mail server answers\. SMTP_URL has no user name/)
  })

  it('it does not offer to sign in, so the user name and the password would not be used', async () => {
    const open = new SMTPServer({ disabledCommands: ['AUTH', 'STARTTLS'], closeTimeout: 100 })
    await new Promise<void>((resolve) => {
      open.listen(0, '127.0.0.1', resolve)
    })
    try {
      const { port } = open.server.address() as AddressInfo
      const found = await mail('take', `smtp://user:password@127.0.0.1:${port}`)
      expect(found).to.include({ state: 'warning' })
      expect(found?.why).to.match(/^The mail server answers but does not offer to sign in/)
    } finally {
      await new Promise<void>((resolve) => {
        open.close(resolve)
      })
    }
  })

  it('it does not begin with TLS', async () => {
    const found = await mail('take', server.url.replace('smtp:', 'smtps:'))
    expect(found).to.include({
      state: 'fault',
      why: "Email cannot be sent: The mail server's certificate or encryption is not accepted.",
    })
    expect(found?.cure).to.match(/^Use smtps:\/\/ for a port that is encrypted from the start/)
  })
})
