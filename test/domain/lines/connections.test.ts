import { expect } from 'chai'
import { findConnection } from '../../../src/database/lines/developer-connections.js'
import { getConnection } from '../../../src/domain/lines/connection-overview.js'
import {
  changeConnection,
  disableConnection,
  disconnect,
  enableConnection,
  setLineEndpointUrl,
} from '../../../src/domain/lines/connections.js'
import { regenerateToken, revealIncomingWebhook } from '../../../src/domain/lines/incoming-webhooks.js'
import { addLine } from '../../../src/domain/lines/lines.js'
import { revealSigningSecret } from '../../../src/domain/endpoints/signing-secrets.js'
import { addUser } from '../../../src/domain/people/users.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, lineForEachTest } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import { countWaitingForLocks, overlap } from '../fixtures.js'
import { refusal, expectRefusal } from '../refusal.js'

const URL_A = 'http://127.0.0.1:9/a'
const URL_B = 'http://127.0.0.1:9/b'
const NOT_ENABLED = {
  status: 409,
  message: "This line's developer connection is off. Enable it first",
}
const NO_CONNECTION = { status: 404, message: 'This line has no developer connection' }
const NO_LINE = { status: 404, message: 'No such line' }

describeContext('a developer connection', (context) => {
  let strangerId: string

  before(async () => {
    strangerId = (await addUser(context, { email: 'stranger@example.com' })).id
  })
  const line = lineForEachTest(context)

  const find = () => findConnection(context.db, line.userId, line.lineId)
  const setUrl = (url: string | undefined) => setLineEndpointUrl(context, line.userId, line.lineId, url)
  const secret = async () =>
    revealSigningSecret(context, { userId: line.userId }, (await find())?.endpointId ?? '')

  it('is not there before it is enabled', async () => {
    const { userId, lineId } = await unconnectedLine()
    expect(await findConnection(context.db, userId, lineId)).to.equal(undefined)
    await enableConnection(context, userId, lineId)
    expect(await findConnection(context.db, userId, lineId)).to.include({
      lineId,
      enabled: true,
      endpointId: null,
      outgoingWebhookUrl: null,
      endpointDisabledAt: null,
      endpointDisabledReason: null,
      hasIncomingWebhook: false,
    })
  })

  it('that is not there can neither be disabled nor disconnected, nor be given a URL', async () => {
    const { userId, lineId } = await unconnectedLine()
    expect(await refusal(disableConnection(context, userId, lineId))).to.deep.equal(NO_CONNECTION)
    expect(await refusal(disconnect(context, userId, lineId))).to.deep.equal(NO_CONNECTION)
    expect(await refusal(setLineEndpointUrl(context, userId, lineId, URL_A))).to.deep.equal(NOT_ENABLED)
  })

  it('may be enabled twice', async () => {
    await enableConnection(context, line.userId, line.lineId)
    expect(await find()).to.include({ enabled: true, hasIncomingWebhook: true })
  })

  it('rests while it is disabled, and is as before when it is enabled again', async () => {
    await setUrl(URL_A)
    const signingSecret = await secret()
    await disableConnection(context, line.userId, line.lineId)
    expect(await find()).to.include({ enabled: false, outgoingWebhookUrl: URL_A, hasIncomingWebhook: true })
    await enableConnection(context, line.userId, line.lineId)
    expect(await find()).to.include({ enabled: true, outgoingWebhookUrl: URL_A, hasIncomingWebhook: true })
    expect(await secret()).to.equal(signingSecret)
    expect(await revealIncomingWebhook(context, line.userId, line.lineId)).to.include({ token: line.token })
  })

  it('loses its incoming webhook when it is disconnected, and keeps its URL', async () => {
    await setUrl(URL_A)
    await disconnect(context, line.userId, line.lineId)
    expect(await find()).to.include({ enabled: false, outgoingWebhookUrl: URL_A, hasIncomingWebhook: false })
    await enableConnection(context, line.userId, line.lineId)
    expect(await find()).to.include({ enabled: true, hasIncomingWebhook: false })
  })

  describe('has an outgoing webhook URL', () => {
    it('that is set, changed and taken away', async () => {
      await setUrl(URL_A)
      expect(await find()).to.include({ outgoingWebhookUrl: URL_A })
      await setUrl(URL_B)
      expect(await find()).to.include({ outgoingWebhookUrl: URL_B })
      await setUrl(undefined)
      expect(await find()).to.include({ outgoingWebhookUrl: null, endpointId: null })
    })

    it('of the later of two changes, also if that is the one from before both', async () => {
      await setUrl(URL_A)
      const set = (outgoingWebhookUrl: string) => () =>
        changeConnection(context, line.userId, line.lineId, { outgoingWebhookUrl })
      expect(await overlap(context, set(URL_B), set(URL_A))).to.equal(undefined)
      expect(await find()).to.include({ outgoingWebhookUrl: URL_A })
    })

    it('whose signing secret is kept when the URL changes', async () => {
      await setUrl(URL_A)
      const signingSecret = await secret()
      expect(signingSecret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
      const before = await find()
      await setUrl(URL_B)
      expect(await secret()).to.equal(signingSecret)
      expect((await find())?.endpointId).to.equal(before?.endpointId)
    })

    it('of its own: no two lines share a signing secret', async () => {
      await setUrl(URL_A)
      const other = await createLine(context, { userId: line.userId, outgoingUrl: URL_A })
      expect(other.signingSecret).not.to.equal(await secret())
    })

    it('whose secret is nowhere in plain in the database', async () => {
      await setUrl(URL_A)
      const plain = await secret()
      const { rows } = await context.db.raw<{ rows: { row: string }[] }>(
        `select row_to_json(e)::text || encode(secret_sealed, 'escape') as row from endpoints e`,
      )
      for (const { row } of rows) expect(row).not.to.include(plain.replace('whsec_', ''))
    })

    for (const [what, begin] of [
      ['it changes', () => setUrl(URL_B)],
      ['the connection is enabled again', () => enableConnection(context, line.userId, line.lineId)],
    ] as const) {
      it(`that starts with a clean health when ${what}`, async () => {
        await setUrl(URL_A)
        await spoilHealth()
        expect(await find()).to.include({ endpointDisabledReason: 'failing' })
        await begin()
        expect(await health()).to.deep.equal({ since: null, count: 0, at: null, reason: null })
      })
    }

    it('only while the connection is enabled', async () => {
      await disableConnection(context, line.userId, line.lineId)
      expect(await refusal(setUrl(URL_A))).to.deep.equal(NOT_ENABLED)
      expect(await refusal(setUrl(undefined))).to.deep.equal(NOT_ENABLED)
    })

    for (const url of ['not a url', 'ftp://example.com/', 'http://10.0.0.1/', 'http://user:pw@127.0.0.1/']) {
      it(`that may be called, unlike ${url}`, async () => {
        await expectRefusal(setUrl(url), 400, /^url: ./)
        expect(await find()).to.include({ outgoingWebhookUrl: null })
      })
    }

    it('in one endpoint, also when it is set twice at the same moment', async () => {
      const other = await context.db.transaction()
      await other('developer_connections').where({ line_id: line.lineId }).forUpdate().select()
      const both = Promise.all([setUrl(URL_A), setUrl(URL_B)])
      await until('both have begun and wait', async () => (await countWaitingForLocks(context)) === 2)
      await other.commit()
      await both
      expect(await endpoint().select()).to.have.length(1)
    })
  })

  describe('as its owner sees it', () => {
    const see = (lineId = line.lineId) => getConnection(context, line.userId, lineId)

    it('is empty where there was none', async () => {
      const { lineId } = await unconnectedLine()
      expect(await see(lineId)).to.deep.equal({
        enabled: false,
        outgoingWebhookUrl: null,
        optInEvents: [],
        endpoint: null,
        incomingWebhook: null,
      })
    })

    it('has both webhooks, and how the endpoint fares', async () => {
      await setUrl(URL_A)
      const { incomingWebhook, ...rest } = await see()
      expect(rest).to.deep.equal({
        enabled: true,
        outgoingWebhookUrl: URL_A,
        optInEvents: [],
        endpoint: {
          id: (await find())?.endpointId,
          failingSince: null,
          consecutiveFailureCount: 0,
          disabledAt: null,
          disabledReason: null,
          pausedAt: null,
          pausedBy: null,
          previousSecretUntil: null,
        },
      })
      expect(incomingWebhook?.createdAt).to.be.a('date')
      expect(incomingWebhook).to.include({ regeneratedAt: null, previousTokenUntil: null })
      await spoilHealth()
      const { endpoint: spoilt } = await see()
      expect(spoilt).to.include({ consecutiveFailureCount: 7, disabledReason: 'failing' })
      expect([typeof spoilt?.failingSince, typeof spoilt?.disabledAt]).to.deep.equal(['object', 'object'])
    })

    it('says until when the token from before works too', async () => {
      await regenerateToken(context, line.userId, line.lineId, 60)
      const { incomingWebhook } = await see()
      expect(incomingWebhook?.regeneratedAt).to.be.a('date')
      expect(incomingWebhook!.previousTokenUntil!.getTime() - Date.now()).to.be.within(30_000, 60_000)
    })

    it('is hidden from everybody else', async () => {
      for (const [user, id] of [
        [strangerId, line.lineId],
        [line.userId, newId()],
      ] as const) {
        expect(await refusal(getConnection(context, user, id))).to.deep.equal(NO_LINE)
      }
    })
  })

  describe('of another user', () => {
    const asStranger: [string, (userId: string, lineId: string) => Promise<unknown>][] = [
      ['enabled', (u, l) => enableConnection(context, u, l)],
      ['disabled', (u, l) => disableConnection(context, u, l)],
      ['disconnected', (u, l) => disconnect(context, u, l)],
      ['given a URL', (u, l) => setLineEndpointUrl(context, u, l, URL_B)],
      ['robbed of its URL', (u, l) => setLineEndpointUrl(context, u, l, undefined)],
    ]
    for (const [what, act] of asStranger) {
      it(`cannot be ${what}`, async () => {
        await setUrl(URL_A)
        const before = await find()
        expect(await refusal(act(strangerId, line.lineId))).to.deep.equal(NO_LINE)
        expect(await find()).to.deep.equal(before)
      })
    }

    it('cannot be found, nor made where there was none', async () => {
      const { userId, lineId } = await unconnectedLine()
      for (const wrong of [lineId, newId()]) {
        expect(await refusal(enableConnection(context, strangerId, wrong))).to.deep.equal(NO_LINE)
      }
      expect(await findConnection(context.db, userId, lineId)).to.equal(undefined)
      expect(await findConnection(context.db, strangerId, line.lineId)).to.equal(undefined)
    })
  })

  async function unconnectedLine(): Promise<{ userId: string; lineId: string }> {
    const { userId } = line
    const number = line.number.replace('+1555', '+1556')
    const { id } = await addLine(context, { userId, number, carrierAccount: 'simulator' })
    return { userId, lineId: id }
  }

  const endpoint = () => context.db('endpoints').where({ user_id: line.userId })

  async function spoilHealth(): Promise<void> {
    await endpoint().update({
      failing_since: new Date(),
      consecutive_failure_count: 7,
      disabled_at: new Date(),
      disabled_reason: 'failing',
    })
  }

  async function health(): Promise<object> {
    return endpoint().first<object>({
      since: 'failing_since',
      count: 'consecutive_failure_count',
      at: 'disabled_at',
      reason: 'disabled_reason',
    })
  }
})
