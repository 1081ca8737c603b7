import { expect } from 'chai'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { ANNA, BEN, CLEO, inboundText } from '../../domain/fixtures.js'
import { createLine, messageBody } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { newNumber } from '../support.js'
import { expectAnswer, expectProblem, ownerForEachTest, serveApi } from './support.js'

const serve = () => serveApi({ PUBLIC_URL: 'https://linehook.example' })

describeWith('/v1/lines', serve, (api) => {
  const owner = ownerForEachTest(api, { name: 'Shop' })
  const { line, client } = owner

  const path = (below = '') => owner.path + below
  const idsOf = async (query: string) =>
    (expectAnswer(await client.get(`/v1/lines${query}`)) as { id: string }[]).map(({ id }) => id)

  it('lists the user’s lines, oldest first, as a plain array', async () => {
    const second = await createLine(api.context, { userId: line.userId, name: 'Home' })
    await createLine(api.context)
    expect(expectAnswer(await client.get('/v1/lines'))).to.deep.equal([
      {
        id: line.lineId,
        name: 'Shop',
        phoneNumber: line.number,
        senderKind: 'number',
        status: 'active',
        isConnected: true,
        messagesPerNumberPerMinute: 5,
        messagesPerMinute: 30,
        allowedCountries: null,
        pausedAt: null,
        pausedBy: null,
        pausedCountries: [],
        lastActivityAt: null,
      },
      expectAnswer(await client.get(`/v1/lines/${second.lineId}`)),
    ])
  })

  it('filters by id, phoneNumber and name', async () => {
    const second = await createLine(api.context, { userId: line.userId, name: 'Home & Garden' })
    const both = [line.lineId, second.lineId]
    for (const [query, expected] of [
      ['', both],
      ['?id=&name=&phoneNumber=', both],
      ['?unknown=7', both],
      [`?id=${second.lineId}`, [second.lineId]],
      [`?lineId=${second.lineId.toUpperCase()}`, [second.lineId]],
      [`?lineId=${second.lineId}&id=${line.lineId}`, []],
      ['?name=Home%20%26%20Garden', [second.lineId]],
      [`?phoneNumber=${encodeURIComponent(second.number)}`, [second.lineId]],
      [`?phoneNumber=${second.number}`, [second.lineId]],
      [`?name=Shop&id=${second.lineId}`, []],
    ] as const) {
      expect(await idsOf(query), query).to.deep.equal(expected)
    }
  })

  for (const [query, detail] of [
    ['?id=7', /^id must be an ID/],
    ['?lineId=7', /^lineId must be an ID/],
    ['?id=a&id=b', /^id can be given only once/],
    ['?name=a&name=b', /^name can be given only once/],
    ['?phoneNumber=nobody%20at%20all', /^phoneNumber must be a phone number/],
    ['?id=7&phoneNumber=nobody%20at%20all', /id must .*; phoneNumber must |phoneNumber must .*; id must /],
  ] as const) {
    it(`refuses ${query}`, async () => {
      expectProblem(await client.get(`/v1/lines${query}`), 400, detail)
    })
  }

  it('shows when a line was last active', async () => {
    await api.web.post(line.webhookPath, messageBody({ toNumber: newNumber() }))
    const { lastActivityAt } = expectAnswer(await client.get(path())) as { lastActivityAt: string }
    expect(Date.parse(lastActivityAt)).to.be.closeTo(Date.now(), 60_000)
  })

  describe('PUT', () => {
    it('renames a line and returns it', async () => {
      const renamed = expectAnswer(await client.put(path(), { name: ' <b>Büro</b> 1 ' }))
      expect(renamed).to.include({ id: line.lineId, name: '<b>Büro</b> 1' })
      expect(expectAnswer(await client.get(path()))).to.deep.equal(renamed)
    })

    for (const [what, body] of Object.entries({
      'no body': undefined,
      'no name': {},
      'a name that is none': { name: 7 },
      null: { name: null },
      'an empty name': { name: '' },
    })) {
      it(`refuses ${what}`, async () => {
        expectProblem(await client.put(path(), body), 400, /\bname\b/)
        expect(expectAnswer(await client.get(path()))).to.have.property('name', 'Shop')
      })
    }

    it('accepts the name in the query, as clients of the original send it, and returns all lines', async () => {
      const second = await createLine(api.context, { userId: line.userId, name: 'Home' })
      const query =
        'autoReplyActive=true&autoReplyText=false&callerIdEnabled=true&color=%23ff0000&name=B%C3%BCro+1&notifications=true&ringer=true'
      for (const body of [undefined, {}]) {
        const lines = expectAnswer(await client.ask('PUT', path(`/?${query}`), body))
        expect(lines).to.deep.equal(expectAnswer(await client.get('/v1/lines')))
        expect(lines).to.have.length(2)
        expect((lines as object[])[0]).to.include({ id: line.lineId, name: 'Büro 1' })
        expect((lines as object[])[1]).to.include({ id: second.lineId, name: 'Home' })
        await client.put(path(), { name: 'Shop' })
      }
    })

    for (const [query, body, detail] of [
      ['?ringer=true', undefined, /^Give a name/],
      ['?ringer=true&name=', undefined, /^Give a name/],
      ['?name=a&name=b', undefined, /^name can be given only once/],
      ['?name=%20', undefined, /^name must have 1 to 100/],
      ['?name=Office', { name: '' }, /^name must have 1 to 100/],
      ['?name=Office', { name: 7 }, /^name must be text/],
    ] as const) {
      it(`refuses ${query}${body ? ' with a body' : ''}, and renames nothing`, async () => {
        expectProblem(await client.ask('PUT', path(query), body), 400, detail)
        expect(expectAnswer(await client.get(path()))).to.have.property('name', 'Shop')
      })
    }

    it('requires a JSON object of at most 64 KiB', async () => {
      for (const body of ['[]', 'name=Shop', '{', 'null', '"name"', '{"name":"a"}x']) {
        expectProblem(await client.put(path(), body), 400, /JSON object/)
      }
      expectProblem(await client.put(path(), { name: 'x'.repeat(70_000) }), 413, /64 KiB/)
    })
  })

  it('shows the windows of its limits', async () => {
    const toNumber = newNumber()
    await api.web.post(line.webhookPath, messageBody({ toNumber }))
    const limits = expectAnswer(await client.get(path('/limits'))) as Record<string, object[]>
    expect(limits.line).to.include({ limit: 30, used: 1 })
    expect(limits.numbers).to.have.length(1)
    expect(limits.numbers?.[0]).to.include({ number: toNumber, limit: 5, used: 1 })
  })

  it('pauses and resumes sending on a line, and may be repeated', async () => {
    const running = { pausedAt: null, pausedBy: null }
    expect(expectAnswer(await client.get(path()))).to.include(running)
    const paused = expectAnswer(await client.post(path('/pause-sending'))) as Record<string, unknown>
    expect(paused).to.include({ id: line.lineId, pausedBy: 'owner' })
    expect(Date.now() - Date.parse(String(paused.pausedAt))).to.be.within(-1000, 120_000)
    expect(expectAnswer(await client.post(path('/pause-sending')))).to.deep.equal(paused)
    expect(expectAnswer(await client.post(path('/resume-sending')))).to.include(running)
    expect(expectAnswer(await client.post(path('/resume-sending')))).to.include(running)
  })

  describe('/opt-outs', () => {
    const text = (fromNumber: string, words: string) =>
      receiveMessage(
        api.context,
        inboundText(line, { fromNumber, content: { type: 'inboundText', text: words } }),
      )
    const numbers = async (query = '') =>
      (expectAnswer(await client.get(path(`/opt-outs${query}`))) as { number: string }[]).map(
        ({ number }) => number,
      )

    it('lists the numbers that have opted out, with the time, until they opt in again', async () => {
      expect(await numbers()).to.deep.equal([])
      for (const number of [BEN, ANNA]) await text(number, 'STOP')
      await text(CLEO, 'Hello')
      const [first, ...others] = expectAnswer(await client.get(path('/opt-outs'))) as Record<string, string>[]
      expect(others).to.have.length(1)
      expect(first).to.have.all.keys('number', 'optedOutAt').and.include({ number: ANNA })
      expect(Date.parse(first!.optedOutAt!)).to.be.within(Date.now() - 60_000, Date.now() + 1000)
      await text(ANNA, 'START')
      expect(await numbers()).to.deep.equal([BEN])
    })

    it('is paginated', async () => {
      for (const number of [CLEO, ANNA, BEN]) await text(number, 'STOP')
      const answer = await client.get(path('/opt-outs?limit=2'))
      expect(answer.headers.get('link')).to.equal(
        `<https://linehook.example${path(`/opt-outs?limit=2&after=${encodeURIComponent(BEN)}`)}>; rel="next"`,
      )
      const last = await client.get(path(`/opt-outs?limit=2&after=${encodeURIComponent(BEN)}`))
      expect(last.headers.get('link')).to.equal(null)
      expect(await numbers(`?limit=2&after=${BEN}`)).to.deep.equal([CLEO])
      expectProblem(await client.get(path('/opt-outs?limit=0')), 400, /^limit must be/)
    })

    it('offers no way to undo an opt-out', async () => {
      await text(ANNA, 'STOP')
      for (const method of ['DELETE', 'POST', 'PUT']) {
        expect((await client.ask(method, path('/opt-outs'))).status, method).to.equal(405)
      }
      expect(await numbers()).to.deep.equal([ANNA])
    })
  })
})
