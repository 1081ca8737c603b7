import { expect } from 'chai'
import { addLine } from '../../../src/domain/lines/lines.js'
import { messageBody, type TestLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { expectRefused, newNumber } from '../support.js'
import { createOwner, expectAnswer, expectProblem, serveApi, type Client } from './support.js'

const URL_A = 'http://127.0.0.1:9/events'
const URL_B = 'http://127.0.0.1:9/other?a=b'

describeWith('/v1/lines/{lineId}/connection', serveApi, (api) => {
  let line: TestLine
  let client: Client
  let path: string

  beforeEach(async () => {
    const owner = await createOwner(api)
    ;({ line, client } = owner)
    path = `${owner.path}/connection`
  })

  const unconnected = async () => {
    const { id } = await addLine(api.context, {
      userId: line.userId,
      number: newNumber(),
      carrierAccount: 'simulator',
    })
    return `/v1/lines/${id}/connection`
  }
  const connection = async () => expectAnswer(await client.get(path)) as Record<string, unknown>
  const change = async (body: Record<string, unknown>) => expectAnswer(await client.put(path, body))

  it('shows the URL, the health of its endpoint and the incoming webhook without its token', async () => {
    await change({ outgoingWebhookUrl: URL_A })
    const shown = await connection()
    expect(shown).to.deep.include({
      lineId: line.lineId,
      enabled: true,
      outgoingWebhookUrl: URL_A,
      endpoint: {
        id: (shown.endpoint as { id: string }).id,
        failingSince: null,
        consecutiveFailureCount: 0,
        disabledAt: null,
        disabledReason: null,
        pausedAt: null,
        pausedBy: null,
        previousSecretUntil: null,
      },
    })
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
      expect(await change({ outgoingWebhookUrl: URL_A })).to.include({
        enabled: true,
        outgoingWebhookUrl: URL_A,
      })
      expect(await change({ enabled: false })).to.include({ enabled: false, outgoingWebhookUrl: URL_A })
      expect(await change({ enabled: true })).to.include({ enabled: true, outgoingWebhookUrl: URL_A })
      expect(await change({ enabled: true, outgoingWebhookUrl: URL_B })).to.include({
        outgoingWebhookUrl: URL_B,
      })
      expect(await change({ outgoingWebhookUrl: null })).to.include({
        enabled: true,
        outgoingWebhookUrl: null,
      })
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
      expectProblem(await client.put(path, { optInEvents }), 400, /^optInEvents needs an outgoing/)
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
        expectProblem(await client.put(path, { enabled: false, optInEvents: [type] }), 400, detail)
      }
      for (const optInEvents of ['optOut', [5]]) {
        expectProblem(await client.put(path, { optInEvents }), 400, /^optInEvents must be a list/)
      }
      expect(await connection()).to.deep.include({ enabled: true, optInEvents: ['optOut'] })
    })

    it('answers 409 for a URL while the connection is disabled or being disabled', async () => {
      expectProblem(
        await client.put(path, { enabled: false, outgoingWebhookUrl: URL_A }),
        409,
        /outgoingWebhookUrl/,
      )
      expect(await connection()).to.include({ enabled: true, outgoingWebhookUrl: null })
      await change({ enabled: false })
      expectProblem(await client.put(path, { outgoingWebhookUrl: URL_A }), 409, /outgoingWebhookUrl/)
      expectProblem(
        await client.put(await unconnected(), { outgoingWebhookUrl: URL_A }),
        409,
        /Set enabled to true/,
      )
    })

    it('answers 409 for removing a URL while the connection is disabled', async () => {
      await change({ outgoingWebhookUrl: URL_A })
      await change({ enabled: false })
      expectProblem(await client.put(path, { outgoingWebhookUrl: null }), 409, /connection is off/)
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
        expectProblem(await client.put(path, body), 400, detail)
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
      expect(expectAnswer(await client.delete(path))).to.deep.include({
        enabled: false,
        incomingWebhook: null,
      })
      expectRefused(await api.web.post(line.webhookPath, messageBody()), 404, "URL doesn't exist")
      expect(await connection()).to.include({ enabled: false, outgoingWebhookUrl: URL_A })
    })
  })
})
