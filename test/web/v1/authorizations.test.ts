import { expect } from 'chai'
import { authorizeLines } from '../../../src/domain/applications/authorizations.js'
import { createApplication } from '../../domain/applications/applications.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { createOwner, expectAnswer, expectProblem, serveApi, type Client } from './support.js'

for (const word of ['line', 'burner']) {
  const serve = () => serveApi({ PRODUCT_WORD: word })

  describeWith(`/v1/authorized-applications (${word})`, serve, (api) => {
    let client: Client
    let lines: TestLine[]
    let applicationId: string

    beforeEach(async () => {
      const owner = await createOwner(api, { name: 'Shop' })
      const { userId } = owner.line
      client = owner.client
      lines = [owner.line, await createLine(api.context, { userId })]
      applicationId = (await createApplication(api.context)).id
      await authorizeLines(api.context, {
        applicationId,
        userId,
        lineIds: lines.map(({ lineId }) => lineId),
        scopes: ['messages:connect', 'lines:read'],
      })
    })

    const path = (lineId = '') =>
      `/v1/authorized-applications/${applicationId}${lineId === '' ? '' : `/${word}s/${lineId}`}`
    const lineIds = (answer: unknown) =>
      (answer as Record<string, { id: string }[]>[]).flatMap((each) =>
        (each[`connected_${word}s`] ?? []).map(({ id }) => id),
      )

    it('are listed with the lines and permissions they have', async () => {
      const [application, ...others] = expectAnswer(
        await client.get('/v1/authorized-applications'),
      ) as Record<string, unknown>[]
      expect(others).to.deep.equal([])
      expect(application).to.include({ id: applicationId, name: 'Auto Reply', ownerName: 'Grace' })
      const [first] = application![`connected_${word}s`] as object[]
      expect(first).to.deep.include({
        id: lines[0]?.lineId,
        name: 'Shop',
        phoneNumber: lines[0]?.number,
        scopes: ['messages:connect', `${word}s:read`],
        lastSentAt: null,
        lastReceivedAt: null,
      })
    })

    it('can be disconnected from one line, and from all', async () => {
      const [first, second] = lines.map(({ lineId }) => lineId)
      expect(lineIds(expectAnswer(await client.delete(path(first))))).to.deep.equal([second])
      expectProblem(await client.delete(path(first)), 404, /No such line/)
      expectProblem(await client.delete(path('x')), 404, /No such line/)
      expect(expectAnswer(await client.delete(path()))).to.deep.equal([])
      expectProblem(await client.delete(path()), 404, /No such application/)
    })
  })
}
