import { expect } from 'chai'
import type { Context } from '../../../../src/domain/context.js'
import { listAudit } from '../../../../src/domain/operating/audit.js'
import { setNoticeMails } from '../../../../src/domain/operating/notices.js'
import { sendMails } from '../../../../src/domain/operating/notices/dispatch.js'
import { findSecondFactors } from '../../../../src/domain/people/second-factors.js'
import { createSetUpLink } from '../../../../src/domain/people/set-up-links.js'
import { runHousekeeping } from '../../../../src/domain/operating/housekeeping.js'
import { createMailer } from '../../../../src/mail.js'
import { createPerson, personForEachTest, type Person } from '../../../domain/people/people.js'
import { toldNotices } from '../../../domain/operating/notices/fixtures.js'
import { lowestIdAt } from '../../../helpers/lowest-id.js'
import { browse, type BrowserSession } from '../../../helpers/web/browser-session.js'
import { startMailServer } from '../../../helpers/services/mail-server.js'
import { countSessions, setUpApp } from '../../../helpers/web/second-factor.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { browseAs, expectFault, expectPage, expectSentTo, signedInForEachTest } from '../support.js'

const ENVIRONMENT = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Acme <lines@acme.example>' }
const REASON = 'She called from the number in her contract'

describeWeb('a lost second factor', { environment: ENVIRONMENT }, ({ context, web }) => {
  const server = openForEachTest(startMailServer)
  beforeEach(() => context.db('users').update({ role: 'user' }))
  const user = personForEachTest(context)
  const { person: first, browser: asking } = signedInForEachTest(context, web, 'operator')
  const { person: second, browser: confirming } = signedInForEachTest(context, web, 'operator')
  let path: string

  beforeEach(async () => {
    await context.db('dispatches').delete()
    await context.db('notices').delete()
    await setUpApp(context, user.id)
    path = `/console/users/${user.id}`
  })

  const ask = (browser = asking, reason = REASON) => browser.submit(`${path}/second-factor/ask`, { reason })
  const removalIn = (text: string) => /name="removal" value="([\w-]+)"/.exec(text)?.[1]
  const readRemoval = async (browser = confirming) => removalIn((await browser.get(path)).text)
  const rowOf = async () => {
    const row = await context
      .db('second_factor_removals')
      .where({ user_id: user.id })
      .first<{ id: string }>('id')
    return row.id
  }
  const confirm = (browser: BrowserSession, removal: string) =>
    browser.submit(`${path}/second-factor/confirm`, { removal })
  const hasIt = async () => (await findSecondFactors(context, user.id)).app !== undefined
  const expectRefusal = async (browser: BrowserSession, removal: string, words: RegExp) => {
    const answer = await confirm(browser, removal)
    expectFault(answer, 409, words)
    expect(await hasIt(), 'the second factor stays').to.equal(true)
  }
  const acts = async () => {
    const rows = await listAudit(context, { userId: user.id }, { limit: 20 })
    return rows
      .filter(({ action, actorId }) => action.startsWith('second_factor.') && actorId !== null)
      .reverse()
      .map(({ action, actorId, after }) => ({ action, actorId, after }))
  }

  it('is removed when one operator requests it and another confirms; the audit log has both steps', async () => {
    const theirs = await browse(context, web, user.id)
    const form = (act: string) => `action="${path}/second-factor/${act}"`
    expect((await asking.get(path)).text)
      .to.include(form('ask'))
      .and.to.include('name="reason"')
    expectSentTo(await ask(), `${path}?done=removal-asked`)
    expect(await hasIt()).to.equal(true)
    expect((await theirs.get('/console')).status, 'nothing has happened yet').to.equal(200)
    expect((await asking.get(path)).text)
      .to.include('Another operator has to confirm it until')
      .and.to.not.include(form('confirm'))

    expect((await confirming.get('/console/notices')).text)
      .to.include('asked to remove the second factor')
      .and.to.include(`<a href="${path}#second-factor">Open user</a>`)
    const page = await confirming.get(path)
    expect(page.text).to.include(first.email).and.to.include(REASON).and.to.include(form('confirm'))
    expectSentTo(await confirm(confirming, removalIn(page.text)!), `${path}?done=removal-confirmed`)
    expect(await hasIt()).to.equal(false)
    expect(await countSessions(context, user.id)).to.equal(0)
    expect((await theirs.get('/console')).status).to.equal(302)
    expect(await acts()).to.deep.equal([
      { action: 'second_factor.removal_asked', actorId: first.id, after: { reason: REASON } },
      {
        action: 'second_factor.removed',
        actorId: second.id,
        after: { kind: 'all', sessionsEnded: 1, askedBy: first.id, reason: REASON },
      },
    ])
    expect((await confirming.get(`${path}?done=removal-confirmed`)).text)
      .to.include('Second factor removed. The user is signed out everywhere.')
      .and.include('None.')
      .and.not.to.include('name="removal"')
  })

  it('is reported by email to the user and every operator, regardless of their preferences', async () => {
    for (const { id } of [user, second]) await setNoticeMails(context, id, 'none')
    const mailing: Context = {
      ...context,
      mailer: createMailer({ url: server.url, from: ENVIRONMENT.MAIL_FROM }),
    }
    await ask()
    await sendMails(mailing)
    const recipients = () => server.mails.flatMap(({ to }) => to)
    const everybody = [user.email, first.email, second.email].sort()
    expect(recipients().sort()).to.deep.equal(everybody)
    expect(server.mails[0]?.text).to.include('asked to remove the second factor').and.to.include(REASON)

    await context.db('dispatches').delete()
    await confirm(confirming, await rowOf())
    await sendMails(mailing)
    expect(recipients().slice(3).sort()).to.deep.equal(everybody)
    expect(server.mails[3]?.text).to.include('All sessions have ended')
    expect((await toldNotices(context)).map(({ kind }) => kind)).to.deep.equal([
      'second_factor.removal_asked',
      'second_factor.removed',
    ])
  })

  describe('is kept when', () => {
    it('one operator has two sessions', async () => {
      await ask()
      const again = await browse(context, web, first.id)
      expect(await readRemoval(again)).to.equal(undefined)
      await expectRefusal(again, await rowOf(), /^You requested this/)
      await expectRefusal(asking, await rowOf(), /^You requested this/)
    })

    describe('the operator who confirms or requests it got in the last week', () => {
      const NEW = /created your account or a set-up link/
      const linkFor = (subject: Person, by: Person | undefined) =>
        createSetUpLink(
          {
            ...context,
            actor: { kind: 'user', userId: by?.id ?? null, credentialId: null, address: null },
          },
          subject.id,
        )

      it('a set-up link from the other one', async () => {
        await ask()
        await linkFor(second, first)
        await expectRefusal(confirming, await rowOf(), NEW)
      })

      it('an account from the other one', async () => {
        await ask()
        const email = `${user.id}@operators.example.com`
        await asking.submit('/console/users', { email, name: 'Also me', role: 'operator' })
        const added = await context.db('users').where({ email }).first<{ id: string }>('id')
        await expectRefusal(await browse(context, web, added.id), await rowOf(), NEW)
      })

      it('access from a third one, who could be both', async () => {
        const third = await createPerson(context, { role: 'operator' })
        await ask()
        await linkFor(second, third)
        await expectRefusal(confirming, await rowOf(), NEW)
        await confirming.submit(`${path}/second-factor/withdraw`)
        expectFault(await ask(confirming), 409, NEW)
      })

      it('but not if it came from the server, or longer ago', async () => {
        await createSetUpLink(context, first.id)
        const eightDaysAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000)
        await context.db('audit_log').insert({
          ...{ id: lowestIdAt(eightDaysAgo), action: 'user.set_up_link.created' },
          ...{ actor_kind: 'user', actor_id: first.id, subject_id: second.id },
        })
        await ask()
        expectSentTo(await confirm(confirming, await rowOf()), `${path}?done=removal-confirmed`)
        expect(await hasIt()).to.equal(false)
      })
    })

    it('the affected operator requests or confirms it', async () => {
      await context.db('users').where({ id: user.id }).update({ role: 'operator' })
      const own = await browse(context, web, user.id)
      const answer = await ask(own)
      expectPage(answer, 409)
      expect((await own.get(path)).text)
        .to.include('in your settings')
        .and.not.to.include('/second-factor/ask')
      await ask()
      await expectRefusal(own, await rowOf(), /^To remove your own/)
    })

    it('a day has passed, the requester is no longer an operator, or it was withdrawn', async () => {
      await ask()
      const late = await rowOf()
      const requests = () => context.db('second_factor_removals')
      await requests().update({ asked_at: context.db.raw(`now() - interval '25 hours'`) })
      await expectRefusal(confirming, late, /^This request is no longer open/)
      await runHousekeeping(context)
      expect(await requests()).to.deep.equal([])

      await ask()
      await context.db('users').where({ id: first.id }).update({ role: 'user' })
      await expectRefusal(confirming, await rowOf(), /^This request is no longer open/)
      await context.db('users').where({ id: first.id }).update({ role: 'operator' })

      const read = await rowOf()
      expectSentTo(
        await confirming.submit(`${path}/second-factor/withdraw`),
        `${path}?done=removal-withdrawn`,
      )
      await ask(asking, 'for another reason')
      await expectRefusal(confirming, read, /^This request is no longer open/)
      expect((await acts()).map(({ action }) => action)).to.include('second_factor.removal_withdrawn')
    })
  })

  it('is removed once when two operators confirm at the same moment', async () => {
    const third = await browseAs(context, web, 'operator')
    await ask()
    const removal = await rowOf()
    const answers = await Promise.all([confirming, third].map((each) => confirm(each, removal)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([303, 409])
    expect((await acts()).filter(({ action }) => action === 'second_factor.removed')).to.have.length(1)
  })

  it('needs the command line if there is a single operator, which the page says', async () => {
    await context.db('users').where({ id: second.id }).update({ disabled_at: context.db.fn.now() })
    const answer = await ask()
    expectFault(answer, 409, /`linehook user remove-second-factor`/)
  })

  it('needs a reason, which stays in the form, and can be requested once', async () => {
    for (const short of ['ok', '👍👍👍']) {
      expectFault(await ask(asking, short), 400, /^Reason must say in 5 to 300 characters how you verified/)
    }
    await ask()
    expectPage(await ask(confirming), 409)
    const other = await createPerson(context)
    const none = await asking.submit(`/console/users/${other.id}/second-factor/ask`, { reason: REASON })
    expectPage(none, 409)
    expect(none.text).to.include('This user has no second factor')
  })
})
