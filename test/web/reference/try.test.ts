import { expect } from 'chai'
import { readReference } from '../../../src/web/reference/model.js'
import { createLine } from '../../helpers/factories.js'
import { browse } from '../../helpers/web/browser-session.js'
import { describeWeb } from '../../helpers/web/web.js'
import { createOwner } from '../console/support.js'

describeWeb('/docs/try', ({ context, web }) => {
  const pageOf = async (id: string) => {
    const { status, text } = await web.request(`/docs/try/${id}`)
    expect([id, status]).to.deep.equal([id, 200])
    return text
  }

  it('has a form for each operation that a program can call, with a field for each parameter and its body', async () => {
    const { groups } = readReference(context)
    const operations = groups.flatMap((group) => group.operations)
    const tried: string[] = []
    for (const { path: groupPath } of groups) {
      const { text } = await web.request(groupPath)
      tried.push(...[...text.matchAll(/href="\/docs\/try\/(\w+)"/g)].map(([, id = '']) => id))
    }
    const others = operations.map(({ id }) => id).filter((id) => !tried.includes(id))
    const events = operations.filter(({ path }) => path === undefined).map(({ id }) => id)
    // A user answers this one, in a browser.
    expect(others).to.have.members([...events, 'authorize'])
    for (const { id, method, path, parameters, body, needsToken } of operations) {
      if (!tried.includes(id)) continue
      const html = await pageOf(id)
      expect(html).to.include(`data-method="${method}" data-path="${path ?? ''}"`)
      for (const { in: place, name } of parameters) expect(html, id).to.include(`name="${place}.${name}"`)
      expect(html.includes('<textarea name="body"'), id).to.equal(body !== undefined)
      expect(html.includes('name="secretToken"'), id).to.equal(needsToken)
    }
  })

  it('cannot be sent without its script, which would put the token into a URL', async () => {
    const html = await pageOf('sendMessage')
    expect(html).to.match(/<form class="try"[^>]*><fieldset disabled>/)
    expect(html).to.include('This form needs JavaScript').and.to.include('/docs/messages#sendMessage')
  })

  it('offers the lines of a reader who is signed in, and begins with the first', async () => {
    const { person, line, fill } = await createOwner(context)
    const stranger = await createLine(context)
    const reader = await browse(context, web, person.id)
    const html = (await reader.get(fill('/docs/try/:operationId'))).text
    expect(html).to.include(`<option value="${line.lineId}"`).and.not.to.include(stranger.lineId)
    expect(html).to.match(new RegExp(`<textarea name="body"[^>]*>[^<]*${line.lineId}`))
    expect((await reader.get('/docs/try/getLine')).text).to.include(`value="${line.lineId}" placeholder`)
    expect(await pageOf('getLine')).not.to.include(line.lineId)
    for (const [, path = ''] of html.matchAll(/ href="([^"#]+)/g)) {
      expect([path, (await reader.get(path)).status]).to.deep.equal([path, 200])
    }
  })

  it('is for everybody, leads back to the reference, and is not there for anything else', async () => {
    const html = await pageOf('listLines')
    expect(html).to.include('href="/docs/lines#listLines"').and.not.to.include('Sign out')
    for (const id of ['authorize', 'nothing', 'constructor']) {
      expect([id, (await web.request(`/docs/try/${id}`)).status]).to.deep.equal([id, 404])
    }
  })
})
