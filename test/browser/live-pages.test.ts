import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { markAllRead } from '../../src/database/messages/conversations/marks.js'
import { newId } from '../../src/ids.js'
import { ANNA, changeRows, queueMessage, receiveForDelivery } from '../domain/fixtures.js'
import { createPerson } from '../domain/people/people.js'
import { createLine, messageBody } from '../helpers/factories.js'
import { forAllTests } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { hear } from '../helpers/web/hear.js'
import { startSession } from '../helpers/web/sessions.js'
import { describeWeb } from '../helpers/web/web.js'
import { createOwner } from '../web/console/support.js'
import { browserForSuite } from './support.js'

/** Two more than the connections that a browser keeps to a host over HTTP/1.1. */
const PAGE_COUNT = 8
const MAX_STREAMS_OF_USER = 10

describeWeb('live pages in a browser', function ({ context, web }) {
  this.timeout(300_000)

  let visit: BrowserContext
  let complaints: string[]

  const browser = browserForSuite()
  const owner = forAllTests(() => createOwner(context))
  const openAs = (userId: string) => browser.openSignedIn({ context, url: web.url, userId })

  beforeEach(async () => {
    const watched = await openAs(owner.person.id)
    visit = watched.page.context()
    complaints = watched.complaints
  })

  async function openPages(paths: readonly string[]): Promise<Page[]> {
    return Promise.all(
      paths.map(async (path) => {
        const page = await visit.newPage()
        await page.goto(path, { timeout: 60_000 })
        return page
      }),
    )
  }

  it('all load and update when there are more of them than a browser has connections', async () => {
    const lines = await Promise.all(
      Array.from({ length: PAGE_COUNT }, () => createLine(context, { userId: owner.person.id })),
    )
    const pages = await openPages(lines.map(({ lineId }) => `/console/lines/${lineId}/send`))
    for (const { webhookPath } of lines) {
      expect((await web.post(webhookPath, messageBody())).status).to.equal(200)
    }
    for (const page of pages) {
      await until('the page tells of the message', () =>
        page.getByText('1 of 30 in the last 60 s in total').isVisible(),
      )
    }
    const [first] = pages
    await first!.reload()
    await first!.getByRole('heading', { level: 1 }).waitFor()
    expect(complaints).to.deep.equal([])
  })

  it('tell how an endpoint does, and keep what is being typed', async () => {
    const line = await createLine(context, { userId: owner.person.id, outgoingUrl: 'http://127.0.0.1:9/' })
    const [page] = await openPages([`/console/endpoints/${line.endpointId}`])
    await page!.getByText('Delivery settings').click()
    await page!.getByLabel('Retry schedule').fill('5, 60')
    const failing = { failing_since: new Date(), last_failure: 'http_500', consecutive_failure_count: 6 }
    await changeRows(context, 'endpoints', line.endpointId, failing)
    const { id } = await receiveForDelivery(context, line)
    await page!.getByText('6 failures in a row').waitFor()
    await page!.locator('header, .page-head').getByText('HTTP 500').first().waitFor()
    await page!.locator('aside').getByText('Waiting').locator('xpath=..').getByText('1').waitFor()
    await context.db('deliveries').where({ id }).update({ status: 'held' })
    await page!.getByRole('heading', { name: 'Held events' }).waitFor()
    expect(await page!.getByLabel('Retry schedule').inputValue()).to.equal('5, 60')
  })

  it('count what is unread in their head', async () => {
    const line = await createLine(context, { userId: owner.person.id, outgoingUrl: 'http://127.0.0.1:9/' })
    await markAllRead(context.db, owner.person.id, newId())
    const [page] = await openPages([`/console/lines/${line.lineId}/send`])
    await receiveForDelivery(context, line)
    await page!.getByRole('link', { name: 'Inbox 1 unread' }).waitFor()
    await markAllRead(context.db, owner.person.id, newId())
    await page!.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
  })

  it('also insert new messages in the right place on the phone simulator', async () => {
    const line = await createLine(context, { userId: owner.person.id })
    const [page] = await openPages([`/simulator?phone=${encodeURIComponent(ANNA)}`])
    await queueMessage(context, line, { to_number: ANNA, text: 'Comes by itself', status: 'sent' })
    await page!.getByText('Comes by itself').waitFor()
  })

  /** Takes all streams that a user may have. @returns a function that ends them */
  async function takeStreams(userId: string): Promise<() => Promise<unknown>> {
    const Cookie = `__Host-linehook=${await startSession(context, userId)}`
    const taken: Awaited<ReturnType<typeof hear>>[] = []
    // The server may not yet have seen that the pages of the tests before are closed.
    await until('all the streams of the user are taken', async () => {
      const stream = await hear(`${web.url}/console/tasks/live`, { Cookie })
      if (stream.status === 200) taken.push(stream)
      else await stream.close()
      return taken.length === MAX_STREAMS_OF_USER
    })
    return () => Promise.all(taken.map((stream) => stream.close()))
  }

  it('say so when the stream is refused, and reconnect automatically', async () => {
    const free = await takeStreams(owner.person.id)
    const [page] = await openPages(['/console/overview'])
    await page!.getByText('Not live. The server is busy.').waitFor()
    await free()
    await until('it is live again', async () => !(await page!.getByText('Not live').isVisible()), 60_000)
    // A browser tells of every answer that is no success.
    expect(complaints.filter((each) => !each.includes('429'))).to.deep.equal([])
  })

  it('say so as long as the stream of any piece is lost, in a browser without shared workers', async () => {
    const { page } = await openAs(owner.person.id)
    await page.context().addInitScript('delete globalThis.SharedWorker')
    const lost = /\/console\/unread\/live/
    await page.route(lost, (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: 'retry: 100\n\n' }),
    )
    await page.goto('/console/activity')
    const paths = await page
      .locator('[data-live]')
      .evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset.live))
    expect(paths).to.have.length(2)
    const note = page.getByText('Not live. The connection is lost. Trying again…')
    await note.waitFor()
    await page.unroute(lost)
    // The list itself, where this is said, is sent anew once a minute.
    await note.waitFor({ state: 'detached', timeout: 30_000 })
  })

  for (const [browserKind, without, said] of [
    ['with shared workers', [], 'Not live. Your session has ended. Reload the page.'],
    ['without them', ['SharedWorker'], 'Not live. The connection is lost. Trying again…'],
  ] as const) {
    it(`show nothing of another session in the same browser, ${browserKind}`, async () => {
      const [alice, bob] = await Promise.all([createPerson(context), createPerson(context)])
      const [hers, his] = await Promise.all([alice, bob].map(({ id }) => createLine(context, { userId: id })))
      await queueMessage(context, hers!, { text: 'Only for Alice', status: 'sent' })
      await queueMessage(context, his!, { text: 'Only for Bob', status: 'sent' })
      const { page: left } = await openAs(alice.id)
      const profile = left.context()
      for (const name of without) await profile.addInitScript(`delete globalThis.${name}`)
      await left.goto('/console/activity')
      await queueMessage(context, hers!, { text: 'Hers comes by itself', status: 'sent' })
      await left.getByText('Hers comes by itself').waitFor()

      const free = await takeStreams(bob.id)
      await context.db('sessions').where({ user_id: alice.id }).delete()
      const value = await startSession(context, bob.id)
      const url = web.url.replace('http:', 'https:')
      await profile.addCookies([{ name: '__Host-linehook', value, url, secure: true }])
      const own = await profile.newPage()
      await own.goto('/console/activity')
      await own.getByText('Not live.').waitFor()
      expect(await own.locator('main').textContent())
        .to.include('Only for Bob')
        .and.not.include('Alice')
      await free()
      await queueMessage(context, his!, { text: 'His comes by itself', status: 'sent' })
      await own.getByText('His comes by itself').waitFor({ timeout: 60_000 })
      // What has come to the one page would have come to the other.
      await left.getByText(said, { exact: true }).waitFor()
      expect(await left.getByText('His comes by itself').count()).to.equal(0)
    })
  }
})
