import { expect } from 'chai'
import { disableConnection, disconnect, enableConnection } from '../../../src/domain/lines/connections.js'
import { regenerateToken, removeIncomingWebhook } from '../../../src/domain/lines/incoming-webhooks.js'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { lineForEachTest, messageBody } from '../../helpers/factories.js'
import { ago, changeRows, UNLIMITED } from '../../domain/fixtures.js'
import { until } from '../../helpers/until.js'
import { describeWeb, joinWeb, type TestWeb } from '../../helpers/web/web.js'
import { expectAccepted, expectRefused, messagesOf, newNumber } from '../support.js'

/** `web` remembers rows: what one process changes must hold in every other from the next request on. */
describeWeb(
  'an incoming webhook that another process has changed',
  ({ context: elsewhere, web: otherWeb }) => {
    const { context, web } = joinWeb(elsewhere)
    const line = lineForEachTest(elsewhere, UNLIMITED)

    beforeEach(async () => {
      expectAccepted(await send())
      expect(context.incomingWebhooks.remembered(line.lineId)).not.to.equal(undefined)
    })

    const post = (body: unknown, token = line.token, to = web) =>
      to.post(`/webhooks/lineId/${line.lineId}?token=${token}`, body)
    const send = (toNumber = newNumber()) => post(messageBody({ toNumber }))
    const change = (fields: Record<string, unknown>) =>
      elsewhere.db('lines').where({ id: line.lineId }).update(fields)

    it('accepts nothing by an old token once its regeneration is answered, while both are busy', async () => {
      let current = line.token
      const accepted = { old: 0, afterwards: 0, new: 0 }
      let refused = 0
      let isOver = false
      const askOften = async (to: TestWeb) => {
        while (!isOver) {
          const [token, isOld] = [line.token, current !== line.token]
          const { status } = await post(messageBody({ toNumber: newNumber() }), token, to)
          if (status === 200) accepted[isOld ? 'afterwards' : 'old'] += 1
          else {
            expect(status).to.equal(403)
            refused += 1
          }
          if (isOld) {
            const answer = await post(messageBody({ toNumber: newNumber() }), current, to)
            expectAccepted(answer)
            accepted.new += 1
          }
        }
      }
      const asking = [web, otherWeb, web, otherWeb].map((to) => askOften(to))
      await until('both are busy', () => accepted.old > 50)
      current = (await regenerateToken(elsewhere, line.userId, line.lineId)).token
      await until('both have answered since', () => accepted.new > 50)
      isOver = true
      await Promise.all(asking)
      expect(accepted.afterwards).to.equal(0)
      expect(refused).to.be.greaterThan(25)
      const rows = await messagesOf(context, line.lineId)
      expect(rows).to.have.length(1 + accepted.old + accepted.new)
    })

    it('takes both tokens while they overlap, and only the new one after that', async () => {
      const { token } = await regenerateToken(elsewhere, line.userId, line.lineId, 3600)
      expectAccepted(await send())
      expectAccepted(await post(messageBody(), token))
      const over = { previous_token_until: ago(elsewhere, '1 second') }
      await changeRows(elsewhere, 'incoming_webhooks', { line_id: line.lineId }, over)
      expectRefused(await send(), 403, 'URL is invalid')
      expectAccepted(await post(messageBody(), token))
    })

    const closings: [how: string, close: () => Promise<unknown>, open?: () => Promise<unknown>][] = [
      ['deleted', () => removeIncomingWebhook(elsewhere, line.userId, line.lineId)],
      ['disconnected', () => disconnect(elsewhere, line.userId, line.lineId)],
      [
        'disabled with its connection',
        () => disableConnection(elsewhere, line.userId, line.lineId),
        () => enableConnection(elsewhere, line.userId, line.lineId),
      ],
      [
        'disabled with its line',
        () => setLineStatus(elsewhere, line.userId, line.lineId, 'disabled'),
        () => setLineStatus(elsewhere, line.userId, line.lineId, 'active'),
      ],
    ]
    for (const [how, close, open] of closings) {
      it(`and ${how} answers 404 before it judges the request, until that is undone`, async () => {
        await close()
        for (const body of [
          messageBody({ toNumber: newNumber() }),
          'no JSON',
          'x'.repeat(70_000),
          messageBody({ toNumber: 'nobody' }),
        ]) {
          expectRefused(await post(body), 404, "URL doesn't exist")
        }
        expectRefused(await post(messageBody(), 'wrong'), 404, "URL doesn't exist")
        expect(await messagesOf(context, line.lineId)).to.have.length(1)
        if (open === undefined) return
        await open()
        expectAccepted(await send())
      })
    }

    it('and has a new token tells it before it judges the request', async () => {
      await regenerateToken(elsewhere, line.userId, line.lineId)
      expectRefused(await post('no JSON'), 403, 'URL is invalid')
      expectRefused(await post(messageBody({ toNumber: 'nobody' })), 403, 'URL is invalid')
    })

    it('has the limits that its line has now', async () => {
      const number = newNumber()
      await change({ messages_per_number_per_minute: 1, messages_per_minute: 7 })
      const answer = await send(number)
      expectAccepted(answer)
      expect(answer.headers.get('ratelimit-policy')).to.equal('"number";q=1;w=60, "line";q=7;w=60')
      expectRefused(await send(number), 403, 'Rate limit exceeded')
      await change({ messages_per_number_per_minute: 2 })
      expectAccepted(await send(number))
    })

    it('tells what is left of the limits with what it refuses', async () => {
      await change({ messages_per_number_per_minute: 5, messages_per_minute: 9 })
      const answer = await post({ intent: 'message' })
      expectRefused(answer, 400, 'JSON body must contain data')
      expect(answer.headers.get('ratelimit-policy')).to.equal('"number";q=5;w=60, "line";q=9;w=60')
      expect(answer.headers.get('ratelimit')).to.match(/^"line";r=8;t=\d+$/)
    })

    it('sends to the countries that its line may send to now', async () => {
      await change({ allowed_countries: ['DE'] })
      expectRefused(await send(), 403, 'Destination is not allowed')
      expectAccepted(await send('+4915112345678'))
      await change({ allowed_countries: null })
      expectAccepted(await send())
    })

    it("reads numbers as its line's country writes them now", async () => {
      await change({ country: 'US' })
      expectAccepted(await send('(202) 555-0143'))
      await change({ country: 'DE' })
      expectAccepted(await send('0151 12345678'))
      await change({ country: 'US' })
      expectRefused(await send('0151 12345678'), 400, 'Provided toNumber phone number cannot be parsed')
      const rows = await messagesOf(context, line.lineId)
      expect(rows.map(({ to_number }) => to_number).slice(1)).to.deep.equal([
        '+12025550143',
        '+4915112345678',
      ])
    })

    it('does not accept its own number', async () => {
      const number = newNumber()
      await change({ number })
      expectRefused(await send(number), 403, 'Destination is not allowed')
    })
  },
)
