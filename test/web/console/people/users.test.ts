import { expect } from 'chai'
import { listUsers } from '../../../../src/database/people/users.js'
import { createApiToken, findTokenOwner } from '../../../../src/domain/people/api-tokens.js'
import { addLine, getOwnLine, listOwnLines } from '../../../../src/domain/lines/lines.js'
import { newId } from '../../../../src/ids.js'
import { createPerson, type Person } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createLine } from '../../../helpers/factories.js'
import { describeWeb, type Answer } from '../../../helpers/web/web.js'
import { textOf, wordsOf } from '../lines/line/line-page.js'
import { expectPage, expectSentTo, expectFault, signedInForEachTest, submitAndSee } from '../support.js'

const USERS = '/console/users'

describeWeb('the pages of users', ({ context, web }) => {
  const { person: operator, browser } = signedInForEachTest(context, web, 'operator')

  function linkOf({ text }: Answer): string {
    const { pathname, search } = new URL(/<code id="set-up-link">([^<]*)</.exec(text)![1]!)
    return pathname + search
  }

  it('have the way to a new one in their head, also without a script', async () => {
    const closed = (await browser.get(USERS)).text
    const { text } = await browser.get(/<div class="acts"><a href="([^"]+)"/.exec(closed)?.[1] ?? '')
    expect([closed, text].map((page) => page.includes('name="email"'))).to.deep.equal([false, true])
  })

  it('find a user by a part of the address or the name, by role and by state', async () => {
    const person = await createPerson(context)
    const emailsAt = async (query: string) => {
      const { text } = await browser.get(`${USERS}?${query}`)
      return [...text.matchAll(/<(?:small|bdi dir="auto")>([^<@]*@[^<]*)</g)].map(([, email]) => email)
    }
    expect(await emailsAt(`q=${encodeURIComponent(person.email.toUpperCase())}`)).to.deep.equal([
      person.email,
    ])
    expect(await emailsAt(`q=${encodeURIComponent(person.email)}&role=operator`)).to.deep.equal([])
    expect(await emailsAt('role=operator'))
      .to.include(operator.email)
      .and.not.include(person.email)
    await context.db('users').where({ id: person.id }).update({ disabled_at: new Date() })
    expect(await emailsAt('state=disabled')).to.deep.equal([person.email])
    expect(await emailsAt('state=no-second-factor'))
      .to.include(operator.email)
      .and.not.include(person.email)
    const counted = (await browser.get(`${USERS}?q=${encodeURIComponent(person.email)}`)).text
    expect(wordsOf(counted)).to.include('All 1 Set up 0 Not set up yet 0 Disabled 1 No second factor 0')
    // A state is chosen among those that the rest of the filter finds.
    expect(counted).to.include(`href="${USERS}?q=${encodeURIComponent(person.email)}&amp;state=disabled"`)
    await context.db('users').where({ id: person.id }).update({ disabled_at: null })
  })

  it('list them by address too, 25 on a page, and no one twice or never', async () => {
    const word = newId()
    await context.db('users').insert(
      Array.from({ length: 51 }, (_, n) => ({
        id: newId(),
        // Some in capitals, because the order does not look at them.
        email: `${n % 2 === 0 ? 'P' : 'p'}${String(n).padStart(2, '0')}-${word}@example.com`,
        name: 'Sorted',
      })),
    )
    const seen: string[] = []
    let path: string | undefined = `${USERS}?q=${word}&sort=email`
    for (let pages = 0; path !== undefined && pages < 3; pages += 1) {
      const { text } = await browser.get(path)
      seen.push(...[...text.matchAll(/<small>([^-<]*)-/g)].map(([, name]) => name!))
      path = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen.map((name) => name.toLowerCase())).to.deep.equal(
      Array.from({ length: 51 }, (_, n) => `p${String(n).padStart(2, '0')}`),
    )
    await context.db('users').where({ name: 'Sorted' }).delete()
  })

  it('are closed to an operator as soon as they lose the role', async () => {
    expectPage(await browser.get(USERS))
    await context.db('users').where({ id: operator.id }).update({ role: 'user' })
    expectPage(await browser.get(USERS), 404)
  })

  describe('a new user', () => {
    it('is added, with a link that is shown once and works', async () => {
      const email = `${newId()}@example.com`
      const added = await submitAndSee(browser, USERS, { email, name: 'Grace', role: 'user' })
      expectPage(added)
      const link = linkOf(added)
      expect((await browser.get(USERS)).text)
        .to.include(email)
        .and.not.to.include('token=')
      const user = (await listUsers(context.db)).find((each) => each.email === email)!
      expect(user).to.deep.include({ name: 'Grace', role: 'user', hasPassword: false })
      const page = await browser.get(`${USERS}/${user.id}`)
      expect(page.text).to.include('<p>No password yet.</p>').and.not.to.include('token=')

      const grace = await browse(context, web)
      expectPage(await grace.get(link))
      const token = new URLSearchParams(link.split('?')[1]).get('token')!
      expectSentTo(
        await grace.submit('/console/set-up', { token, password: 'a password of hers' }),
        '/console',
      )
      expect((await browser.get(`${USERS}/${user.id}`)).text).to.include('<p>A password is set.</p>')
    })

    it('can be an operator or a user, and nothing else', async () => {
      for (const [role, expected] of [
        ['operator', 'operator'],
        ['admin', 'user'],
        ['', 'user'],
      ] as const) {
        const email = `${newId()}@example.com`
        expectPage(await submitAndSee(browser, USERS, { email, role }))
        expect((await listUsers(context.db)).find((each) => each.email === email)?.role).to.equal(expected)
      }
    })

    it('keeps the input when refused', async () => {
      const count = (await listUsers(context.db)).length
      for (const [email, status, fault] of [
        ['nobody', 400, 'Email must be an email address, such as ada@example.com'],
        [
          operator.email.toUpperCase(),
          409,
          `Email ${operator.email.toUpperCase()} already belongs to a user`,
        ],
      ] as const) {
        const answer = await browser.submit(USERS, { email, name: 'Ada "Countess"', role: 'operator' })
        expectFault(answer, status, fault)
        expect(answer.text).to.include(`value="${email}"`).and.to.include('value="Ada &quot;Countess&quot;"')
        expect(answer.text).to.match(/<option (value="operator" selected|selected value="operator")/)
      }
      expect(await listUsers(context.db)).to.have.length(count)
    })
  })

  describe('a new set-up link', () => {
    it('is shown once, and replaces the previous one', async () => {
      const user = await createPerson(context)
      const action = `${USERS}/${user.id}/set-up-link`
      const [first, second] = [
        linkOf(await submitAndSee(browser, action)),
        linkOf(await submitAndSee(browser, action)),
      ]
      const visitor = await browse(context, web)
      expectPage(await visitor.get(first), 404)
      expectPage(await visitor.get(second))
    })
  })

  describe('a new line', () => {
    it('is added with all that was written', async () => {
      const { id } = await createPerson(context)
      const answer = await browser.submit(`${USERS}/${id}/lines`, {
        number: ' +1 555 999 0001 ',
        name: 'Shop <1>',
        carrier: 'simulator',
        countries: 'us, ca',
        perNumber: '7',
        perMinute: '70',
      })
      expectSentTo(answer, `${USERS}/${id}?done=line-added`)
      const [line] = await listOwnLines(context, id)
      expect(line).to.deep.include({
        number: '+15559990001',
        name: 'Shop <1>',
        carrierAccount: 'simulator',
        status: 'active',
        allowedCountries: ['US', 'CA'],
        messagesPerNumberPerMinute: 7,
        messagesPerMinute: 70,
      })
      const page = await browser.get(`${USERS}/${id}?done=line-added`)
      expect(page.text).to.include('Line added.').and.to.include('Shop &lt;1>')
    })

    it('can be changed later', async () => {
      const { lineId, userId, number } = await createLine(context)
      const action = `${USERS}/${userId}/lines/${lineId}/settings`
      const fields = { countries: 'us,gb', perNumber: '9', perMinute: '90', carrier: 'simulator' }
      expectSentTo(await browser.submit(action, fields), `${USERS}/${userId}?done=line-changed`)
      const page = await browser.get(`${USERS}/${userId}`)
      expect(page.text).to.include('value="US,GB"').and.to.include('value="90"')
      const answer = await browser.submit(action, { ...fields, countries: 'UK' })
      expectFault(answer, 400, /Did you mean GB\?$/)
      expect(answer.text).to.include('value="UK"')
      await browser.submit(action, { ...fields, countries: '' })
      expect((await listOwnLines(context, userId))[0]).to.deep.include({
        ...{ number, allowedCountries: null, messagesPerNumberPerMinute: 9, messagesPerMinute: 90 },
      })
    })

    it('needs only a number', async () => {
      const { id } = await createPerson(context)
      const fields = { number: '+15559990002', carrier: 'simulator', name: '', countries: '', perNumber: '' }
      await browser.submit(`${USERS}/${id}/lines`, fields)
      expect((await listOwnLines(context, id))[0]).to.deep.include({
        name: '+15559990002',
        allowedCountries: null,
        messagesPerNumberPerMinute: 5,
        messagesPerMinute: 30,
      })
    })

    it('keeps the input when refused, and explains the error', async () => {
      const { id } = await createPerson(context)
      const taken = await createLine(context)
      const good = {
        number: '+15559990003',
        name: 'The "shop"',
        carrier: 'simulator',
        countries: 'US',
        perNumber: '6',
        perMinute: '60',
      }
      for (const [fields, status, fault] of [
        [{ number: '555 1234' }, 400, /^Number must be in E.164/],
        [{ number: taken.number }, 409, /already belongs to a line/],
        [{ carrier: 'pigeon' }, 400, /^Carrier account pigeon is not set up/],
        [{ countries: 'US,,CA' }, 400, /^Allowed countries must/],
        [{ perNumber: '1.5' }, 400, /^Messages per number per minute must/],
        [{ perMinute: 'many' }, 400, /^Messages per minute must/],
      ] as const) {
        const typed: Record<string, string> = { ...good, ...fields }
        const answer = await browser.submit(`${USERS}/${id}/lines`, typed)
        expectFault(answer, status, fault)
        for (const [name, value] of Object.entries(typed)) {
          if (name === 'carrier' || value === '') continue
          expect(answer.text).to.include(`value="${value.replaceAll('"', '&quot;')}"`)
        }
      }
      expect(await listOwnLines(context, id)).to.deep.equal([])
    })

    it('for an unknown user answers 404', async () => {
      for (const id of [newId(), 'x', '%00']) {
        const fields = { number: '+15559990004', carrier: 'simulator' }
        expectPage(await browser.submit(`${USERS}/${id}/lines`, fields), 404)
        expectPage(await browser.submit(`${USERS}/${id}/set-up-link`), 404)
        expectPage(await browser.get(`${USERS}/${id}`), 404)
      }
    })
  })

  describe('the access of a user', () => {
    let user: Person
    let path: string
    const page = async () => (await browser.get(path)).text

    beforeEach(async () => {
      user = await createPerson(context)
      path = `${USERS}/${user.id}`
    })

    it('can be disabled and enabled, after choosing what happens to their lines and applications', async () => {
      const undecided = await browser.submit(`${path}/disable`, { belongings: '' })
      expectFault(undecided, 400, 'Their lines and applications: choose whether they keep working')
      expect(undecided.text).to.match(/<select name="belongings" aria-invalid="true">/)
      for (const [belongings, words] of [
        ['stops', 'Their lines and applications are stopped.'],
        ['goes_on', 'Their lines and applications keep working.'],
      ] as const) {
        expectSentTo(await browser.submit(`${path}/disable`, { belongings }), `${path}?done=user-disabled`)
        expect(await page())
          .to.include(words)
          .and.to.include(`action="${path}/enable"`)
        expect((await browser.get(USERS)).text).to.include('disabled')
        expectSentTo(await browser.submit(`${path}/enable`), `${path}?done=user-enabled`)
        expect(await page())
          .to.include(`action="${path}/disable"`)
          .and.not.to.include('Disabled since')
      }
    })

    it('is not one’s own to end', async () => {
      const own = `${USERS}/${operator.id}`
      expect((await browser.get(own)).text).not.to.include(`action="${own}/disable"`)
      const answer = await browser.submit(`${own}/disable`, { belongings: 'stops' })
      expectPage(answer, 409)
      expect(answer.text).to.include('You cannot disable yourself')
    })

    it('ends for all sessions, tokens and applications', async () => {
      const theirs = await browse(context, web, user.id)
      const { token } = await createApiToken(context, user.id, 'a program')
      expectSentTo(await browser.submit(`${path}/end-sessions`), `${path}?done=user-sessions-ended`)
      expect((await theirs.get('/console')).status).to.equal(302)
      expectSentTo(await browser.submit(`${path}/revoke-access`), `${path}?done=access-revoked`)
      expect(await findTokenOwner(context, token)).to.equal(undefined)
    })
  })

  /** One line more than a page of the list has. */
  async function addPersonWithLines(prefix: string) {
    const { id } = await createPerson(context)
    const ids: string[] = []
    for (let n = 0; n < 51; n += 1) {
      const number = `${prefix}${String(n).padStart(4, '0')}`
      ids.push((await addLine(context, { userId: id, number, carrierAccount: 'simulator' })).id)
    }
    return { id, ids }
  }

  it('list a user’s lines 50 on a page, and with them the one whose form was refused', async () => {
    const { id, ids } = await addPersonWithLines('+1555888')
    const listed = ({ text }: Answer) =>
      [...text.matchAll(/action="[^"]*\/lines\/([^"/]+)\/settings"/g)].map(([, lineId]) => lineId)
    const path = `${USERS}/${id}`
    const first = await browser.get(path)
    expect(listed(first)).to.deep.equal(ids.slice(0, 50))
    expect(first.text).to.include(`href="${path}?page=2" rel="next"`)
    expect(listed(await browser.get(`${path}?page=2`))).to.deep.equal(ids.slice(50))
    expect(listed(await browser.get(`${path}?q=%2B15558880007`))).to.deep.equal([ids[7]])
    const refused = await browser.submit(`${path}/lines/${ids[50]}/settings`, { countries: 'XX' })
    expect(listed(refused)).to.deep.equal([ids[50], ...ids.slice(0, 50)])
    expect(refused.text).to.include(`href="${path}?page=2" rel="next"`)
  })

  it('stay on the page of the list that a line’s form was on, whether it is done or refused', async () => {
    const { id, ids } = await addPersonWithLines('+1555889')
    const path = `${USERS}/${id}`
    const lastId = ids.at(-1)
    const { text } = await browser.get(`${path}?sort=name&page=2`)
    const backs = [...text.matchAll(/name="back" value="([^"]+)"/g)].map(([, back]) => textOf(back ?? ''))
    const back = `${path}?sort=name&page=2`
    expect(backs, 'one in each of the four forms').to.deep.equal([back, back, back, back])
    const forms = { 'line-changed': 'settings', 'routes-saved': 'routes' }
    const acts = { 'sending-paused': 'pause', 'sending-resumed': 'resume' }
    const states = { 'line-disabled': 'disable', 'line-enabled': 'enable' }
    for (const [notice, form] of Object.entries({ ...forms, ...acts, ...states })) {
      const fields = { back, ...(form === 'settings' ? { carrier: 'simulator' } : {}) }
      const answer = await browser.submit(`${path}/lines/${lastId}/${form}`, fields)
      expectSentTo(answer, `${back}&done=${notice}`)
    }
    const refused = await browser.submit(`${path}/lines/${lastId}/settings`, { back, countries: 'XX' })
    const listed = [...refused.text.matchAll(/action="[^"]*\/lines\/([^"/]+)\/settings"/g)]
    expect(listed.map(([, lineId]) => lineId)).to.deep.equal([lastId])
    expect(refused.text).to.include(`href="${path}?sort=name" rel="prev"`)
  })

  it('disable and enable a line of the user in the path', async () => {
    const { id } = await createPerson(context)
    const number = '+15559990005'
    const line = await addLine(context, { userId: id, number, carrierAccount: 'simulator' })
    const status = async () => (await getOwnLine(context, id, line.id)).status
    const path = `${USERS}/${id}/lines/${line.id}`

    expectSentTo(await browser.submit(`${path}/disable`), `${USERS}/${id}?done=line-disabled`)
    expect(await status()).to.equal('disabled')
    expect((await browser.get(`${USERS}/${id}`)).text).to.include(`action="${path}/enable"`)
    expectSentTo(await browser.submit(`${path}/enable`), `${USERS}/${id}?done=line-enabled`)
    expect(await status()).to.equal('active')

    const other = await createPerson(context)
    for (const wrong of [`${other.id}/lines/${line.id}`, `${id}/lines/${newId()}`, `${id}/lines/x`]) {
      expectPage(await browser.submit(`${USERS}/${wrong}/disable`), 404)
    }
    expect(await status()).to.equal('active')
  })
})
