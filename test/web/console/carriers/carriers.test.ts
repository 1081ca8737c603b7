import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import {
  addCarrierAccount,
  getCarrierAccount,
  listAccountOverviews,
  type NewCarrierAccount,
} from '../../../../src/domain/carriers/carrier-accounts.js'
import { openSettings } from '../../../../src/domain/carriers/carrier-settings.js'
import { addLine, listOwnLines } from '../../../../src/domain/lines/lines.js'
import { newId } from '../../../../src/ids.js'
import { createPerson, type Person } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createJoinedContext, describeContext } from '../../../helpers/context.js'
import { openings } from '../../../helpers/openings.js'
import { memoryLog } from '../../../helpers/process/log.js'
import { API_KEY, BIRDS, startParrot, type Parrot } from '../../../helpers/services/parrot.js'
import { openForSuite } from '../../../helpers/suite.js'
import { serveApp, type Answer } from '../../../helpers/web/web.js'
import { wordsOf } from '../lines/line/line-page.js'
import { expectFault, expectPage, expectSentTo, faultOf, signedInForEachTest } from '../support.js'

const CARRIERS = '/console/carriers'
const XSS = '<img src=x onerror=alert(1)>'

const SECRET = new Set(['apiKey', 'recoveryCode', 'pin'])

describeContext('the pages of carriers', { carrierKinds: BIRDS }, (context) => {
  const web = openForSuite(() => serveApp({ ...context, log }))
  let bird: Parrot
  const { person: operator, browser } = signedInForEachTest(context, web, 'operator')
  const { log, lines } = memoryLog()
  const open = openings()
  let count = 0

  before(async () => {
    bird = await startParrot()
  })

  beforeEach(() => {
    bird.numbers = []
    bird.setUp = []
  })

  after(() => {
    bird.close()
  })

  async function add(overrides: Partial<NewCarrierAccount> = {}) {
    count += 1
    const settings = { url: bird.url, apiKey: API_KEY, recoveryCode: 'feathers' }
    const fields = { name: `bird-${count}`, kind: 'parrot', settings, ...overrides }
    const account = await addCarrierAccount(context, fields)
    return { ...account, path: `${CARRIERS}/${account.id}` }
  }

  /** Of a form as its page has it, with what was typed over it. */
  const typed = (settings: Record<string, string>, fields: Record<string, string> = {}) => ({
    ...Object.fromEntries(
      Object.entries(settings).map(([key, value]) => [
        `${SECRET.has(key) ? 'secret' : 'setting'}-${key}`,
        value,
      ]),
    ),
    ...fields,
  })
  const settingsOf = async (name: string) =>
    openSettings(context, (await getCarrierAccount(context, name)).id)
  const expectNoSecret = (...answers: Answer[]) => {
    for (const { text } of answers) expect(text).not.to.include(API_KEY).and.not.to.include('feathers')
  }

  it('are unknown for what is no account', async () => {
    for (const id of [newId(), 'x', '%00']) {
      expectPage(await browser.get(`${CARRIERS}/${id}`), 404)
      for (const form of ['settings', 'test', 'import', 'set-up', 'remove']) {
        expectPage(await browser.submit(`${CARRIERS}/${id}/${form}`, { number: '+1' }), 404)
      }
    }
  })

  describe('add an account', () => {
    it('by its kind’s own form, and show all of it but secrets', async () => {
      const form = await browser.get(`${CARRIERS}/new?kind=parrot`)
      expectPage(form)
      for (const part of [
        /<input type="password" name="secret-apiKey" required/,
        /<small>What it listens to\.<\/small>/,
        /<select name="setting-region">.*<option[^>]* selected[^>]*>jungle/,
        /<input type="number" name="setting-retries" (required )?value="3"/,
        /<textarea name="setting-song"/,
        /<input type="checkbox" name="setting-loud" value="true"\/>/,
        /name="messagesPerSecondPerLine"[^>]* value="1"/,
        /<input type="checkbox" name="handlesOptOut" value="true" checked/,
      ]) {
        expect(form.text).to.match(part)
      }
      const sent = typed(
        { url: bird.url, apiKey: API_KEY, region: 'cage', retries: '7', song: 'la\nla', loud: 'true' },
        { kind: 'parrot', name: 'polly', messagesPerSecond: '0.5', messagesPerSecondPerLine: '' },
      )
      const added = await browser.submit(`${CARRIERS}/new`, sent)
      const { id, ...account } = await getCarrierAccount(context, 'polly')
      expectSentTo(added, `${CARRIERS}/${id}?done=carrier-added`)
      expect(account).to.deep.include({
        messagesPerSecond: 0.5,
        messagesPerSecondPerLine: null,
        handlesOptOut: false,
      })
      expect(await settingsOf('polly')).to.deep.equal({
        url: bird.url,
        apiKey: API_KEY,
        region: 'cage',
        retries: 7,
        song: 'la\nla',
        loud: true,
      })
      const page = await browser.get(`${CARRIERS}/${id}?done=carrier-added`)
      const list = await browser.get(CARRIERS)
      expect(page.text).to.include(bird.url).and.to.include('<span class="badge">set</span>')
      const [shown, folded] = page.text.split(/<summary>\d+ default settings?</)
      expect(shown).to.include('>Region<').and.to.include('>Retries<')
      expect(folded).to.match(/^(?!.*>Region<)/s)
      expect(list.text).to.match(/polly<\/a>.*Parrot.*0\.5\/s in total.*Not tested yet/)
      expectNoSecret(page, list)
    })

    it('after a choice of the kinds that there are', async () => {
      for (const path of [CARRIERS, `${CARRIERS}/new`]) {
        const { text } = await browser.get(path)
        for (const kind of ['parrot', 'finch']) expect(text).to.include(`href="${CARRIERS}/new?kind=${kind}"`)
        expect(text).not.to.include('kind=simulator')
      }
      expectPage(await browser.get(`${CARRIERS}/new?kind=simulator`), 400)
    })

    it('that is refused leaves the form as it was typed, without its secrets', async () => {
      const before = await listAccountOverviews(context)
      const good = typed(
        { url: bird.url, apiKey: API_KEY, region: 'cage', loud: 'true' },
        { kind: 'parrot', name: 'refused', messagesPerSecond: '2' },
      )
      for (const [change, status, fault] of [
        [{ name: XSS }, 400, /^Name must be/],
        [{ name: 'simulator' }, 409, /^There is already a carrier account named simulator/],
        [{ 'setting-url': `"${XSS}` }, 400, /^URL must start with http:\/\/$/],
        [{ 'secret-apiKey': '' }, 400, /^API key is required/],
        [{ 'setting-retries': '-1' }, 400, /^Retries must be/],
        [{ messagesPerSecond: 'fast' }, 400, /^Messages per second, all lines must be/],
      ] as [Record<string, string>, number, RegExp][]) {
        const answer = await browser.submit(`${CARRIERS}/new`, { ...good, ...change })
        expectFault(answer, status, fault)
        expect(answer.text).to.match(/<option[^>]* selected[^>]*>cage/)
        expect(answer.text).to.match(/name="setting-loud" value="true" checked/)
        expect(answer.text).not.to.include('<img src=x')
        expectNoSecret(answer)
        const isGiven = change['secret-apiKey'] === undefined
        expect(
          answer.text.includes('<small class="why">Enter this again. It was not saved.</small>'),
        ).to.equal(isGiven)
      }
      expect(await listAccountOverviews(context)).to.deep.equal(before)
    })
  })

  describe('change an account', () => {
    it('and keep the secrets that are left empty', async () => {
      const { name, path } = await add({
        settings: { url: bird.url, apiKey: API_KEY, recoveryCode: 'feathers' },
      })
      const form = await browser.get(`${path}?show=settings`)
      expect(form.text)
        .to.include(`value="${bird.url}"`)
        .and.to.include('Currently set. Leave empty to keep it.')
        .and.to.match(/<input type="password" name="secret-apiKey" autocomplete/)
      expectNoSecret(form)
      const sent = typed({ url: bird.url, apiKey: '', recoveryCode: '', region: 'cage', retries: '' })
      const answer = await browser.submit(`${path}/settings`, sent)
      expectSentTo(answer, `${path}?done=carrier-changed`)
      expect(await settingsOf(name)).to.deep.equal({
        url: bird.url,
        apiKey: API_KEY,
        recoveryCode: 'feathers',
        region: 'cage',
        retries: 3,
        loud: false,
      })
      const { messagesPerSecondPerLine, handlesOptOut } = await getCarrierAccount(context, name)
      expect([messagesPerSecondPerLine, handlesOptOut]).to.deep.equal([null, false])

      const again = { ...sent, 'secret-apiKey': 'another-key', 'unset-recoveryCode': 'true' }
      await browser.submit(`${path}/settings`, again)
      expect(await settingsOf(name))
        .to.include({ apiKey: 'another-key' })
        .and.not.to.have.property('recoveryCode')
    })

    it('not to what is wrong, which stays in the form', async () => {
      const { name, path } = await add()
      const before = await getCarrierAccount(context, name)
      const answer = await browser.submit(`${path}/settings`, typed({ url: 'ftp://x', region: 'cage' }))
      expectFault(answer, 400, 'URL must start with http://')
      expect(answer.text).to.include('value="ftp://x"')
      expectNoSecret(answer)
      expect(await getCarrierAccount(context, name)).to.deep.equal(before)
    })

    it('but not the simulator', async () => {
      const { id } = await getCarrierAccount(context, 'simulator')
      const page = await browser.get(`${CARRIERS}/${id}?show=settings`)
      expect(page.text).not.to.match(/show=settings|\/import|\/remove/)
      for (const form of ['settings', 'remove']) {
        const answer = await browser.submit(`${CARRIERS}/${id}/${form}`)
        expectFault(answer, 409, /The simulator is built in/)
      }
    })
  })

  it('test an account, and show the result there and in the list', async () => {
    const { path } = await add({ name: 'tested', settings: { url: bird.url, apiKey: 'a-wrong-key' } })
    expectSentTo(await browser.submit(`${path}/test`), `${path}#test`)
    for (const page of [await browser.get(path), await browser.get(CARRIERS)]) {
      expect(page.text)
        .to.include('the parrot answered 401: look at apiKey')
        .and.to.include('<span class="badge bad">failed</span>')
    }
    await browser.submit(`${path}/settings`, typed({ url: bird.url, apiKey: API_KEY }))
    await browser.submit(`${path}/test`)
    expect((await browser.get(path)).text).to.include('<span class="badge good">passed</span>')
  })

  describe('make numbers lines', () => {
    const NUMBERS = Array.from({ length: 24 }, (_, n) => ({
      id: `PN${n}`,
      number: `+155577730${String(n).padStart(2, '0')}`,
      name: `Desk ${n} ${XSS}`,
    }))
    const FIRST = NUMBERS[0]!.number
    const ticked = (numbers: { number: string }[], { email }: Person): [string, string][] => [
      ['owner', email],
      ...numbers.map(({ number }): [string, string] => ['number', number]),
    ]

    beforeEach(async () => {
      await context.db('lines').where({ carrier: 'importing' }).delete()
      await context.db('carrier_accounts').where({ name: 'importing' }).delete()
      bird.numbers = NUMBERS
    })

    it('of the user who is chosen, as many as are ticked, and let the carrier call us for them', async () => {
      const { path } = await add({ name: 'importing' })
      const user = await createPerson(context)
      const loaded = await browser.get(`${path}?show=numbers`)
      expect(loaded.text.match(/type="checkbox" name="number"/g)).to.have.length(NUMBERS.length)
      expect(loaded.text).to.include('Desk 0 &lt;img src=x').and.not.to.include('<img src=x')

      const answer = await browser.submit(`${path}/import`, [
        ...ticked(NUMBERS.slice(0, 23), user),
        ['setUp', 'true'],
      ])
      expectPage(answer)
      expect(answer.text.match(/imported/g)).to.have.length(23)
      expect(await listOwnLines(context, user.id)).to.have.length(23)
      expect(bird.setUp).to.have.length(23)
      expect(answer.text.match(/type="checkbox" name="number"/g)).to.have.length(1)
      expect(answer.text).to.include(`<a href="/console/users/${user.id}">`)

      const again = await browser.submit(`${path}/import`, { number: FIRST, owner: user.id })
      expect(wordsOf(again.text)).to.include(`${FIRST} already a line`)
    })

    it('by a background task, if more than a hundred are ticked', async () => {
      const { path } = await add({ name: 'importing' })
      bird.numbers = Array.from({ length: 101 }, (_, n) => ({
        ...{ id: `PN${n}`, number: `+155577740${String(n).padStart(2, '0')}`, name: '' },
      }))
      const answer = await browser.submit(`${path}/import`, ticked(bird.numbers, operator))
      expectSentTo(answer, '/console/tasks?done=import-started')
      expect((await browser.get('/console/tasks')).text).to.include('0 of 101')
    })

    it('and say why not', async () => {
      const { path } = await add({ name: 'importing' })
      const { id: userId } = await createPerson(context)
      for (const [fields, status, fault] of [
        [{ owner: userId }, 400, 'Select at least one number'],
        [{ number: FIRST, owner: newId() }, 404, 'No such user'],
        [
          { number: FIRST, owner: 'nobody@example.com' },
          404,
          'No user has the email nobody@example.com. Add one with `linehook user add`',
        ],
      ] as [Record<string, string>, number, string][]) {
        const answer = await browser.submit(`${path}/import`, fields)
        expectFault(answer, status, fault)
        const stillTicked = answer.text.match(/name="number" value="[^"]*" checked/g) ?? []
        expect(stillTicked, fault).to.deep.equal(
          fields.number === undefined ? [] : [`name="number" value="${FIRST}" checked`],
        )
      }
      const refused = await browser.submit(`${path}/import`, { number: '+15557779999', owner: userId })
      expect(wordsOf(refused.text)).to.include('+15557779999 refused: importing has no such number')
      expect(await listOwnLines(context, userId)).to.deep.equal([])
    })

    it('and show what was entered, although the numbers cannot be loaded any more', async () => {
      const { path } = await add({ name: 'importing', settings: { url: bird.url, apiKey: 'a-wrong-key' } })
      const answer = await browser.submit(`${path}/import`, { number: FIRST, owner: 'nobody@example.com' })
      expectFault(answer, 404, /^No user has the email nobody@example\.com/)
      expect(answer.text).to.include('the parrot answered 401: look at apiKey')
      expect(answer.text).to.match(/Owner<textarea readonly[^>]*>nobody@example\.com</)
    })

    it('and set their callbacks up again', async () => {
      const { path } = await add({ name: 'importing' })
      const none = await browser.submit(`${path}/set-up`)
      expectFault(none, 409, 'importing has no lines yet. Import its numbers first')
      await addLine(context, { userId: operator.id, number: FIRST, carrierAccount: 'importing' })
      expect((await browser.get(path)).text).to.include(`action="${path}/set-up"`)
      expectSentTo(await browser.submit(`${path}/set-up`), `${path}?done=carrier-numbers-set-up`)
      expect(bird.setUp).to.deep.equal(['PN0'])
    })

    it('not where the carrier does not say which there are', async () => {
      const wrong = await add({ settings: { url: bird.url, apiKey: 'a-wrong-key' } })
      expect(faultOf(await browser.get(`${wrong.path}?show=numbers`))).to.equal(
        'the parrot answered 401: look at apiKey',
      )
      const finch = await add({ kind: 'finch', settings: { pin: 'x' } })
      const page = await browser.get(finch.path)
      expect(page.text)
        .to.include('Linehook cannot list the numbers of this account')
        .and.not.to.include('/set-up')
    })
  })

  it('remove an account, when no line is at it', async () => {
    const { name, path } = await add()
    const number = '+15557774001'
    const line = await addLine(context, { userId: operator.id, number, carrierAccount: name })
    const refused = await browser.submit(`${path}/remove`)
    expectFault(refused, 409, new RegExp(`${name} still has lines`))
    expect(refused.text).to.include('An account with lines cannot be removed.')
    expect((await browser.get(`/console/lines/${line.id}`)).text).to.include(`<dd>${name}</dd>`)
    await context.db('lines').where({ number }).delete()
    expectSentTo(await browser.submit(`${path}/remove`), `${CARRIERS}?done=carrier-removed`)
    expectPage(await browser.get(path), 404)
  })

  it('are what a new line of a user may be at', async () => {
    const { name } = await add()
    const user = await createPerson(context)
    const { text } = await browser.get(`/console/users/${user.id}`)
    expect(text).to.include(`value="${name}">${name} (Parrot)</option>`)
    expect(text).to.match(/<option[^>]* selected[^>]*>Simulator</)
    const fields = { number: '+15557774002', carrier: name }
    await browser.submit(`/console/users/${user.id}/lines`, fields)
    expect((await listOwnLines(context, user.id))[0]).to.include({ carrierAccount: name })
    const refused = await browser.submit(`/console/users/${user.id}/lines`, fields)
    expectPage(refused, 409)
    expect(refused.text).to.match(new RegExp(`<option[^>]* selected[^>]*>${name} `))
  })

  it('say that the settings cannot be opened, when ENCRYPTION_KEY is another, and take them anew', async () => {
    const { id, path } = await add({ name: 'sealed' })
    const environment = { ENCRYPTION_KEY: randomBytes(32).toString('base64') }
    const other = await open(createJoinedContext(context, environment, { carrierKinds: BIRDS }))
    const otherWeb = await open(serveApp(other))
    const there = await browse(other, otherWeb, operator.id)
    for (const page of [path, `${path}?show=settings`, `${path}?show=numbers`]) {
      const answer = await there.get(page)
      expectFault(answer, 200, /^The settings of the carrier account cannot be decrypted/)
    }
    const added = { number: '+15557774003', carrier: 'sealed' }
    const line = await there.submit(`/console/users/${operator.id}/lines`, added)
    expectFault(line, 409, /ENCRYPTION_KEY/)

    expectPage(await there.submit(`${path}/settings`, typed({ url: bird.url, apiKey: '' })), 409)
    await there.submit(`${path}/settings`, typed({ url: bird.url, apiKey: API_KEY }))
    await there.submit(`${path}/test`)
    expect((await there.get(path)).text).to.include('<span class="badge good">passed</span>')
    expect((await getCarrierAccount(other, 'sealed')).id).to.equal(id)
  })

  // A group of its own: so it comes after all others.
  describe('write to the log', () => {
    it('what was done, and no secret', () => {
      expect(lines.map(({ msg }) => msg)).to.include('carrier_account.tested')
      const written = JSON.stringify(lines)
      for (const secret of [API_KEY, 'feathers', 'a-wrong-key']) expect(written).not.to.include(secret)
    })
  })
})
