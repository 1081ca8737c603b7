import { expect } from 'chai'
import { messagesOf } from '../support.js'
import { describeWith } from '../../helpers/suite.js'
import {
  asking,
  authorizePath,
  call,
  decide,
  exchange,
  introspect,
  partiesForAllTests,
  refresh,
  send,
  serveOAuth,
  type Tokens,
} from './support.js'

const serve = () => serveOAuth({ PRODUCT_WORD: 'burner' })

describeWith('OAuth with PRODUCT_WORD=burner', serve, (server) => {
  const { application, visitor } = partiesForAllTests(server)

  const authorize = async (more: Record<string, string>): Promise<Tokens> => {
    const page = await visitor.follow(authorizePath(asking(application, more)))
    const lineIds = page.answer.text.includes('type="checkbox"') ? [visitor.line.lineId] : []
    const code = (await decide(visitor, page, { lineIds })).searchParams.get('code') ?? ''
    const answer = await exchange(server, application, code)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body as Tokens
  }

  it('returns connected_burners and burners:read, and never lines', async () => {
    const tokens = await authorize({ scope: 'messages:connect burners:read' })
    expect(tokens.scope).to.equal('messages:connect burners:read')
    expect(tokens).to.have.property('connected_burners').that.has.length(1)
    expect(JSON.stringify(tokens)).not.to.match(/connected_lines|lines:/)
    const { body } = await introspect(server, application, tokens.access_token)
    expect(body).to.include({ active: true, scope: 'messages:connect burners:read' })
    const refreshed = await refresh(server, application, tokens.refresh_token, { scope: 'burners:read' })
    expect(refreshed.body).to.include({ scope: 'burners:read' })
  })

  it('accepts the canonical words too', async () => {
    expect((await authorize({ scope: 'lines:read' })).scope).to.equal('burners:read')
  })

  for (const name of ['burner_id', 'line_id']) {
    it(`skips the choice for ${name}`, async () => {
      const { text } = (
        await visitor.follow(authorizePath(asking(application, { [name]: visitor.line.lineId })))
      ).answer
      expect(text).not.to.include('type="checkbox"')
      expect(await authorize({ [name]: visitor.line.lineId })).to.have.property('connected_burners')
    })
  }

  it('sends by burnerId and by lineId', async () => {
    const { access_token: token } = await authorize({})
    for (const name of ['burnerId', 'lineId']) {
      const answer = await send(server, token, {
        [name]: visitor.line.lineId,
        toNumber: '+15005550188',
        text: name,
      })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.body).to.include({ burnerId: visitor.line.lineId })
      expect(answer.text).not.to.include('"lineId":')
    }
    expect(await messagesOf(server.context, visitor.line.lineId)).to.have.length(2)
    expect((await call(server, token, '/v1/burners')).body).to.have.length(1)
  })

  it('says burners:… when it refuses a scope, too', async () => {
    for (const scope of ['burners:delete', 'lines:delete', ' ']) {
      const { url } = await visitor.follow(authorizePath(asking(application, { scope })))
      expect(new URL(url).searchParams.get('error'), scope).to.equal('invalid_scope')
      expect(url).not.to.include('lines')
    }
    const { refresh_token } = await authorize({ scope: 'messages:write' })
    const answer = await refresh(server, application, refresh_token, { scope: 'lines:read' })
    expect(answer.body).to.include({ error: 'invalid_scope', scope: 'burners:read' })
    expect(answer.text).not.to.include('lines')
  })

  it('uses them in the metadata and in errors about a missing scope', async () => {
    const { body } = await server.web.request('/.well-known/oauth-authorization-server')
    expect(body).to.have.deep.property('scopes_supported', [
      'messages:connect',
      'messages:write',
      'burners:read',
      'burners:write',
      'contacts:read',
      'contacts:write',
    ])
    const { access_token: token } = await authorize({ scope: 'burners:read' })
    const answer = await send(server, token, {
      burnerId: visitor.line.lineId,
      toNumber: '+15005550188',
      text: 'x',
    })
    expect(answer.headers.get('www-authenticate')).to.include('scope="messages:connect"')
  })
})
