import { expect } from 'chai'
import { insertNotices } from '../../../../src/database/operating/notices.js'
import { setLineEndpointUrl } from '../../../../src/domain/lines/connections.js'
import { newId } from '../../../../src/ids.js'
import { forgetNotices } from '../../../domain/operating/notices/fixtures.js'
import type { Person } from '../../../domain/people/people.js'
import { createLine } from '../../../helpers/factories.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { describeWeb } from '../../../helpers/web/web.js'
import {
  browseAs,
  endpointDetails,
  expectFault,
  expectPage,
  expectSentTo,
  signedInForEachTest,
} from '../support.js'

const NOTICES = '/console/notices'
const OUTGOING = 'http://127.0.0.1:9/events'

describeWeb('notices in the console', ({ context, web }) => {
  const { person: user } = signedInForEachTest(context, web)
  const { person: operator } = signedInForEachTest(context, web, 'operator')

  beforeEach(() => forgetNotices(context))

  async function addNotice(kind: string, userId: string | null, details: object): Promise<string> {
    const id = newId()
    await insertNotices(context.db, [{ id, kind, subject: 'x', userId, details }])
    return id
  }
  const addEndpointNotice = (userId: string, lineName = 'Front desk', endpointId = newId()) =>
    addNotice('endpoint.disabled', userId, endpointDetails(userId, { endpointId, lineName }))
  const addQueueNotice = () =>
    addNotice('queue.stuck', null, {
      queue: 'send-message',
      why: 'No `send-message` process is running. Start one.',
    })
  const showTo = async (person: Person, path = NOTICES) => {
    const answer = await (await browse(context, web, person.id)).get(path)
    expectPage(answer)
    return answer.text
  }
  const label = (text: string) =>
    /<a href="\/console\/notices"[^>]*>(.*?)<\/a>/
      .exec(text)?.[1]
      ?.replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()

  it('show users their own, with a link to the fix', async () => {
    const { lineId, endpointId } = await createLine(context, { userId: user.id, outgoingUrl: OUTGOING })
    await addEndpointNotice(user.id, 'Front desk', endpointId)
    await addEndpointNotice(operator.id, 'Somebody else’s')
    await addQueueNotice()
    const text = await showTo(user)
    expect(text).to.include(
      'The endpoint at hooks.example.com of the line <bdi dir="auto">Front desk</bdi> is disabled',
    )
    expect(text).to.include(`<a href="/console/endpoints/${endpointId}">Open endpoint</a>`)
    expect(text).to.not.include('Somebody else').and.to.not.include('send-message')
    await setLineEndpointUrl(context, user.id, lineId, undefined)
    expect(await showTo(user), 'a page that is not there')
      .to.include('Deleted')
      .and.not.include('Deleted since')
      .and.not.include(`/console/endpoints/${endpointId}`)
  })

  it('lead each reader to a page that they may open', async () => {
    const spent = { amount: '50.00', currency: 'USD', spent: '50.10' }
    const all = { userId: user.id, lineId: null, lineName: null }
    await addNotice('cap.near', user.id, { ...all, segmentsPerDay: 5, used: 5 })
    await addNotice('monthly_cap.near', user.id, { ...all, ...spent })
    await addNotice('country.paused', user.id, { userId: user.id, country: 'JM', accepted: 101, usual: 0 })
    const ofUser = `/console/users/${user.id}`
    for (const [person, places] of [
      [operator, [ofUser, ofUser, ofUser]],
      [user, ['/console/settings', '/console/usage', '/console/usage']],
    ] as const) {
      const text = await showTo(person)
      expect(text)
        .to.include('Daily segment cap reached: all lines')
        .and.include('Monthly spending cap reached:')
      const [, list = ''] = /.*<ul class="needs">(.*?)<\/ul>/s.exec(text) ?? []
      expect(Array.from(list.matchAll(/<a href="([^"]*)"/g), ([, href]) => href)).to.deep.equal(places)
      for (const path of places) await showTo(person, path)
    }
  })

  it('show operators all of them', async () => {
    const { endpointId } = await createLine(context, { userId: user.id, outgoingUrl: OUTGOING })
    await addEndpointNotice(user.id, 'Front desk', endpointId)
    await addQueueNotice()
    const account = await addNotice('carrier.down', null, { accountId: newId(), name: 'old', state: 'down' })
    const text = await showTo(operator)
    expect(text).to.match(new RegExp(`id="${account}"(?:(?!</li>).)*Deleted<`, 's'))
    expect(text).to.include('Front desk</bdi> is disabled').and.to.include('The queue send-message is stuck')
    expect(text).to.include(`<a href="/console/users/${user.id}">Open user</a>`)
    expect(text).to.include('<code>send-message</code> process is running')
  })

  it('are counted in the head of every page until they are read', async () => {
    expect(label(await showTo(user, '/console'))).to.equal('Notifications')
    await addEndpointNotice(user.id)
    const newest = await addEndpointNotice(user.id)
    expect(label(await showTo(user, '/console'))).to.equal('Notifications 2 unread')
    expect(label(await showTo(user))).to.equal('Notifications 2 unread')
    const browser = await browse(context, web, user.id)
    expectSentTo(
      await browser.submit(`${NOTICES}/read`, { noticeId: newest }),
      `${NOTICES}?done=notices-read`,
    )
    expect(label(await showTo(user))).to.equal('Notifications')
    await addEndpointNotice(user.id)
    expect(label(await showTo(user))).to.equal('Notifications 1 unread')
    expect(label(await showTo(operator))).to.equal('Notifications 3 unread')
  })

  it('stay read when an older page is sent', async () => {
    const [older, newest] = [await addEndpointNotice(user.id), await addEndpointNotice(user.id)]
    const browser = await browse(context, web, user.id)
    for (const noticeId of [newest, older]) await browser.submit(`${NOTICES}/read`, { noticeId })
    expect(label(await showTo(user))).to.equal('Notifications')
    const refused = await browser.submit(`${NOTICES}/read`, { noticeId: 'no id' })
    expect(refused.status).to.equal(400)
  })

  it('are shown 15 per page', async () => {
    const ids: string[] = []
    for (let n = 0; n < 16; n += 1) ids.push(await addEndpointNotice(user.id, `line number ${n}`))
    const first = await showTo(user)
    expect(first.match(/line number/g)).to.have.length(15)
    const older = /href="(\/console\/notices\?before=[^"]+)" rel="next"/.exec(first)?.[1]
    const second = await showTo(user, older)
    expect(second).to.include('line number 0</bdi> is disabled')
    expect(second).to.not.include('rel="next"')
  })

  it('can be searched by name, and filtered by meaning', async () => {
    await addEndpointNotice(user.id)
    await addEndpointNotice(user.id, 'Warehouse')
    await addNotice('endpoint.recovered', user.id, {
      host: 'up.example.com',
      lineId: 'a-line',
      lineName: 'Shop',
    })
    const searched = await showTo(user, `${NOTICES}?q=WAREHOUSE`)
    expect(searched).to.include('Warehouse</bdi>').and.to.not.include('Front desk</bdi>')
    const good = await showTo(user, `${NOTICES}?state=good`)
    expect(good).to.match(/<a href="[^"]*state=good" aria-current="page">Resolved/)
    expect(good).to.include('Shop</bdi> has recovered').and.to.not.include('Warehouse</bdi>')
    expect(await showTo(user, `${NOTICES}?q=lineName`)).to.include('No notifications match this filter.')
    const both = await showTo(user, `${NOTICES}?state=bad&q=shop`)
    expect(both).to.include('No notifications match this filter.').and.to.include('Clear filters')
  })

  it('of a later release are shown by their kind', async () => {
    await addNotice('endpoint.renamed', user.id, {})
    expect(await showTo(user)).to.include('endpoint.renamed')
  })

  it('cannot be chosen for email without a mail server', async () => {
    expect(await showTo(user, '/console/settings')).to.include('This service does not send email.')
  })
})

describeWeb(
  'the choice of mails',
  { environment: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'lines@acme.example' } },
  ({ context, web }) => {
    it('is saved, and refused if invalid', async () => {
      const browser = await browseAs(context, web, 'operator')
      const chosenIn = (html: string) =>
        /<select[^>]* name="mails".*?<option value="(\w+)" selected/s.exec(html)?.[1]
      const chosen = async () => chosenIn((await browser.get('/console/settings')).text)
      expect(await chosen()).to.equal('all')
      for (const mails of ['own', 'none']) {
        expectSentTo(
          await browser.submit('/console/settings/mails', { mails }),
          '/console/settings?done=mails-saved',
        )
        expect(await chosen()).to.equal(mails)
      }
      const refused = await browser.submit('/console/settings/mails', { mails: 'some' })
      expectFault(refused, 400, 'Notifications by email must be one of all, own, none')
      expect(chosenIn(refused.text), 'not the first').to.equal('none')
    })
  },
)
