import { expect } from 'chai'
import { createSetUpLink, findSetUpLink } from '../../../src/domain/people/set-up-links.js'
import type { Context } from '../../../src/domain/context.js'
import { sendMails } from '../../../src/domain/operating/notices/dispatch.js'
import { askForReset } from '../../../src/domain/people/password-reset.js'
import { createMailer } from '../../../src/mail.js'
import { describeContext } from '../../helpers/context.js'
import { startMailServer } from '../../helpers/services/mail-server.js'
import { openForEachTest } from '../../helpers/suite.js'
import { createPerson, type Person } from './people.js'

const MAIL_FROM = 'lines@acme.example'

describeContext(
  'a forgotten password',
  { environment: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM } },
  (plain) => {
    const server = openForEachTest(startMailServer)
    let context: Context
    let person: Person
    let network = 0

    beforeEach(async () => {
      context = { ...plain, mailer: createMailer({ url: server.url, from: MAIL_FROM }) }
      await plain.db('dispatches').delete()
      person = await createPerson(plain)
      network += 1
    })

    const ask = (email = person.email, address = `203.0.113.${network}`) =>
      askForReset(context, email, address)
    const askedFor = async () => (await plain.db('dispatches').select()).length
    const linkIn = (text = '') => /https?:\S+set-up\?token=([\w-]+)/.exec(text)?.[1] ?? ''

    it('brings a mail with a link that sets a new one, within an hour, whatever the case of the address', async () => {
      await ask(` ${person.email.toUpperCase()} `)
      expect(await sendMails(context)).to.equal(1)
      const [mail] = server.mails
      expect(mail?.to).to.deep.equal([person.email])
      expect(mail?.subject).to.equal('[Linehook] Set a new password')
      expect((await findSetUpLink(context, linkIn(mail?.text)))?.userId).to.equal(person.id)
      const row = await plain.db('set_up_links').where({ user_id: person.id }).first<{ expires_at: Date }>()
      expect(row.expires_at.getTime() - Date.now()).to.be.within(3_500_000, 3_600_000)
      await plain.db('set_up_links').update({ expires_at: plain.db.raw(`expires_at - interval '1 hour'`) })
      expect(await findSetUpLink(context, linkIn(mail?.text))).to.equal(undefined)
    })

    it('brings nothing to nobody’s address, to a disabled user, and to one who has no password yet', async () => {
      const disabled = await createPerson(plain)
      await plain.db('users').where({ id: disabled.id }).update({ disabled_at: plain.db.fn.now() })
      const invited = await createPerson(plain, { password: null })
      const { url } = await createSetUpLink(context, invited.id)
      for (const email of ['nobody@example.com', '', '\0', disabled.email, invited.email]) await ask(email)
      expect(await askedFor()).to.equal(0)
      expect((await findSetUpLink(context, linkIn(url)))?.userId).to.equal(invited.id)
    })

    it('answers all of them after the same time', async () => {
      for (const email of [person.email, 'nobody@example.com']) {
        const startedAt = performance.now()
        await ask(email)
        expect(performance.now() - startedAt).to.be.at.least(395)
      }
    })

    it('brings three links in an hour to an account, also when all are asked for at once', async () => {
      await Promise.all([1, 2, 3, 4, 5, 6].map((n) => ask(person.email, `198.51.${n}.${network}`)))
      expect(await askedFor()).to.equal(3)
    })

    it('brings 30 in an hour to those behind one address', async () => {
      await Promise.all(Array.from({ length: 30 }, () => ask('nobody@example.com')))
      await ask()
      expect(await askedFor()).to.equal(0)
      await ask(person.email, `192.0.2.${network}`)
      expect(await askedFor()).to.equal(1)
    })

    it('is in the audit log: who asked from where, and the link', async () => {
      const actor = { kind: 'visitor', userId: null, credentialId: null, address: '203.0.113.9' } as const
      await askForReset({ ...context, actor }, person.email, '203.0.113.9')
      await sendMails(context)
      const rows = await plain
        .db('audit_log')
        .where({ subject_id: person.id })
        .whereNot({ action: 'user.added' })
        .orderBy('id')
        .select('action', 'actor_kind', 'address')
      expect(rows).to.deep.equal([
        { action: 'password.reset_asked', actor_kind: 'visitor', address: '203.0.113.9' },
        { action: 'user.set_up_link.created', actor_kind: 'service', address: null },
      ])
    })

    it('is given up after four attempts', async () => {
      await ask()
      server.behave('refuse-later')
      for (const status of ['waiting', 'waiting', 'waiting', 'failed']) {
        await plain.db('dispatches').update({ due_at: plain.db.fn.now() })
        await sendMails(context)
        expect(await plain.db('dispatches').first('status', 'last_failure')).to.deep.equal({
          status,
          last_failure: 'refused_451',
        })
      }
      await plain.db('dispatches').update({ due_at: plain.db.fn.now() })
      expect(await sendMails(context)).to.equal(0)
    })

    it('brings no link to who was disabled before the mail went out', async () => {
      await ask()
      await plain.db('users').where({ id: person.id }).update({ disabled_at: plain.db.fn.now() })
      expect(await sendMails(context)).to.equal(0)
      expect(await plain.db('dispatches').first('status', 'last_failure')).to.deep.equal({
        status: 'failed',
        last_failure: 'no_link',
      })
      expect(server.mails).to.deep.equal([])
    })
  },
)
