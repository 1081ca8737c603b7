import { expect } from 'chai'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { ANNA, BEN, CLEO, inboundText } from '../../domain/fixtures.js'
import type { TestLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { createOwner, expectAnswer, expectProblem, serveApi, type Client } from './support.js'

const serve = () => serveApi({ PUBLIC_URL: 'https://linehook.example' })

describeWith('/v1/lines/{lineId}/opt-outs', serve, (api) => {
  let line: TestLine
  let client: Client
  let path: string

  beforeEach(async () => {
    const owner = await createOwner(api)
    ;({ line, client } = owner)
    path = `${owner.path}/opt-outs`
  })

  const text = (fromNumber: string, words: string) =>
    receiveMessage(
      api.context,
      inboundText(line, { fromNumber, content: { type: 'inboundText', text: words } }),
    )
  const numbers = async (query = '') =>
    (expectAnswer(await client.get(path + query)) as { number: string }[]).map(({ number }) => number)

  it('lists the numbers that have opted out, with the time, until they opt in again', async () => {
    expect(await numbers()).to.deep.equal([])
    for (const number of [BEN, ANNA]) await text(number, 'STOP')
    await text(CLEO, 'Hello')
    const [first, ...others] = expectAnswer(await client.get(path)) as Record<string, string>[]
    expect(others).to.have.length(1)
    expect(first).to.have.all.keys('number', 'optedOutAt').and.include({ number: ANNA })
    expect(Date.parse(first!.optedOutAt!)).to.be.within(Date.now() - 60_000, Date.now() + 1000)
    await text(ANNA, 'START')
    expect(await numbers()).to.deep.equal([BEN])
  })

  it('is paginated', async () => {
    for (const number of [CLEO, ANNA, BEN]) await text(number, 'STOP')
    const answer = await client.get(`${path}?limit=2`)
    expect(answer.headers.get('link')).to.equal(
      `<https://linehook.example${path}?limit=2&after=${encodeURIComponent(BEN)}>; rel="next"`,
    )
    const last = await client.get(`${path}?limit=2&after=${encodeURIComponent(BEN)}`)
    expect(last.headers.get('link')).to.equal(null)
    expect(await numbers(`?limit=2&after=${BEN}`)).to.deep.equal([CLEO])
    expectProblem(await client.get(`${path}?limit=0`), 400, /^limit must be/)
  })

  it('offers no way to undo an opt-out', async () => {
    await text(ANNA, 'STOP')
    for (const method of ['DELETE', 'POST', 'PUT']) {
      expect((await client.ask(method, path)).status, method).to.equal(405)
    }
    expect(await numbers()).to.deep.equal([ANNA])
  })
})
