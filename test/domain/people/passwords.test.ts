import { expect } from 'chai'
import { parseOptions } from '@node-rs/argon2'
import {
  hashPassword,
  isPassword,
  PASSWORD_GUESSABLE,
  requireGoodPassword,
} from '../../../src/domain/people/passwords.js'
import { Unavailable } from '../../../src/errors.js'
import { createSetUpLink, findSetUpLink } from '../../../src/domain/people/set-up-links.js'
import type { Context } from '../../../src/domain/context.js'
import { sendMails } from '../../../src/domain/operating/notices/dispatch.js'
import { askForReset } from '../../../src/domain/people/password-reset.js'
import { createMailer } from '../../../src/mail.js'
import { describeContext } from '../../helpers/context.js'
import { startMailServer } from '../../helpers/services/mail-server.js'
import { openForEachTest } from '../../helpers/suite.js'
import { refusal } from '../refusal.js'
import { changeRows } from '../fixtures.js'
import { losingAnswers } from '../operating/notices/fixtures.js'
import { createPerson, type Person } from './people.js'

describe('passwords', () => {
  const refuse = (plain: string, email?: string) => refusal(requireGoodPassword(plain, email))

  it('are known again by their hash, and others are not', async () => {
    const hash = await hashPassword('correct horse battery')
    expect(await isPassword(hash, 'correct horse battery')).to.equal(true)
    expect(await isPassword(hash, 'correct horse batterY')).to.equal(false)
    expect(await isPassword(hash, '')).to.equal(false)
  })

  it('are hashed with argon2id, 19 MiB and two passes, each with a salt of its own', async () => {
    const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(parseOptions(one)).to.include({ saltLen: 16, outputLen: 32 })
    expect(one).not.to.equal(two)
  })

  it('are right for nobody who has none', async () => {
    expect(await isPassword(null, 'correct horse battery')).to.equal(false)
    expect(await isPassword(null, '')).to.equal(false)
  })

  it('are the same whether their characters come composed or decomposed', async () => {
    const hash = await hashPassword('cafe\u0301 au lait')
    expect(await isPassword(hash, 'caf\u00e9 au lait')).to.equal(true)
  })

  for (const [what, plain] of [
    ['NUL', 'twelve\0letters'],
    ['a lone surrogate', 'twelve\ud800letters'],
    ['an emoji', 'twelve 🐎 letters'],
    ['64 KiB', 'x'.repeat(65_536)],
  ] as const) {
    it(`may be compared with anything: ${what}`, async () => {
      const hash = await hashPassword('correct horse battery')
      expect(await isPassword(hash, plain)).to.equal(false)
      expect(await isPassword(await hashPassword(plain), plain)).to.equal(true)
    })
  }

  it('differ by what stands behind a NUL', async () => {
    expect(await isPassword(await hashPassword('twelve\0letters'), 'twelve\0lettres')).to.equal(false)
  })

  for (const [length, plain] of [
    [0, ''],
    [11, 'x'.repeat(11)],
    [11, '🐎'.repeat(11)],
    [257, 'x'.repeat(257)],
  ] as const) {
    it(`are not ${length} characters long (${JSON.stringify(plain.slice(0, 4))})`, async () => {
      expect(await refuse(plain)).to.deep.equal({
        status: 400,
        message: 'password must be 12 to 256 characters long',
      })
    })
  }

  const long = 'four unrelated words '.repeat(7).slice(0, 256)
  it('may be of one kind of characters only', async () => {
    for (const plain of ['vqmzoktxwnpb', 'VQMZOKTXWNPB', '742915806372', '%&/=+*#;:-_<', '  ſ  µ  ß  ð']) {
      await requireGoodPassword(plain, 'ada@example.com')
    }
  })

  for (const plain of [
    'vq7 mz0 kt2x',
    long,
    '🐎🦉🐢🦔🐙🦑🦀🐌🐝🦋🐞🕷',
    'only lower case letters',
    'grüne Äpfel im Mai',
  ]) {
    it(`may be ${plain.slice(0, 24)}, ${plain.length} units long`, async () => {
      await requireGoodPassword(plain, 'ada@example.com')
    })
  }

  for (const plain of [
    ...[
      'password1234',
      'iloveyouforever',
      'manchesterunited',
      'unbelievable',
      'administrator',
      'princess1234',
    ],
    ...['1q2w3e4r5t6y', '1qaz2wsx3edc', 'qwertyuiop[]', 'zaq12wsxcde3', '123456789012', 'abc123abc123'],
    ...['linehook2026', 'L1neh00k!!!!', 'linehooklinehook', 'Linehook-Queues-2026', 'welcome-to-linehook'],
    ...['grace.hopper', 'gracehopper1', 'Grace.Hopper1'],
    ...['x'.repeat(12), 'x'.repeat(256), '🐎'.repeat(12), 'P@ssw0rd'.repeat(32)],
  ]) {
    it(`are not ${plain.slice(0, 24)}, which is guessed soon`, async () => {
      const fault = await refuse(plain, 'grace.hopper@example.com')
      expect(fault).to.deep.equal({ status: 400, message: PASSWORD_GUESSABLE })
    })
  }

  it('are judged in a time that nobody notices, whatever they are', async () => {
    await requireGoodPassword('four words that do not belong')
    for (const part of ['P@ssw0rd', '1a2b', '4dm1n', 'qwErtY$', '0123456789']) {
      // The processor's time: that of the clock is also what others on the machine take.
      const before = process.cpuUsage()
      await refuse(part.repeat(64).slice(0, 256))
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1000, part).to.be.below(500)
    }
  })

  it('are not the email address, in any case', async () => {
    expect(await refuse('Ada@Example.com', ' ada@example.COM ')).to.deep.equal({
      status: 400,
      message: 'password must not be the email address',
    })
  })

  it('are checked two at a time; 32 wait, more are told to come again', async () => {
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => isPassword(null, 'a guess')))
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused).to.have.length(6)
    for (const { reason } of refused) expect(reason).to.be.instanceOf(Unavailable)
    expect(await isPassword(await hashPassword('correct horse'), 'correct horse')).to.equal(true)
  })
})

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
      await changeRows(plain, 'users', disabled.id, { disabled_at: plain.db.fn.now() })
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

    /** Makes the mail due at once and tries to send it. Returns how much later that would have been, in seconds. */
    async function trySoon(): Promise<number> {
      const { wait } = await plain
        .db('dispatches')
        .where({ status: 'waiting' })
        .first<{ wait: number }>(
          plain.db.raw('extract(epoch from due_at - clock_timestamp())::float8 as wait'),
        )
      await plain.db('dispatches').where({ status: 'waiting' }).update({ due_at: plain.db.fn.now() })
      await sendMails(context)
      return Math.max(wait, 0)
    }

    it('is tried for 20 minutes, and soon after the 5 minutes of a server that greylists', async () => {
      await ask()
      server.behave('refuse-later')
      let seconds = 0
      const tried: number[] = []
      for (const status of ['waiting', 'waiting', 'waiting', 'waiting', 'waiting', 'failed']) {
        seconds += await trySoon()
        tried.push(seconds)
        expect(await plain.db('dispatches').first('status', 'last_failure')).to.deep.equal({
          status,
          last_failure: 'refused_451',
        })
      }
      expect(tried.find((each) => each >= 300)).to.be.below(600)
      expect(tried.at(-1)).to.be.above(900)
      await plain.db('dispatches').update({ due_at: plain.db.fn.now() })
      expect(await sendMails(context)).to.equal(0)
    })

    it('is another mail in each attempt, because its link ends the one before', async () => {
      await ask()
      await sendMails(losingAnswers(context))
      await plain.db('dispatches').update({ due_at: plain.db.fn.now() })
      expect(await sendMails(context)).to.equal(1)
      const links = server.mails.map(({ text }) => findSetUpLink(context, linkIn(text)))
      expect((await Promise.all(links)).map((link) => link?.userId)).to.deep.equal([undefined, person.id])
      const [first, second] = server.mails.map(({ headers }) => headers['message-id'])
      expect(second).to.not.equal(first)
    })

    it('is tried no more when the user has asked again, because that would end the newer link', async () => {
      await ask()
      server.behave('refuse-later')
      await trySoon()
      await ask()
      server.behave('take')
      await plain.db('dispatches').update({ due_at: plain.db.fn.now() })
      expect(await sendMails(context)).to.equal(1)
      expect((await findSetUpLink(context, linkIn(server.mails[0]?.text)))?.userId).to.equal(person.id)
    })

    it('brings no link to who was disabled before the mail went out', async () => {
      await ask()
      await changeRows(plain, 'users', person.id, { disabled_at: plain.db.fn.now() })
      expect(await sendMails(context)).to.equal(0)
      expect(await plain.db('dispatches').first('status', 'last_failure')).to.deep.equal({
        status: 'failed',
        last_failure: 'no_link',
      })
      expect(server.mails).to.deep.equal([])
    })
  },
)
