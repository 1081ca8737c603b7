import { expect } from 'chai'
import { addLine } from '../../../src/domain/lines/lines.js'
import { messageBody } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { expectAccepted, expectRefused, newNumber } from '../support.js'
import { expectAnswer, expectProblem, ownerForEachTest, serveApi } from './support.js'

interface Shown {
  url: string
  token: string
}

const URL_A = 'http://127.0.0.1:9/events'
const URL_B = 'http://127.0.0.1:9/other?a=b'

const PUBLIC_URL = 'https://linehook.example'

const serve = () => serveApi({ PUBLIC_URL })

describeWith('/v1/lines/{lineId}/connection', serve, (api) => {
  const owner = ownerForEachTest(api)
  const { line, client } = owner

  const path = (below = '/connection') => owner.path + below
  const unconnected = async () => {
    const { id } = await addLine(api.context, {
      userId: line.userId,
      number: newNumber(),
      carrierAccount: 'simulator',
    })
    return `/v1/lines/${id}/connection`
  }
  const connection = async () => expectAnswer(await client.get(path())) as Record<string, unknown>
  const change = async (body: Record<string, unknown>) => expectAnswer(await client.put(path(), body))

  it('shows the URL, the health of its endpoint and the incoming webhook without its token', async () => {
    await change({ outgoingWebhookUrl: URL_A })
    const shown = await connection()
    expect(shown).to.include({ lineId: line.lineId, enabled: true, outgoingWebhookUrl: URL_A })
    expect(shown.endpoint).to.include({ failingSince: null, consecutiveFailureCount: 0, pausedBy: null })
    expect(shown.incomingWebhook).to.include({ regeneratedAt: null, previousTokenUntil: null })
    expect(JSON.stringify(shown)).not.to.include(line.token)
  })

  describe('PUT', () => {
    it('enables a line that was never connected, together with its URL', async () => {
      const never = await unconnected()
      const body = { enabled: true, outgoingWebhookUrl: URL_A }
      const answer = expectAnswer(await client.put(never, body))
      expect(answer).to.include(body)
      expect(expectAnswer(await client.get(never))).to.deep.equal(answer)
    })

    it('changes the given fields, and leaves the others', async () => {
      for (const [body, expected] of [
        [{ outgoingWebhookUrl: URL_A }, { enabled: true, outgoingWebhookUrl: URL_A }],
        [{ enabled: false }, { enabled: false, outgoingWebhookUrl: URL_A }],
        [{ enabled: true }, { enabled: true, outgoingWebhookUrl: URL_A }],
        [
          { enabled: true, outgoingWebhookUrl: URL_B },
          { enabled: true, outgoingWebhookUrl: URL_B },
        ],
        [{ outgoingWebhookUrl: null }, { enabled: true, outgoingWebhookUrl: null }],
      ] as const) {
        expect(await change(body)).to.include(expected)
      }
    })

    it('may be repeated, and accepts what GET returns for an enabled or an empty connection', async () => {
      for (const body of [
        { enabled: true, outgoingWebhookUrl: URL_A },
        { enabled: false, outgoingWebhookUrl: null },
      ]) {
        const first = await change(body)
        expect(await change(body)).to.deep.equal(first)
        const { enabled, outgoingWebhookUrl } = await connection()
        expect({ enabled, outgoingWebhookUrl }).to.deep.equal(body)
      }
      expect(expectAnswer(await client.put(await unconnected(), { enabled: false }))).to.include({
        enabled: false,
      })
    })

    it('enables a disabled endpoint', async () => {
      await change({ outgoingWebhookUrl: URL_A })
      await api.context.db('endpoints').where({ user_id: line.userId }).update({
        disabled_at: new Date(),
        disabled_reason: 'gone',
      })
      expect((await connection()).endpoint).to.include({ disabledReason: 'gone' })
      await change({ enabled: true })
      expect((await connection()).endpoint).to.include({ disabledReason: null, disabledAt: null })
    })

    it('chooses the additional events that the URL gets', async () => {
      const optInEvents = ['messageStatus', 'optOut']
      expectProblem(await client.put(path(), { optInEvents }), 400, /^optInEvents needs an outgoing/)
      expect(await change({ outgoingWebhookUrl: URL_A, optInEvents })).to.deep.include({ optInEvents })
      expect(await change({ outgoingWebhookUrl: null })).to.deep.include({ optInEvents })
      expect(await change({ optInEvents: ['optOut', 'optOut'] })).to.deep.include({ optInEvents: ['optOut'] })
      expect(await change({ optInEvents: [] })).to.deep.include({ optInEvents: [] })
    })

    it('refuses events that a line does not have, and lists those it has', async () => {
      await change({ outgoingWebhookUrl: URL_A, optInEvents: ['optOut'] })
      for (const [type, detail] of [
        ['lineDisconnected', /messageStatus, optOut, missedCall \(lineDisconnected is for applications\)/],
        ['inboundText', /^optInEvents can contain only messageStatus, optOut, missedCall$/],
      ] as const) {
        expectProblem(await client.put(path(), { enabled: false, optInEvents: [type] }), 400, detail)
      }
      for (const optInEvents of ['optOut', [5]]) {
        expectProblem(await client.put(path(), { optInEvents }), 400, /^optInEvents must be a list/)
      }
      expect(await connection()).to.deep.include({ enabled: true, optInEvents: ['optOut'] })
    })

    it('answers 409 for a URL while the connection is disabled or being disabled', async () => {
      expectProblem(
        await client.put(path(), { enabled: false, outgoingWebhookUrl: URL_A }),
        409,
        /outgoingWebhookUrl/,
      )
      expect(await connection()).to.include({ enabled: true, outgoingWebhookUrl: null })
      await change({ enabled: false })
      expectProblem(await client.put(path(), { outgoingWebhookUrl: URL_A }), 409, /outgoingWebhookUrl/)
      expectProblem(
        await client.put(await unconnected(), { outgoingWebhookUrl: URL_A }),
        409,
        /Set enabled to true/,
      )
    })

    it('answers 409 for removing a URL while the connection is disabled', async () => {
      await change({ outgoingWebhookUrl: URL_A })
      await change({ enabled: false })
      expectProblem(await client.put(path(), { outgoingWebhookUrl: null }), 409, /connection is off/)
    })

    for (const [what, body, detail] of [
      ['nothing', {}, /enabled, outgoingWebhookUrl/],
      ['no body', undefined, /enabled, outgoingWebhookUrl/],
      ['"true"', { enabled: 'true' }, /enabled must be true or false/],
      ['null for enabled', { enabled: null }, /enabled/],
      ['a number for a URL', { outgoingWebhookUrl: 7 }, /outgoingWebhookUrl must be a URL/],
      ['no URL', { outgoingWebhookUrl: 'example' }, /outgoingWebhookUrl: .*not a URL/],
      ['an empty URL', { outgoingWebhookUrl: '' }, /outgoingWebhookUrl: /],
    ] as const) {
      it(`refuses ${what}, and changes nothing`, async () => {
        await change({ enabled: true, outgoingWebhookUrl: URL_A })
        const before = await connection()
        expectProblem(await client.put(path(), body), 400, detail)
        expect(await connection()).to.deep.equal(before)
      })
    }

    it('does not enable the connection if the URL in the same request is refused', async () => {
      const never = await unconnected()
      const body = { enabled: true, outgoingWebhookUrl: 'ftp://example.com' }
      expectProblem(await client.put(never, body), 400, /outgoingWebhookUrl/)
      expect(expectAnswer(await client.get(never))).to.include({ enabled: false })
    })
  })

  describe('DELETE', () => {
    it('disconnects and deletes the incoming webhook', async () => {
      await change({ outgoingWebhookUrl: URL_A })
      expect(expectAnswer(await client.delete(path()))).to.deep.include({
        enabled: false,
        incomingWebhook: null,
      })
      expectRefused(await api.web.post(line.webhookPath, messageBody()), 404, "URL doesn't exist")
      expect(await connection()).to.include({ enabled: false, outgoingWebhookUrl: URL_A })
    })
  })

  describe('/incoming-webhook', () => {
    const at = (below = '') => path(`/incoming-webhook${below}`)
    const send = (url: string) =>
      api.web.post(url.replace(PUBLIC_URL, ''), messageBody({ toNumber: newNumber() }))

    it('GET shows the URL with its token', async () => {
      const shown = expectAnswer(await client.get(at())) as Shown
      expect(shown).to.deep.equal({ url: PUBLIC_URL + line.webhookPath, token: line.token })
      expectAccepted(await send(shown.url))
    })

    it('DELETE deletes it at any time, and it can then be created again', async () => {
      expect(expectAnswer(await client.delete(at()))).to.deep.include({
        enabled: true,
        incomingWebhook: null,
      })
      expectRefused(await send(line.webhookPath), 404, "URL doesn't exist")
      expectProblem(await client.get(at()), 404, /no incoming webhook. Create one/)
      expectProblem(await client.delete(at()), 404, /no incoming webhook/)
      expectProblem(await client.post(at('/regenerate')), 404, /no incoming webhook/)

      const created = expectAnswer(await client.post(at())) as Shown
      expect(created.token).not.to.equal(line.token)
      expectAccepted(await send(created.url))
      expect(expectAnswer(await client.get(at()))).to.deep.equal(created)
    })

    it('POST answers 409 if one exists, and while the connection is disabled', async () => {
      expectProblem(await client.post(at()), 409, /Regenerate/)
      await client.delete(path())
      expectProblem(await client.post(at()), 409, /connection is off/)
    })

    describe('/regenerate', () => {
      it('returns a new token and revokes the old one immediately', async () => {
        for (const body of [undefined, '', {}, { overlapSeconds: 0 }]) {
          const before = expectAnswer(await client.get(at())) as Shown
          const after = expectAnswer(await client.post(at('/regenerate'), body)) as Shown
          expect(after.token).not.to.equal(before.token)
          expectRefused(await send(before.url), 403, 'URL is invalid')
          expectAccepted(await send(after.url))
        }
      })

      it('keeps the old token valid for the requested time', async () => {
        const before = expectAnswer(await client.get(at())) as Shown
        const after = expectAnswer(await client.post(at('/regenerate'), { overlapSeconds: 3600 })) as Shown
        for (const { url } of [before, after]) expectAccepted(await send(url))
        const { incomingWebhook } = (await connection()) as {
          incomingWebhook: { previousTokenUntil: string }
        }
        expect(Date.parse(incomingWebhook.previousTokenUntil) - Date.now()).to.be.closeTo(3_600_000, 60_000)
      })

      for (const overlapSeconds of [86_401, '60', null, [60]]) {
        it(`refuses overlapSeconds ${JSON.stringify(overlapSeconds)}, and keeps the token`, async () => {
          expectProblem(await client.post(at('/regenerate'), { overlapSeconds }), 400, /overlapSeconds/)
          expectAccepted(await send(line.webhookPath))
        })
      }
    })
  })
})
