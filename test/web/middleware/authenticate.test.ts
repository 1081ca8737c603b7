import { expect } from 'chai'
import { freePort } from '../../../dev/services/free-port.js'
import { createApiToken, removeApiToken } from '../../../src/domain/people/api-tokens.js'
import { createLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { expectAnswer, expectProblem, serveApi } from '../v1/support.js'

describeWith('the API token of a request', serveApi, (api) => {
  let userId: string
  let token: string

  before(async () => {
    userId = (await createLine(api.context)).userId
    token = (await createApiToken(api.context, userId, 'a test')).token
  })

  const ask = (authorization?: string, query = '') =>
    api.web.request(`/v1/lines${query}`, {
      headers: authorization === undefined ? {} : { Authorization: authorization },
    })

  it('is taken from the Authorization header, the name of the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      expect(expectAnswer(await ask(`${scheme} ${token}`))).to.have.length(1)
    }
  })

  it('is asked for with WWW-Authenticate, and without an error where there was none (RFC 6750 §3.1)', async () => {
    for (const authorization of [undefined, `Basic ${btoa(`a:${token}`)}`, token, `Bearer${token}`]) {
      const answer = await ask(authorization)
      expectProblem(answer, 401, /Authorization: Bearer/)
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer realm="Linehook"')
    }
  })

  it('is refused as invalid_token when it is nobody’s', async () => {
    for (const wrong of [
      '',
      'x',
      `${token}x`,
      token.slice(0, -1),
      token.toUpperCase(),
      token.slice(4),
      `${token}, x`,
    ]) {
      const answer = await ask(`Bearer ${wrong}`)
      // Header values lose their spaces at the end: the empty one is no Bearer any more.
      const isThere = wrong !== ''
      expectProblem(answer, 401, isThere ? /not valid/ : /Authorization: Bearer/)
      expect(answer.headers.get('www-authenticate')).to.equal(
        isThere ? 'Bearer realm="Linehook", error="invalid_token"' : 'Bearer realm="Linehook"',
      )
    }
  })

  it('is not looked for in the query', async () => {
    for (const name of ['token', 'access_token', 'api_token', 'Authorization']) {
      expectProblem(await ask(undefined, `?${name}=${token}`), 401, /Authorization: Bearer/)
    }
  })

  it('is refused once it is revoked', async () => {
    const other = await createApiToken(api.context, userId, 'another')
    expectAnswer(await ask(`Bearer ${other.token}`))
    await removeApiToken(api.context, userId, other.id)
    expectProblem(await ask(`Bearer ${other.token}`), 401, /not valid\. It has expired, was revoked/)
  })

  it('is needed before anything else is looked at', async () => {
    expectProblem(await api.web.post('/v1/lines/nothing/incoming-webhook', 'no JSON'), 401, /Authorization/)
  })

  it('is needed by every operation of /v1', async () => {
    const operations = api.web.operations.filter(({ path }) => /^\/v1\/(?!oauth\/)/.test(path))
    expect(operations).to.have.length.above(20)
    for (const { method, path } of operations) {
      const answer = await api.web.request(path.replace(/\{\w+\}/, userId), { method })
      expectProblem(answer, 401, /Authorization: Bearer/)
    }
  })

  it('cannot be looked up while Postgres is away: 503, and when to try again', async () => {
    const without = await serveApi({ DATABASE_URL: `postgres://a:b@127.0.0.1:${await freePort()}/none` })
    try {
      const answer = await without.web.request('/v1/lines', { headers: { Authorization: `Bearer ${token}` } })
      expectProblem(answer, 503, /temporarily unavailable/)
      expect(answer.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
    } finally {
      await without.close()
    }
  })
})
