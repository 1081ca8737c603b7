import { expect } from 'chai'
import { pauseCountry } from '../../../src/database/messages/country-guard.js'
import { readListFile } from '../../../src/domain/messages/text-list/read-file.js'
import { startTextList } from '../../../src/domain/messages/text-list/task.js'
import { getOwnLine } from '../../../src/domain/lines/lines.js'
import { newId } from '../../../src/ids.js'
import { createPasskey } from '../../domain/people/passkey.js'
import { forAllTests } from '../../helpers/suite.js'
import { browse, type BrowserSession } from '../../helpers/web/browser-session.js'
import { createLine } from '../../helpers/factories.js'
import { describeWeb } from '../../helpers/web/web.js'
import { allRows, consoleRoutes, createOwner, expectPage, request, type Owner } from './support.js'

/** One path names a number that is everybody's; what it may be written to is the form's own question. */
const NAMES_NOTHING_OF_OURS = /:phone/

/** Nobody has these here, not even the owner: a passkey, and a task with results. They have a test of their own. */
const OF_NOBODY = [
  '/console/settings/second-factor/passkeys/:passkeyId/remove',
  '/console/tasks/:taskId/results.csv',
]

/** After these, other paths name what is gone. */
const ENDS = /\/(delete|disconnect|revoke|end)$/

const OF_OPERATORS = /^\/console\/(overview|sending|people|audit|carriers|users|search\/look)\b/

describeWeb('what is another user’s, in the console', ({ context, web }) => {
  const owner = forAllTests(() => createOwner(context))
  const stranger = forAllTests(() => createLine(context))
  const browser = forAllTests(() => browse(context, web, stranger.userId))

  const fields = ({ person, line }: Pick<Owner, 'person' | 'line'> = owner) => ({
    lineId: line.lineId,
    of: person.id,
    segments: '5',
    amount: '50 USD',
    country: 'JM',
    name: 'mine now',
    url: 'http://127.0.0.1:9/stolen',
    overlapSeconds: '0',
    key: 'a key',
    text: 'Hello',
  })

  it('is answered as an unknown thing by every page and form that names one, and nothing changes', async () => {
    const routes = consoleRoutes(context).filter(
      ({ path }) => path.includes(':') && !NAMES_NOTHING_OF_OURS.test(path),
    )
    expect(routes.length).to.be.above(20)
    // The stranger's form token is got, and the session seen, before the rows are compared.
    await browser.submit('/console/confirm', { password: 'wrong' })
    const before = await allRows(context)
    for (const { method, path } of routes) {
      const filled = owner.fill(path)
      const answer = await request(browser, method, filled, fields())
      expect(answer.status, `${method} ${path}`).to.equal(404)
      for (const secret of [owner.line.token, owner.line.number, owner.person.email]) {
        expect(answer.text, `${method} ${path}`).not.to.include(secret)
      }
    }
    expect(await allRows(context)).to.deep.equal(before)
  })

  it('is answered otherwise to its owner, so that the refusals above are for nothing but the owner', async () => {
    const routes = consoleRoutes(context).filter(
      ({ path }) => path.includes(':') && !NAMES_NOTHING_OF_OURS.test(path),
    )
    const another = await createOwner(context)
    const paused = { userId: another.person.id, country: 'JM', accepted: 340, usual: 12 }
    await pauseCountry(context.db, paused)
    const unknown: string[] = []
    for (const { method, path } of routes) {
      const of = ENDS.test(path) ? await createOwner(context) : another
      const theirs = await browse(context, web, of.person.id)
      const answer = await request(theirs, method, of.fill(path), fields(of))
      if (answer.status === 404) unknown.push(path)
    }
    expect(unknown.toSorted()).to.deep.equal(OF_NOBODY)
  })

  it('is a passkey and the results of a list, too', async () => {
    const { person, line } = await createOwner(context)
    await createPasskey(context, person.id)
    const [passkeyId] = await context.db('passkeys').where({ user_id: person.id }).pluck<string[]>('id')
    const list = { file: readListFile('to\n+15005550101'), text: 'Hello', column: '' }
    const taskId = newId()
    await startTextList(context, await getOwnLine(context, person.id, line.lineId), list, taskId)
    const removal = `/console/settings/second-factor/passkeys/${passkeyId}/remove`
    const results = `/console/tasks/${taskId}/results.csv`
    expectPage(await browser.submit(removal), 404)
    expectPage(await browser.get(results), 404)
    const theirs = await browse(context, web, person.id)
    expect((await theirs.get(results)).status).to.equal(200)
    expect((await theirs.submit(removal)).status).to.equal(303)
  })

  it('is nothing to them where it is the operators’, and no link leads there', async () => {
    const routes = consoleRoutes(context).filter(({ path }) => OF_OPERATORS.test(path))
    expect(routes.length).to.be.above(40)
    const before = await allRows(context)
    for (const { method, path } of routes) {
      const filled = owner.fill(path)
      const answer = await request(browser, method, filled, fields())
      expectPage(answer, 404)
      expect(answer.text, `${method} ${path}`).to.include('Nothing was found at this path')
    }
    expect(await allRows(context)).to.deep.equal(before)
    const linksOf = async (of: BrowserSession) =>
      [...(await of.get('/console')).text.matchAll(/href="([^"]*)"/g)]
        .map(([, href = '']) => href)
        .filter((href) => OF_OPERATORS.test(href))
    expect(await linksOf(browser)).to.deep.equal([])
    expect(await linksOf(await browse(context, web, owner.person.id))).to.include.members([
      ...['/console/overview', '/console/audit', '/console/users', '/console/carriers'],
    ])
  })

  it('is on none of the pages that name nothing', async () => {
    const pages = consoleRoutes(context).filter(
      ({ method, path }) => method === 'GET' && !path.includes(':') && !path.endsWith('/live'),
    )
    expect(pages.length).to.be.above(5)
    for (const { path } of pages) {
      for (const query of ['', `?line=${owner.line.lineId}`, '?phone=%2B15005550199']) {
        const { text } = await browser.get(path + query)
        for (const secret of [owner.line.token, owner.line.number, owner.person.email]) {
          expect(text, path + query).not.to.include(secret)
        }
      }
    }
  })

  it('cannot be written to from a phone of the simulator', async () => {
    for (const what of ['messages', 'voicemails']) {
      const answer = await browser.submitMultipart(`/simulator/phones/15005550199/${what}`, {
        ...{ lineId: owner.line.lineId, text: 'Hello' },
      })
      expect(answer.status, what).to.equal(404)
    }
    const received = await context.db('messages').where({ line_id: owner.line.lineId, direction: 'inbound' })
    expect(received.length).to.equal(1)
  })
})
