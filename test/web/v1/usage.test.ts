import { expect } from 'chai'
import { noteCharges } from '../../../src/database/messages/charges.js'
import { setMonthlyCap } from '../../../src/domain/messages/spending/monthly-caps.js'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import { queueMessage } from '../../domain/fixtures.js'
import { createLine, messageBody, type TestLine } from '../../helpers/factories.js'
import { lowestIdAt } from '../../helpers/lowest-id.js'
import { describeWith } from '../../helpers/suite.js'
import { clientOf, expectAnswer, expectProblem, ownerForEachTest, serveApi } from './support.js'

describeWith(
  '/v1/usage',
  () => serveApi(),
  (api) => {
    const { line, client } = ownerForEachTest(api)
    let other: TestLine
    const month = new Date().toISOString().slice(0, 7)

    beforeEach(async () => {
      other = await createLine(api.context, { userId: line.userId })
      for (const each of [line, other]) {
        const id = await queueMessage(api.context, each, {
          ...{ status: 'sent', sent_at: new Date(), handed_over_at: new Date(), segment_count: 2 },
        })
        await noteCharges(api.context.db, [{ id, price: '0.01580', currency: 'USD', segmentCount: 3 }])
      }
    })

    const usageOf = ({ lineId }: TestLine) => ({
      ...{ month, lineId, messageCount: 1, segmentCount: 3, carrierSegmentCount: 3 },
      prices: [{ currency: 'USD', amount: '0.0158', messageCount: 1 }],
    })

    it('returns what each line sent and what it cost, by month', async () => {
      expect(expectAnswer(await client.get('/v1/usage'))).to.deep.equal([usageOf(line), usageOf(other)])
      const ofOne = await client.get(`/v1/usage?lineId=${other.lineId}&from=${month}&until=${month}`)
      expect(expectAnswer(ofOne)).to.deep.equal([usageOf(other)])
      expect(expectAnswer(await client.get('/v1/usage?from=2025-01&until=2025-02'))).to.deep.equal([])
      expectProblem(await client.get('/v1/usage?from=November'), 400, /^from must be a month/)
    })

    it('counts a message that was rescheduled for months, whatever span is asked for', async () => {
      const old = lowestIdAt(new Date(Date.now() - 80 * 24 * 60 * 60 * 1000))
      const fresh = await queueMessage(api.context, line, {
        ...{ status: 'sent', sent_at: new Date(), handed_over_at: new Date(), segment_count: 1 },
      })
      await api.context.db('messages').where({ id: fresh }).update({ id: old })
      const counted = async (span: string) => {
        const rows = expectAnswer(await client.get(`/v1/usage?lineId=${line.lineId}${span}`))
        return (rows as { messageCount: number }[]).map(({ messageCount }) => messageCount)
      }
      expect(await counted('')).to.deep.equal([2])
      expect(await counted(`&from=${month}&until=${month}`)).to.deep.equal([2])
    })

    it('returns CSV with a row for each currency', async () => {
      const { text, headers } = await client.get('/v1/usage', { Accept: 'text/csv' })
      expect(headers.get('content-type')).to.match(/^text\/csv/)
      const [head, ...rows] = text.trim().split('\n')
      expect(head).to.equal(
        'month,lineId,messageCount,segmentCount,carrierSegmentCount,currency,price,pricedMessageCount',
      )
      expect(rows[0]).to.equal(`${month},${line.lineId},1,3,3,USD,0.0158,1`)
      expect(rows).to.have.length(2)
    })

    it('is limited to the line of a token', async () => {
      const { token } = await createApiToken(api.context, line.userId, 'of one', { lineId: other.lineId })
      const ofOne = clientOf(api.web, token)
      expect(expectAnswer(await ofOne.get('/v1/usage'))).to.deep.equal([usageOf(other)])
      expectProblem(await ofOne.get(`/v1/usage?lineId=${line.lineId}`), 404, /^No such line/)
    })

    it('shows caps beside limits, and refuses a webhook over a cap with 429 until the month is over', async () => {
      await setMonthlyCap(
        api.context,
        { of: 'line', id: line.lineId, userId: line.userId },
        { amount: '0.0158', currency: 'USD' },
      )
      const { monthlyCaps } = expectAnswer(await client.get(`/v1/lines/${line.lineId}/limits`)) as {
        monthlyCaps: object[]
      }
      const [cap] = monthlyCaps
      expect(cap).to.include({ of: 'line', amount: '0.0158', currency: 'USD', spent: '0.01580' })
      expect(cap).to.include({ isNear: true, isUsedUp: true })
      const refused = await api.web.post(line.webhookPath, messageBody())
      expect(refused.status).to.equal(429)
      expect((refused.body as { error: string }).error).to.match(
        /^Monthly spending cap reached: 0\.0158 USD for this line, resets on \d{4}-\d\d-01 \(UTC\)$/,
      )
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 31 * 86_400)
    })
  },
)
