import { expect } from 'chai'
import { getEndpoint } from '../../../../src/domain/endpoints/endpoints.js'
import { forEachTest } from '../../../helpers/suite.js'
import { redirectOf, describeConsole, wordsAt, wordsOf } from '../lines/line/line-page.js'
import { expectFault, expectSentTo, seenIn } from '../support.js'
import { KINDS, openEndpoint, type OpenEndpoint } from './endpoint-page.js'

const shownSecret = (html: string) => /id="secret">(whsec_[^<]+)</.exec(html)?.[1]

describeConsole('the page of an endpoint', (site) => {
  const { context, receiver, openLine } = site
  const find = ({ line, id }: OpenEndpoint) => getEndpoint(context, { userId: line.userId }, id)

  for (const kind of KINDS) {
    describe(`that is ${kind}`, () => {
      const endpoint = forEachTest(() => openEndpoint(site, kind))

      it('names and links its line or application, which links back', async () => {
        const html = await endpoint.page()
        expect(html).to.include(`href="${endpoint.ownerPath}`)
        expect(wordsOf(html)).to.include(receiver.url).and.include('not called yet')
        const tab = kind === KINDS[2] ? '' : '/receive'
        const { text } = await endpoint.line.browser.get(endpoint.ownerPath + tab)
        expect(text).to.include(`href="${endpoint.path}"`)
      })

      it('saves its fields, and shows errors at the form, keeping the input', async () => {
        const { submit, path } = endpoint
        const optIn = kind === KINDS[2] ? 'lineDisconnected' : 'optOut'
        const url = `${receiver.url}/moved`
        expectSentTo(
          await submit('fields', { url, name: 'CRM', optInEvents: optIn }),
          `${path}?done=endpoint-saved`,
        )
        expect(await find(endpoint)).to.deep.include({ url, name: 'CRM', optInEvents: [optIn] })
        expect(await endpoint.page()).to.match(new RegExp(`value="${optIn}" checked`))
        await submit('fields', { url, name: '' })
        expect(await find(endpoint)).to.deep.include({ name: null, optInEvents: [] })

        for (const wrong of ['', 'ftp://x', 'http://10.1.2.3/events']) {
          const refused = await submit('fields', { url: wrong, name: 'Typed' })
          expectFault(refused, 400, /^Endpoint URL: /)
          expect(refused.text).to.include('value="Typed"')
          if (wrong !== '') expect(refused.text).to.include(`value="${wrong}"`)
          expect(refused.text, 'the browser shows that part').to.match(/role="alert"[^>]* autofocus/)
        }
        expect(await find(endpoint)).to.include({ url })
        const unknown = kind === KINDS[2] ? 'other' : 'lineDisconnected'
        expect((await submit('fields', { url, optInEvents: unknown })).status).to.equal(400)
      })

      it('can be deleted, which leads to its line or application', async () => {
        const { submit, line, path, ownerPath } = endpoint
        const [status, to] = redirectOf(await submit('delete'))
        expect([status, to?.startsWith(ownerPath)]).to.deep.equal([303, true])
        expect(await wordsAt(line.browser, to ?? '')).to.include('Endpoint deleted')
        expect((await line.browser.get(path)).status).to.equal(404)
        expect((await submit('fields', { url: receiver.url })).status).to.equal(404)
      })
    })
  }

  describe('of any kind', () => {
    const endpoint = forEachTest(() => openEndpoint(site))

    it('stays disabled if only its name changes', async () => {
      await endpoint.set({ disabled_at: new Date(), disabled_reason: 'failing' })
      await endpoint.submit('fields', { url: receiver.url, name: 'Other' })
      expect((await find(endpoint)).disabledAt).to.be.a('date')
    })

    it('hides the signing secret until the user requests it', async () => {
      const { line, page } = endpoint
      const secret = await endpoint.secret()
      expect(await page())
        .to.include('whsec_••••')
        .and.not.include(secret)
      const html = await page('?show=secret')
      expect(shownSecret(html)).to.equal(secret)
      expect(html).to.include('data-copy="secret"').and.not.include(line.token)
      expect(wordsOf(html)).not.to.include('The previous secret stays valid')
    })

    it('rotates the secret: the new one is shown at once, and the old one signs too for 24 hours', async () => {
      const { path, page, submit } = endpoint
      const before = await endpoint.secret()
      expectSentTo(await submit('rotate-secret'), `${path}?show=secret&done=secret-rotated#signing-secret`)
      const html = await page('?show=secret&done=secret-rotated')
      expect(shownSecret(html))
        .to.equal(await endpoint.secret())
        .and.not.equal(before)
      const until = /The previous secret stays valid until ([\d-]+ [\d:]+) UTC/.exec(wordsOf(html))?.[1] ?? ''
      expect((new Date(`${until}Z`).getTime() - Date.now()) / 3_600_000).to.be.within(23.9, 24)
      await submit('test-event')
      expect(receiver.requests.at(-1)?.headers['webhook-signature']).to.match(/^v1,\S+ v1,\S+$/)

      const fault =
        /^Current secret expires: the previous secret still works until .*, or end both immediately \(0\)$/
      expectFault(await submit('rotate-secret', { overlapSeconds: '86400' }), 409, fault)
      expect(await endpoint.secret()).to.equal(shownSecret(html))
    })

    it('rotates it once for a form that is sent twice, also for one that was made after a rotation', async () => {
      for (const [count, overlapSeconds] of [
        [1, '86400'],
        [2, '0'],
      ] as const) {
        const seen = seenIn(await endpoint.page(), 'rotate-secret')
        const send = async () => redirectOf(await endpoint.submit('rotate-secret', { seen, overlapSeconds }))
        expect(await send()).to.deep.equal(await send())
        const acts = context
          .db('audit_log')
          .where({ action: 'endpoint.secret.rotated', user_id: endpoint.line.userId })
        expect(await acts).to.have.length(count)
      }
    })

    it('does not rotate it from a page that was opened before another rotation, and says so', async () => {
      const seen = seenIn(await endpoint.page(), 'rotate-secret')
      await endpoint.submit('rotate-secret', { seen })
      const longAgo = context.db.raw(`secret_rotated_at - interval '2 minutes'`)
      await endpoint.set({ secret_rotated_at: longAgo })
      const secret = await endpoint.secret()
      expectFault(
        await endpoint.submit('rotate-secret', { seen }),
        409,
        /^The signing secret has changed since you opened this page/,
      )
      expect(await endpoint.secret()).to.equal(secret)
    })
  })

  it('leads from a deleted operational webhook to the others, and says that it is gone', async () => {
    const { browser } = await openLine()
    const [, path = ''] = redirectOf(
      await browser.submit('/console/settings/operational-webhooks', { url: receiver.url }),
    )
    const deleted = await browser.submit(`${path?.split('?')[0]}/delete`)
    expectSentTo(deleted, '/console/settings?done=endpoint-deleted#operational-webhooks')
  })

  for (const kind of KINDS.slice(0, 2)) {
    it(`says that the developer connection is off, and why an old form is refused: ${kind}`, async () => {
      const { line, submit, page } = await openEndpoint(site, kind)
      await line.submit('connection/disable')
      expect(wordsOf(await page()))
        .to.include('No events are sent while the developer connection is off')
        .and.not.include('Send test event')
      for (const form of ['test-event', 'send-held-events']) {
        expectFault(await submit(form), 409, /^This line's developer connection is off/)
      }
    })
  }
})
