import { expect } from 'chai'
import { addCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { createPerson, PASSWORD } from '../../../domain/people/people.js'
import { forEachTest } from '../../../helpers/suite.js'
import { browse, type BrowserSession } from '../../../helpers/web/browser-session.js'
import { setUpApp } from '../../../helpers/web/second-factor.js'
import { describeWeb } from '../../../helpers/web/web.js'
import {
  carriedBy,
  consoleRoutes,
  createOwner,
  expectPage,
  expectSentTo,
  faultOf,
  isAskedAgain,
  isOpen,
  loseFreshness,
  rowsAndActs,
  sendForm,
  submitAndSee,
} from '../support.js'

const ASKING = /^\/console\/confirm(\/|$)|\/settings\/password$/

/** Why a form does not need that the password was given a short while ago. */
const NOT_ASKED: [reason: string, paths: RegExp][] = [
  ['it asks for the password itself', ASKING],
  ['it ends this session and nothing else', /^\/console\/sign-out$/],
  ['it answers a script, which is told to give the password', /\/second-factor\/passkeys\/options$/],
  ['it marks, names or chooses something for the reader alone', /\/(tour\/close|notices\/read|name|mails)$/],
  ['it marks conversations for the readers of a line', /\/(read|unread|archive|unarchive)$/],
  ['it sends a text, which is what a line is for', /\/(messages|voicemails)$/],
  ['it counts and changes nothing', /\/(segments|policy\/preview|list\/preview)$/],
  ['it holds or frees what waits, for the same receivers', /\/(pause|resume|try-now)$/],
  ['it sends to the receivers that are there', /\/(test-event|send-held-events|send-again|activity\/retry)$/],
  ['it changes when, or whether, one message goes', /\/(reschedule|cancel)$/],
  ['it turns on or off what is there, with the URLs that it has', /\/(enable|disable|disconnect)$/],
  ['it chooses what is posted to the URL that is there', /\/(events|policy)$/],
  [
    'it makes or ends a URL, which a page shows only after the password',
    /incoming-webhook(\/regenerate|\/delete)?$/,
  ],
  ['it takes access or receivers away', /\/(revoke|delete|end-sessions|remove|stop)$/],
  ['it takes access away, of another user', /\/users\/:userId\/revoke-access$/],
  ['it blocks a number or ends that', /\/(block|unblock)$/],
  ['it looks, and the look is written down with its reason', /\/(look|people)$/],
  ['it gives a user a line, which posts nowhere yet', /\/users\/:userId\/lines$/],
  ['it bounds what may be sent', /\/(spend|monthly)-cap$/],
  ['it asks the carrier with the settings that are there', /\/carriers\/:accountId\/(test|import|set-up)$/],
]
/** These end with such a word too, and need it nevertheless. */
const ASKED_NEVERTHELESS = /\/second-factor\/(app|passkeys\/:passkeyId)\/remove$|\/settings\/revoke-access$/

const mayGoOn = (path: string) =>
  !ASKED_NEVERTHELESS.test(path) && NOT_ASKED.some(([, paths]) => paths.test(path))

describeWeb('a form that needs a recent password', ({ context, web }) => {
  const owner = forEachTest(() => createOwner(context))
  const other = forEachTest(() => createPerson(context))
  let browser: BrowserSession

  beforeEach(async () => {
    await context.db('sign_in_attempts').delete()
    browser = await browse(context, web, owner.person.id)
    await loseFreshness(context)
  })

  const forms = () =>
    consoleRoutes(context)
      .filter(({ method, path }) => method === 'POST' && !isOpen(path))
      .map(({ path }) => path)
  /** Operators do these things to somebody else. */
  const fill = (path: string) => owner.fill(path.replace(':userId', other.id))
  const typed = () => ({
    url: 'http://127.0.0.1:9/elsewhere',
    name: 'Typed',
    kind: 'twilio',
    number: '+15005550142',
  })
  const password = { 'confirm-by': 'password', 'confirm-password': PASSWORD }
  const rows = () => rowsAndActs(context, /^sign_in\./)

  it('is each of the table, but those that have a reason not to be', async () => {
    const others = forms().filter(mayGoOn)
    expect(others).to.have.length.at.least(40)
    for (const path of others) {
      browser = await browse(context, web, owner.person.id)
      await loseFreshness(context)
      expect(isAskedAgain(await sendForm(browser, fill(path), typed())), path).to.equal(false)
    }
    for (const [reason, paths] of NOT_ASKED) {
      expect(
        others.some((path) => paths.test(path)),
        reason,
      ).to.equal(true)
    }
  })

  it('keeps the input, and does nothing before the password is entered', async () => {
    const asking = forms().filter((each) => !mayGoOn(each))
    expect(asking).to.have.length.at.least(20)
    const before = await rows()
    for (const path of asking) {
      for (const more of [{}, { ...password, 'confirm-password': '' }]) {
        const asked = await sendForm(browser, fill(path), { ...typed(), ...more })
        expect(isAskedAgain(asked), path).to.equal(true)
        expect(asked.text, path).to.include(`action="${fill(path)}"`)
        expect(carriedBy(asked), path).to.deep.equal(Object.entries(typed()))
      }
      await context.db('sign_in_attempts').delete()
    }
    expect(await rows()).to.deep.equal(before)
  })

  it('is submitted once by the right password, and the session gets a new token', async () => {
    const fields = { email: 'grace@example.com', name: 'Grace', role: 'operator' }
    expect(isAskedAgain(await browser.submit('/console/users', fields))).to.equal(true)
    const cookie = browser.cookie()
    const wrong = await browser.submit('/console/users', {
      ...fields,
      ...password,
      'confirm-password': 'no horse',
    })
    expect(isAskedAgain(wrong)).to.equal(true)
    expect(faultOf(wrong)).to.match(/^Wrong password/)
    expect(wrong.text).to.not.include('no horse')
    const done = await submitAndSee(browser, '/console/users', { ...fields, ...password })
    expectPage(done)
    expect(done.text).to.include('Set-up link for grace@example.com')
    expect(browser.cookie()).to.not.equal(cookie)
    expect(await context.db('users').where({ email: fields.email }).select('name', 'role')).to.deep.equal([
      { name: 'Grace', role: 'operator' },
    ])
    // It is fresh now: nothing is asked.
    expectPage(await submitAndSee(browser, '/console/settings/api-tokens', { name: 'a program' }))
  })

  it('does as it would have done at once', async () => {
    const { lineId } = owner.line
    const again = async (path: string, fields: Record<string, string>) => {
      await loseFreshness(context)
      expect(isAskedAgain(await browser.submit(path, fields)), path).to.equal(true)
      return browser.submit(path, { ...fields, ...password })
    }
    const line = `/console/lines/${lineId}`
    const url = 'http://127.0.0.1:9/again'
    const made = await again('/console/settings/api-tokens', { name: 'kept', expiresInDays: '30' })
    const token = await browser.get(made.headers.get('location') ?? '')
    expect([faultOf(token), token.status, token.text.includes('lhp_')]).to.deep.equal([undefined, 200, true])
    for (const [path, done] of [
      ['/console/settings/operational-webhooks', 'endpoint-added'],
      [`${line}/outgoing-webhook`, 'url-saved'],
      [`${line}/endpoints`, 'endpoint-added'],
    ] as const) {
      expect((await again(path, { url })).headers.get('location'), path).to.include(`done=${done}`)
    }
    expectSentTo(
      await again(`/console/endpoints/${owner.line.endpointId}/replay`, { from: '2026-01-01T00:00', url }),
      '/console/tasks?done=replay-started',
    )
    const application = { name: 'Shop', kind: 'public', redirectUris: 'https://example.com/' }
    expect((await again('/console/applications', application)).status).to.equal(303)
    expect(await context.db('applications').where({ user_id: owner.person.id, name: 'Shop' })).to.have.length(
      1,
    )
    // The operational webhook, the outgoing webhook and the endpoint.
    expect(await context.db('endpoints').where({ user_id: owner.person.id, url })).to.have.length(3)
  })

  it('is shown again with the input, except secrets, which no page keeps', async () => {
    const path = '/console/carriers/new?kind=twilio'
    const kept = { kind: 'twilio', name: 'late', 'setting-accountSid': `AC${'0'.repeat(32)}` }
    const secret = 'hush'.repeat(8)
    const asked = await browser.submit(path, { ...kept, 'secret-authToken': secret })
    expect(isAskedAgain(asked)).to.equal(true)
    expect(asked.text).to.include('except for passwords, other secrets and files').and.not.to.include(secret)
    expect(carriedBy(asked)).to.deep.equal(Object.entries(kept))
    expect(asked.text).to.include('name="confirm-unkept" value="secret-authToken"')
    const back = await browser.submit(path, { ...kept, ...password, 'confirm-unkept': 'secret-authToken' })
    expectPage(back)
    expect(faultOf(back)).to.match(/^Confirmed. Passwords, other secrets and files/)
    expect(back.text).to.include('value="late"').and.to.include(`value="${kept['setting-accountSid']}"`)
    expect(back.text).to.match(
      /name="secret-authToken" [^>]*aria-invalid="true"[^>]*><small class="why">Enter this again\. It was not saved/,
    )
    expect(await context.db('carrier_accounts').where({ name: 'late' })).to.be.empty
    const added = await browser.submit(path, { ...kept, 'secret-authToken': secret })
    expect(added.headers.get('location')).to.include('done=carrier-added')
  })

  it('also asks users with a second factor for it', async () => {
    const person = await createPerson(context)
    const app = await setUpApp(context, person.id)
    const own = await browse(context, web, person.id)
    await loseFreshness(context)
    const fields = { name: 'Notes' }
    const asked = await own.submit('/console/settings/api-tokens', fields)
    expect(asked.text)
      .to.include('name="confirm-secret-code"')
      .and.to.include('data-options="/console/confirm/passkey/options"')
    expect(
      isAskedAgain(await own.submit('/console/settings/api-tokens', { ...fields, ...password })),
    ).to.equal(true)
    await context.db('sign_in_attempts').delete()
    const done = await submitAndSee(own, '/console/settings/api-tokens', {
      ...fields,
      ...password,
      'confirm-secret-code': await app.nextCode(),
    })
    expect(done.text).to.include('lhp_')
  })

  it('is the only kind of replay that asks; a replay to the endpoint itself does not', async () => {
    const path = `/console/endpoints/${owner.line.endpointId}/replay`
    const here = await browser.submit(path, { from: '2026-01-01T00:00' })
    expectSentTo(here, '/console/tasks?done=replay-started')
    const counted = await browser.submit(path, {
      from: '2026-01-01T00:00',
      url: 'http://127.0.0.1:9/',
      do: 'count',
    })
    expectPage(counted)
  })

  it('is not all that needs one: so does each page that shows a secret, and each ZIP', async () => {
    const settings = { username: 'acme', apiKey: 'KEY' }
    const account = await addCarrierAccount(context, { name: 'africa', kind: 'africastalking', settings })
    const carrier = `/console/carriers/${account.id}`
    for (const [page, section] of [
      ['/console/lines/:lineId/send?show=webhook', '#incoming-webhook'],
      ['/console/lines/:lineId/start?show=send', '#send'],
      ['/console/lines/:lineId/start?show=receive', '#connect'],
      ['/console/endpoints/:endpointId?show=secret', '#signing-secret'],
      // Who changes an account's URL could have its secrets sent there.
      [`${carrier}?show=settings`, '#settings'],
      [`${carrier}?show=callbacks`, '#callbacks'],
      ['/console/carriers/new?kind=twilio', ''],
      ['/console/lines/:lineId/export.zip', ''],
      ['/console/settings/export.zip', ''],
    ] as const) {
      const path = owner.fill(page)
      const asked = await browser.get(path)
      expectSentTo(asked, `/console/confirm?next=${encodeURIComponent(path + section)}`)
      for (const secret of [owner.line.token, owner.line.signingSecret]) {
        expect(asked.text, path).not.to.include(secret)
      }
    }
  })
})
