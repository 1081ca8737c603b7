import { expect } from 'chai'
import { newId } from '../../../src/ids.js'
import { createLine, messageBody, type TestLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { newNumber } from '../support.js'
import { createOwner, expectAnswer, expectProblem, serveApi, type Client } from './support.js'

describeWith('/v1/lines', serveApi, (api) => {
  let line: TestLine
  let client: Client
  let path: string

  beforeEach(async () => {
    ;({ line, client, path } = await createOwner(api, { name: 'Shop' }))
  })

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
      [`?id=${newId()}`, []],
      [`?lineId=${second.lineId}`, [second.lineId]],
      [`?lineId=${second.lineId.toUpperCase()}`, [second.lineId]],
      [`?lineId=${second.lineId}&id=${line.lineId}`, []],
      ['?name=Shop', [line.lineId]],
      ['?name=Home%20%26%20Garden', [second.lineId]],
      ['?name=Sho', []],
      [`?phoneNumber=${encodeURIComponent(second.number)}`, [second.lineId]],
      [`?phoneNumber=${second.number}`, [second.lineId]],
      ['?phoneNumber=%2B15005550666', []],
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
    const { lastActivityAt } = expectAnswer(await client.get(path)) as { lastActivityAt: string }
    expect(Date.parse(lastActivityAt)).to.be.closeTo(Date.now(), 60_000)
  })

  describe('PUT', () => {
    it('renames a line and returns it', async () => {
      const renamed = expectAnswer(await client.put(path, { name: ' <b>Büro</b> 1 ' }))
      expect(renamed).to.include({ id: line.lineId, name: '<b>Büro</b> 1' })
      expect(expectAnswer(await client.get(path))).to.deep.equal(renamed)
    })

    for (const [what, body] of Object.entries({
      'no body': undefined,
      'no name': {},
      'a name that is none': { name: 7 },
      null: { name: null },
      'an empty name': { name: '' },
      'a blank name': { name: ' \n' },
      'a name that cannot be seen': { name: '\u200b\u3164' },
      'a name that is too long': { name: 'x'.repeat(101) },
    })) {
      it(`refuses ${what}`, async () => {
        expectProblem(await client.put(path, body), 400, /\bname\b/)
        expect(expectAnswer(await client.get(path))).to.have.property('name', 'Shop')
      })
    }

    it('accepts the name in the query, as clients of the original send it, and returns all lines', async () => {
      const second = await createLine(api.context, { userId: line.userId, name: 'Home' })
      const query =
        'autoReplyActive=true&autoReplyText=false&callerIdEnabled=true&color=%23ff0000&name=B%C3%BCro+1&notifications=true&ringer=true'
      for (const body of [undefined, {}]) {
        const lines = expectAnswer(await client.ask('PUT', `${path}/?${query}`, body))
        expect(lines).to.deep.equal(expectAnswer(await client.get('/v1/lines')))
        expect(lines).to.have.length(2)
        expect((lines as object[])[0]).to.include({ id: line.lineId, name: 'Büro 1' })
        expect((lines as object[])[1]).to.include({ id: second.lineId, name: 'Home' })
        await client.put(path, { name: 'Shop' })
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
        expectProblem(await client.ask('PUT', path + query, body), 400, detail)
        expect(expectAnswer(await client.get(path))).to.have.property('name', 'Shop')
      })
    }

    it('requires a JSON object of at most 64 KiB', async () => {
      for (const body of ['[]', 'name=Shop', '{', 'null', '"name"', '{"name":"a"}x']) {
        expectProblem(await client.put(path, body), 400, /JSON object/)
      }
      expectProblem(await client.put(path, { name: 'x'.repeat(70_000) }), 413, /64 KiB/)
    })
  })

  describe('/limits', () => {
    it('shows both windows: empty, and after two messages', async () => {
      const empty = { limit: 30, used: 0, opensMs: 0 }
      expect(expectAnswer(await client.get(`${path}/limits`))).to.deep.equal({
        line: empty,
        numbers: [],
        caps: [],
        monthlyCaps: [],
      })
      const toNumber = newNumber()
      for (const text of ['1', '2']) await api.web.post(line.webhookPath, messageBody({ toNumber, text }))
      const { line: all, numbers } = expectAnswer(await client.get(`${path}/limits`)) as {
        line: Record<string, number>
        numbers: Record<string, unknown>[]
      }
      expect(all).to.include({ limit: 30, used: 2 })
      expect(all.opensMs).to.be.within(1, 60_000)
      expect(numbers).to.have.length(1)
      expect(numbers[0]).to.include({ number: toNumber, limit: 5, used: 2 })
    })
  })

  it('pauses and resumes sending on a line, and may be repeated', async () => {
    const running = { pausedAt: null, pausedBy: null }
    expect(expectAnswer(await client.get(path))).to.include(running)
    const paused = expectAnswer(await client.post(`${path}/pause-sending`)) as Record<string, unknown>
    expect(paused).to.include({ id: line.lineId, pausedBy: 'owner' })
    expect(Date.now() - Date.parse(String(paused.pausedAt))).to.be.within(-1000, 120_000)
    expect(expectAnswer(await client.post(`${path}/pause-sending`))).to.deep.equal(paused)
    expect(expectAnswer(await client.post(`${path}/resume-sending`))).to.include(running)
    expect(expectAnswer(await client.post(`${path}/resume-sending`))).to.include(running)
  })
})
