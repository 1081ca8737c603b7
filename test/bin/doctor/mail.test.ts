import { expect } from 'chai'
import { createEnvironment } from '../../helpers/process/environment.js'
import { startMailServer, type MailServerMood } from '../../helpers/services/mail-server.js'
import { openForSuite } from '../../helpers/suite.js'
import { runDoctor } from './run-doctor.js'

describe('what the doctor says of mails', () => {
  const server = openForSuite(startMailServer)

  async function mail(mood: MailServerMood) {
    server.behave(mood)
    const smtp = { SMTP_URL: server.url, MAIL_FROM: 'lines@acme.example' }
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
})
