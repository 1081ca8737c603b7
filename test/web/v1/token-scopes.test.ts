import { expect } from 'chai'
import { setMonthlyCap } from '../../../src/domain/messages/spending/monthly-caps.js'
import { setSpendCap } from '../../../src/domain/messages/spending/spend-caps.js'
import { createApiToken, type TokenOptions } from '../../../src/domain/people/api-tokens.js'
import { createLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import type { Answer } from '../../helpers/web/web.js'
import { clientOf, expectAnswer, expectProblem, serveApi, type Client } from './support.js'
import { createWholeWorld, type World } from './world.js'

/** What shows a secret, though it is a GET. */
const SECRETS = /\/(incoming-webhook|signing-secret)$/
const ABOUT_THE_ACCOUNT = /^\/v1\/((authorized-)?applications|contacts|users)/
const BODY = { name: 'Renamed', enabled: true, overlapSeconds: 60, from: '2026-01-01T00:00:00Z' }

/** Every operation of the description is tried with a token of each scope, so that none is forgotten. */
describeWith('an API token', serveApi, (api) => {
  let mine: World
  let other: World

  before(async () => {
    mine = await createWholeWorld(api)
    // Of the same user: what keeps them apart is the token alone.
    other = await createWholeWorld(api, { userId: mine.line.userId })
  })

  const programWith = async (options: TokenOptions): Promise<Client> => {
    const { token } = await createApiToken(api.context, mine.line.userId, 'a test', options)
    return clientOf(api.web, token)
  }
  const operations = () => api.web.operations.filter(({ path }) => /^\/v1\/(?!oauth\/)/.test(path))
  const ask = (program: Client, method: string, path: string, { line, ids }: World): Promise<Answer> => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')
    if (path === '/v1/messages' && method === 'POST') {
      return program.post(filled, { lineId: line.lineId, toNumber: '+15005550199', text: 'Hello' })
    }
    if (path === '/v1/messages/batch') {
      const messages = [{ lineId: line.lineId, toNumber: '+15005550199', text: 'Hello' }]
      return program.post(filled, { messages })
    }
    if (path === '/v1/endpoints' && method === 'POST') {
      return program.post(filled, { lineId: line.lineId, url: 'http://127.0.0.1:9/more' })
    }
    if (path === '/v1/segments') return program.post(filled, { text: 'Hello' })
    return program.ask(method, filled, method === 'PUT' || method === 'POST' ? BODY : undefined)
  }

  it('that is read-only can use operations that read, but none that change or reveal a secret', async () => {
    const program = await programWith({ isReadOnly: true })
    expect(operations()).to.have.length.above(40)
    for (const { method, path } of operations()) {
      const answer = await ask(program, method, path, mine)
      if ((method === 'GET' && !SECRETS.test(path)) || path === '/v1/segments') expectAnswer(answer)
      else {
        expectProblem(answer, 403, /^insufficient_scope: This API token is read-only/)
        expect(answer.headers.get('www-authenticate')).to.equal(
          'Bearer realm="Linehook", error="insufficient_scope"',
        )
      }
    }
  })

  it('of one line cannot access another line or the account', async () => {
    const program = await programWith({ lineId: mine.line.lineId })
    for (const { method, path } of operations()) {
      const answer = await ask(program, method, path, other)
      const what = `${method} ${path}`
      if (ABOUT_THE_ACCOUNT.test(path)) {
        expectProblem(answer, 403, /^insufficient_scope: This API token is limited to one line/)
      } else if (path.includes('{') || what === 'POST /v1/messages' || what === 'POST /v1/endpoints')
        expectProblem(answer, 404, /^No such /)
      else {
        expectAnswer(answer)
        expect(answer.text, what).not.to.include(other.line.lineId)
      }
    }
  })

  it('of one line has full access to that line', async () => {
    const program = await programWith({ lineId: mine.line.lineId })
    for (const { method, path } of operations().filter(({ method }) => method === 'GET')) {
      if (ABOUT_THE_ACCOUNT.test(path)) continue
      expectAnswer(await ask(program, method, path, mine))
    }
    for (const path of ['/v1/lines', '/v1/messages', '/v1/deliveries']) {
      const all = expectAnswer(await program.get(path)) as Record<string, string>[]
      expect(all, path).to.have.length.above(0)
      for (const each of all) expect(each.lineId ?? each.id).to.equal(mine.line.lineId)
      const filtered = await program.get(`${path}?lineId=${other.line.lineId}`)
      expect(expectAnswer(filtered), path).to.deep.equal([])
    }
    const text = { lineId: mine.line.lineId.toUpperCase(), toNumber: '+15005550199', text: 'Hello' }
    expectAnswer(await program.post('/v1/messages', text))
    const renamed = await program.put(`/v1/lines/${mine.line.lineId}?name=Desk`)
    expect(renamed.text).not.to.include(other.line.lineId)
  })

  it('of one line gets no caps of the user, which tell what other lines have used', async () => {
    const user = { of: 'user', id: mine.line.userId } as const
    await setSpendCap(api.context, user, 1000)
    await setMonthlyCap(api.context, user, { amount: '50', currency: 'USD' })
    await setSpendCap(api.context, { of: 'line', id: mine.line.lineId, userId: mine.line.userId }, 500)
    const path = `/v1/lines/${mine.line.lineId}/limits`
    const capsFor = async (options: TokenOptions) => {
      const { caps, monthlyCaps } = expectAnswer(await (await programWith(options)).get(path)) as Record<
        'caps' | 'monthlyCaps',
        { of: string }[]
      >
      return [...(caps ?? []), ...(monthlyCaps ?? [])].map(({ of }) => of)
    }
    expect(await capsFor({ lineId: mine.line.lineId })).to.deep.equal(['line'])
    expect(await capsFor({})).to.have.members(['line', 'user', 'user'])
  })

  it('of one line that is read-only has exactly both restrictions', async () => {
    const program = await programWith({ lineId: mine.line.lineId, isReadOnly: true })
    const path = `/v1/lines/${mine.line.lineId}`
    expectAnswer(await program.get(path))
    expectProblem(await program.get(`${path}/incoming-webhook`), 403, /read-only/)
    expectProblem(await program.put(path, { name: 'x' }), 403, /read-only/)
    expectProblem(await program.get(`/v1/lines/${other.line.lineId}`), 404, /No such line/)
    expectProblem(await program.get('/v1/applications'), 403, /limited to one line/)
  })
})

const OTHERS = { PUBLIC_URL: 'https://linehook.example', HOST: '0.0.0.0' }

describeWith(
  'an API token, at the simulator that others reach',
  () => serveApi(OTHERS),
  (api) => {
    it('must be unrestricted', async () => {
      const { userId, lineId, number } = await createLine(api.context)
      const inbound = { toNumber: number, fromNumber: '+15005550101', text: 'Hi' }
      for (const [scope, statuses] of [
        [{}, [200, 200]],
        [{ isReadOnly: true }, [200, 403]],
        [{ lineId }, [403, 403]],
      ] as const) {
        const { token } = await createApiToken(api.context, userId, 'a test', scope)
        const program = clientOf(api.web, token)
        const answers = [
          await program.get('/simulator/outbox'),
          await program.post('/simulator/inbound', inbound),
        ]
        expect(answers.map(({ status }) => status)).to.deep.equal(statuses)
      }
    })
  },
)
