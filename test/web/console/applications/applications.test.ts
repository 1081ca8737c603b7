import { expect } from 'chai'
import { listApplicationsOf } from '../../../../src/database/applications/applications.js'
import { getApplication, isClientSecret } from '../../../../src/domain/applications/applications.js'
import { connect, createApplication } from '../../../domain/applications/applications.js'
import { changeRows, receiveForDelivery } from '../../../domain/fixtures.js'
import { createPerson } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { describeConsole, wordsAt, wordsOf } from '../lines/line/line-page.js'
import { expectFault, expectSentTo, submitAndSee } from '../support.js'

const PATH = '/console/applications'
const TYPED = {
  name: 'Auto Reply',
  description: 'Answers while you are away',
  website: 'https://example.com',
  redirectUris: 'https://example.com/callback\r\ncom.example.app:/callback\r\n',
  webhookUrl: '',
  kind: 'confidential',
}

describeConsole('applications in the console', ({ context, web, receiver, openLine }) => {
  async function openUser() {
    const { id: userId } = await createPerson(context)
    return { userId, browser: await browse(context, web, userId) }
  }
  /** An application with its page in its owner's browser. */
  async function openApplication(overrides: Parameters<typeof createApplication>[1] = {}) {
    const { userId, browser } = await openUser()
    const registered = await createApplication(context, {
      userId,
      webhookUrl: receiver.url,
      ...overrides,
    })
    const path = `${PATH}/${registered.id}`
    return {
      ...registered,
      browser,
      path,
      submit: (form: string, fields?: Record<string, string>) => browser.submit(`${path}/${form}`, fields),
      page: async (query = '') => (await browser.get(path + query)).text,
    }
  }
  const shownSecret = (html: string) => /id="client-secret">([^<]+)</.exec(html)?.[1] ?? ''
  const disabled = { disabled_at: new Date(), disabled_reason: 'failing' }
  const disable = (userId: string) => changeRows(context, 'endpoints', { user_id: userId }, disabled)

  it('are registered by a form, and the secret is shown this once', async () => {
    const { browser, userId } = await openUser()
    const before = (await browser.get(PATH)).text
    expect(wordsOf(before)).to.include('No applications yet.')
    // The form opens on demand.
    expect(before).to.include(`href="${PATH}?new"`).and.not.include('name="redirectUris"')
    expect((await browser.get(`${PATH}?new`)).text).to.include('name="redirectUris"')
    const { status, text } = await submitAndSee(browser, PATH, TYPED)
    expect(status).to.equal(200)
    const [application] = await listApplicationsOf(context.db, userId)
    expect(application).to.include({ name: 'Auto Reply', website: 'https://example.com' })
    expect(application?.redirectUris).to.deep.equal([
      'https://example.com/callback',
      'com.example.app:/callback',
    ])
    expect(text).to.include('Application registered.').and.include(application?.clientId)
    expect(isClientSecret(application!, shownSecret(text))).to.equal(true)

    const path = `${PATH}/${application?.id ?? ''}`
    expect(await browser.get(PATH))
      .to.have.property('text')
      .that.includes(`href="${path}"`)
    const later = (await browser.get(path)).text
    expect(shownSecret(later)).to.equal('')
    expect(later).not.to.include(shownSecret(text))
  })

  it('are searched, filtered by how their events do, and sorted', async () => {
    const { browser, userId } = await openUser()
    for (const name of ['Zebra', 'Ant', 'Bee', 'Cat', 'Dog', 'Eel'])
      await createApplication(context, {
        userId,
        name,
        ...(name === 'Cat' ? { webhookUrl: receiver.url } : {}),
      })
    const namesAt = async (query: string) => {
      const { text } = await browser.get(`${PATH}?${query}`)
      return [...text.matchAll(/<td data-label="Name"><a [^>]*>([^<]*)</g)].map(([, name]) => name)
    }
    expect(await namesAt('')).to.deep.equal(['Eel', 'Dog', 'Cat', 'Bee', 'Ant', 'Zebra'])
    expect(await namesAt('sort=name')).to.deep.equal(['Ant', 'Bee', 'Cat', 'Dog', 'Eel', 'Zebra'])
    expect(await namesAt('q=EE')).to.deep.equal(['Eel', 'Bee'])
    expect(await namesAt('state=new')).to.deep.equal(['Cat'])
    await disable(userId)
    expect(await namesAt('state=disabled')).to.deep.equal(['Cat'])
    expect(await wordsAt(browser, `${PATH}?q=nothing`)).to.include('No applications match this filter.')
  })

  it('keep the input when refused, and explain the error', async () => {
    const { browser, userId } = await openUser()
    const { status, text } = await browser.submit(PATH, {
      ...TYPED,
      redirectUris: 'http://example.com/<i>',
      kind: 'public',
    })
    expect(status).to.equal(400)
    expect(text).to.match(/role="alert"[^>]*>Redirect URIs: /)
    expect(text).to.include('value="Auto Reply"').and.include('Answers while you are away</textarea>')
    expect(text).to.include('http://example.com/&lt;i></textarea>').and.not.include('/<i>')
    expect(text).to.match(/<option[^>]*value="public"[^>]*selected|<option[^>]*selected[^>]*value="public"/)
    expect(await listApplicationsOf(context.db, userId)).to.deep.equal([])
  })

  it('are edited', async () => {
    const { submit, page, path, userId, id } = await openApplication()
    const saved = await submit('fields', { ...TYPED, name: 'Other', webhookUrl: receiver.url })
    expectSentTo(saved, `${path}?done=application-saved`)
    expect(await page('?done=application-saved')).to.include('Application saved.')
    expect(await getApplication(context, userId, id)).to.include({
      name: 'Other',
      webhookUrl: receiver.url,
    })
    const refused = await submit('fields', { ...TYPED, name: '' })
    expect(refused.status).to.equal(400)
    expect(refused.text).to.match(/<details open[^>]*>(?:(?!<\/form>).)*Name must have 1 to 100/s)
  })

  it('opt in to lineDisconnected by a checkbox, and out', async () => {
    const { submit, page, userId, id } = await openApplication()
    const isChecked = (html: string) =>
      / checked[ =>/]/.test(
        /<input[^>]*name="optInEvents" value="lineDisconnected"[^>]*>/.exec(html)?.[0] ?? '',
      )
    const optedIn = async () => (await getApplication(context, userId, id)).optInEvents
    const typed = { ...TYPED, webhookUrl: receiver.url }
    const ticked = { ...typed, optInEvents: 'lineDisconnected' }
    expect(isChecked(await page())).to.equal(false)

    const refused = await submit('fields', { ...ticked, name: '' })
    expect([refused.status, isChecked(refused.text), await optedIn()]).to.deep.equal([400, true, []])
    await submit('fields', ticked)
    expect([isChecked(await page()), await optedIn()]).to.deep.equal([true, ['lineDisconnected']])

    const unticked = await submit('fields', { ...typed, name: '' })
    expect([unticked.status, isChecked(unticked.text)]).to.deep.equal([400, false])
    await submit('fields', typed)
    expect([isChecked(await page()), await optedIn()]).to.deep.equal([false, []])
    expect((await submit('fields', { ...typed, optInEvents: 'other' })).status).to.equal(400)
  })

  it('that are registered opted in need a webhook URL', async () => {
    const { browser, userId } = await openUser()
    const ticked = { ...TYPED, optInEvents: 'lineDisconnected' }
    const refused = await browser.submit(PATH, ticked)
    expectFault(refused, 400, /^Also post needs a webhook URL\. Give one too/)
    expect(refused.text).to.include('<legend>Also post</legend><small class="why">Needs a webhook URL.')
    const odd = await browser.submit(PATH, { ...TYPED, kind: 'other' })
    expect(odd.text).to.match(
      /<select name="kind" aria-invalid="true">.*?<small class="why">Must be confidential/s,
    )
    await browser.submit(PATH, { ...ticked, webhookUrl: receiver.url })
    const [application, ...others] = await listApplicationsOf(context.db, userId)
    expect([application?.optInEvents, others]).to.deep.equal([['lineDisconnected'], []])
  })

  it('get a new client secret, shown this once', async () => {
    const { browser, path, page, userId, id, clientSecret } = await openApplication()
    const { text } = await submitAndSee(browser, `${path}/client-secret/rotate`)
    const application = await getApplication(context, userId, id)
    expect(isClientSecret(application, shownSecret(text))).to.equal(true)
    expect(isClientSecret(application, clientSecret ?? '')).to.equal(false)
    expect(await page()).not.to.include(shownSecret(text))
  })

  it('that are public say that they have no secret', async () => {
    const { submit, page } = await openApplication({ kind: 'public' })
    expect(wordsOf(await page())).to.include('Public applications have no secret.')
    expectFault(await submit('client-secret/rotate'), 409, /^A public application/)
  })

  it('say how their webhook does, and lead to its page; without one they say so', async () => {
    const { page, path, id, userId, endpointId, submit } = await openApplication()
    const line = await openLine()
    await connect(context, { id }, line)
    await disable(userId)
    await receiveForDelivery(context, line)
    const html = await page()
    expect(wordsOf(html))
      .to.include('1 line of 1 user connected')
      .and.include('disabled Endpoint settings')
      .and.include('inboundText held 0 None')
      .and.not.include('Hi there')
    expect(html).to.include(`href="/console/endpoints/${endpointId}"`)
    expectSentTo(await submit('fields', TYPED), `${path}?done=application-saved`)
    expect(wordsOf(await page())).to.include('This application has no webhook URL')
  })

  it('are deleted', async () => {
    const { submit, browser, path, userId } = await openApplication()
    expectSentTo(await submit('delete'), `${PATH}?done=application-deleted`)
    expect((await browser.get(path)).status).to.equal(404)
    expect(await listApplicationsOf(context.db, userId)).to.deep.equal([])
  })
})
