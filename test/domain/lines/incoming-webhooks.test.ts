import { expect } from 'chai'
import { disableConnection, disconnect, enableConnection } from '../../../src/domain/lines/connections.js'
import {
  createIncomingWebhook,
  isTokenOf,
  regenerateToken,
  removeIncomingWebhook,
  revealIncomingWebhook,
} from '../../../src/domain/lines/incoming-webhooks.js'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { addUser } from '../../../src/domain/people/users.js'
import { newId } from '../../../src/ids.js'
import { sha256 } from '../../../src/secrets.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, lineForEachTest } from '../../helpers/factories.js'
import { expectRefusal, refusal } from '../refusal.js'
import { ago, changeRows } from '../fixtures.js'
import { failure } from '../../helpers/failure.js'

const NO_WEBHOOK = { status: 404, message: 'This line has no incoming webhook. Create one first' }
const NO_LINE = { status: 404, message: 'No such line' }
const NOT_ENABLED = {
  status: 409,
  message: "This line's developer connection is off. Enable it first",
}

const environment = { PUBLIC_URL: 'https://hooks.example.com/base/' }

describeContext('an incoming webhook', { environment }, (context) => {
  let strangerId: string

  before(async () => {
    strangerId = (await addUser(context, { email: 'stranger@example.com' })).id
  })
  const line = lineForEachTest(context)

  const open = (lineId = line.lineId) => context.batched.findOpenIncomingWebhook(lineId)
  const reveal = () => revealIncomingWebhook(context, line.userId, line.lineId)
  const regenerate = (overlapSeconds?: number) =>
    regenerateToken(context, line.userId, line.lineId, overlapSeconds)

  async function opens(token: string): Promise<boolean> {
    const webhook = await open()
    return webhook !== undefined && isTokenOf(webhook, sha256(token))
  }

  it('has a URL below the public one, with the line and 256 random bits', async () => {
    const shown = await reveal()
    expect(shown?.token).to.match(/^[A-Za-z0-9_-]{43}$/)
    expect(shown?.url).to.equal(
      `https://hooks.example.com/base/webhooks/lineId/${line.lineId}?token=${shown!.token}`,
    )
    expect(shown?.token).to.equal(line.token)
  })

  it('is opened by its token and nothing else', async () => {
    expect(await opens(line.token)).to.equal(true)
    const other = await createLine(context)
    for (const wrong of ['', line.token.slice(1), `${line.token} `, line.token.toLowerCase(), other.token]) {
      expect(await opens(wrong)).to.equal(false)
    }
  })

  it('is open for its line’s id in capitals too, and not for an unknown id', async () => {
    expect((await open(line.lineId.toUpperCase()))?.lineId).to.equal(line.lineId)
    expect(await open(newId())).to.equal(undefined)
  })

  it('knows what its first checks need', async () => {
    expect(await open()).to.deep.include({
      lineId: line.lineId,
      userId: line.userId,
      lineNumber: line.number,
      allowedCountries: null,
      previousTokenHash: null,
      numberLimit: 5,
      lineLimit: 30,
      lineUsed: 0,
      lineOpensMs: 0,
    })
  })

  it('is one a line', async () => {
    const refused = createIncomingWebhook(context, line.userId, line.lineId)
    await expectRefusal(
      refused,
      409,
      'This line already has an incoming webhook. Regenerate its token or delete it',
    )
    expect(await opens(line.token)).to.equal(true)
  })

  it('is made once by two requests at the same moment', async () => {
    await removeIncomingWebhook(context, line.userId, line.lineId)
    const results = await Promise.allSettled([
      createIncomingWebhook(context, line.userId, line.lineId),
      createIncomingWebhook(context, line.userId, line.lineId),
    ])
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(made).to.have.length(1)
    expect(await opens(made[0]!.token)).to.equal(true)
  })

  it('is closed while its connection is disabled, and open again after', async () => {
    await disableConnection(context, line.userId, line.lineId)
    expect(await open()).to.equal(undefined)
    await enableConnection(context, line.userId, line.lineId)
    expect(await opens(line.token)).to.equal(true)
  })

  it('is closed while its line is disabled', async () => {
    await setLineStatus(context, line.userId, line.lineId, 'disabled')
    expect(await open()).to.equal(undefined)
  })

  it('cannot be made while the connection is not enabled', async () => {
    await disconnect(context, line.userId, line.lineId)
    expect(await refusal(createIncomingWebhook(context, line.userId, line.lineId))).to.deep.equal(NOT_ENABLED)
  })

  it('is gone when it is deleted, and the next one has another token', async () => {
    await removeIncomingWebhook(context, line.userId, line.lineId)
    expect(await open()).to.equal(undefined)
    expect(await refusal(removeIncomingWebhook(context, line.userId, line.lineId))).to.deep.equal(NO_WEBHOOK)
    expect(await refusal(regenerate())).to.deep.equal(NO_WEBHOOK)
    const next = await createIncomingWebhook(context, line.userId, line.lineId)
    expect(next.token).not.to.equal(line.token)
    expect(await opens(line.token)).to.equal(false)
  })

  it('can be given a new token or deleted at any time, also while the connection rests', async () => {
    await disableConnection(context, line.userId, line.lineId)
    const { token } = await regenerate()
    expect((await reveal())?.token).to.equal(token)
    await removeIncomingWebhook(context, line.userId, line.lineId)
    expect(await reveal()).to.equal(undefined)
  })

  describe('with a new token', () => {
    it('is not opened by the old one any more', async () => {
      const { token } = await regenerate()
      expect(token).not.to.equal(line.token)
      expect([await opens(line.token), await opens(token)]).to.deep.equal([false, true])
      expect((await reveal())?.token).to.equal(token)
    })

    it('is opened by both while they overlap', async () => {
      const { token } = await regenerate(60)
      expect([await opens(line.token), await opens(token)]).to.deep.equal([true, true])
      const over = { previous_token_until: ago(context, '1 second') }
      await changeRows(context, 'incoming_webhooks', { line_id: line.lineId }, over)
      expect([await opens(line.token), await opens(token)]).to.deep.equal([false, true])
    })

    it('is still opened by the old one after a repeat, which is refused', async () => {
      const { token: second } = await regenerate(60)
      await expectRefusal(
        regenerate(60),
        409,
        /^overlapSeconds: the previous token still works until \d{4}-\S+ \d\d:\d\d UTC, .*, or end both immediately \(0\)$/,
      )
      expect([await opens(line.token), await opens(second)]).to.deep.equal([true, true])
    })

    it('without an overlap ends an overlap that lasts', async () => {
      const { token: second } = await regenerate(60)
      await regenerate()
      expect([await opens(line.token), await opens(second)]).to.deep.equal([false, false])
    })

    for (const seconds of [0, 1, 86_400]) {
      it(`may overlap for ${seconds} s`, async () => {
        await regenerate(seconds)
        const { regenerated_at: at, previous_token_until: until } = await context
          .db('incoming_webhooks')
          .where({ line_id: line.lineId })
          .first<{ regenerated_at: Date; previous_token_until: Date | null }>()
        expect(until && until.getTime() - at.getTime()).to.equal(seconds === 0 ? null : seconds * 1000)
        // A second may be over on a busy machine.
        if (seconds !== 1) expect(await opens(line.token)).to.equal(seconds > 0)
      })
    }

    for (const seconds of [-1, 0.5, 86_401, Number.NaN, Number.POSITIVE_INFINITY]) {
      it(`may not overlap for ${seconds} s`, async () => {
        await expectRefusal(regenerate(seconds), 400, 'overlapSeconds must be a whole number from 0 to 86400')
        expect(await opens(line.token)).to.equal(true)
      })
    }
  })

  describe('keeps its token', () => {
    it('as a hash and sealed, and in plain in no column', async () => {
      await regenerate(60)
      const { token } = (await reveal())!
      const row = await context
        .db('incoming_webhooks')
        .where({ line_id: line.lineId })
        .first<Record<string, unknown> & { token_hash: Buffer; token_sealed: Buffer }>()
      expect(row.token_hash.equals(sha256(token))).to.equal(true)
      for (const value of Object.values(row)) {
        const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value))
        for (const plain of [token, line.token]) {
          expect(bytes.includes(plain)).to.equal(false)
          expect(bytes.includes(Buffer.from(plain, 'base64url'))).to.equal(false)
        }
      }
    })

    it('sealed to its line: copied to another line it does not open', async () => {
      const other = await createLine(context, { userId: line.userId })
      await context.db.raw(
        `update incoming_webhooks set token_sealed = (select token_sealed from incoming_webhooks where line_id = ?)
         where line_id = ?`,
        [line.lineId, other.lineId],
      )
      await failure(revealIncomingWebhook(context, other.userId, other.lineId))
      expect((await reveal())?.token).to.equal(line.token)
    })
  })

  describe('of another user', () => {
    it('cannot be shown', async () => {
      expect(await revealIncomingWebhook(context, strangerId, line.lineId)).to.equal(undefined)
    })

    it('cannot be made, given a new token or deleted', async () => {
      expect(await refusal(regenerateToken(context, strangerId, line.lineId))).to.deep.equal(NO_LINE)
      expect(await refusal(removeIncomingWebhook(context, strangerId, line.lineId))).to.deep.equal(NO_LINE)
      expect(await opens(line.token)).to.equal(true)
      await removeIncomingWebhook(context, line.userId, line.lineId)
      expect(await refusal(createIncomingWebhook(context, strangerId, line.lineId))).to.deep.equal(NO_LINE)
      expect(await open()).to.equal(undefined)
    })
  })
})
