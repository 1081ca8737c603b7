import { expect } from 'chai'
import { endAuthorizations } from '../../../src/domain/applications/authorizations.js'
import { listAudit } from '../../../src/domain/operating/audit.js'
import { listActions } from '../../../src/domain/operating/audit/actions.js'
import { describeWith } from '../../helpers/suite.js'
import {
  asking,
  authorizePath,
  call,
  decide,
  exchange,
  getCode,
  getTokens,
  partiesForEachTest,
  revoke,
  serveOAuth,
} from './support.js'

describeWith('the audit log of authorizations', serveOAuth, (server) => {
  const { application, visitor } = partiesForEachTest(server)

  /** Oldest first. */
  const rows = async () => {
    const actions = listActions().filter((action) => /^(authorization|line\.renamed)/.test(action))
    const { userId } = visitor.line
    return (await listAudit(server.context, { userId, actions }, { limit: 50 })).reverse()
  }

  it('records a consent: by whom, in which session, to which application, for which lines and scopes', async () => {
    await getTokens(server, visitor, application)
    const [row, ...others] = await rows()
    expect(others).to.deep.equal([])
    expect(row).to.deep.include({
      action: 'authorization.granted',
      actorKind: 'user',
      actorId: visitor.line.userId,
      address: '127.0.0.1',
      subjectId: application.id,
      subjectName: 'Auto reply',
      userId: visitor.line.userId,
      after: {
        lines: [visitor.line.number],
        scopes: ['messages:write', 'messages:connect'],
        linesNoMore: [],
      },
    })
    expect(row?.credentialId).to.be.a('string')
  })

  it('records a refusal, and the end of an authorization', async () => {
    const page = await visitor.follow(authorizePath(asking(application)))
    await decide(visitor, page, { decision: 'cancel' })
    await getTokens(server, visitor, application)
    await endAuthorizations(server.context, visitor.line.userId, application.id)
    expect((await rows()).map(({ action, actorKind }) => [action, actorKind])).to.deep.equal([
      ['authorization.refused', 'user'],
      ['authorization.granted', 'user'],
      ['authorization.ended', 'service'],
    ])
  })

  it('that an application lost its tokens, because it revoked them or used a code twice', async () => {
    const { refresh_token: token } = await getTokens(server, visitor, application)
    await revoke(server, application, token)
    const code = await getCode(visitor, asking(application))
    for (const status of [200, 400])
      expect((await exchange(server, application, code)).status).to.equal(status)
    const ended = (await rows()).filter(({ action }) => action === 'authorization.tokens_ended')
    expect(ended).to.have.length(2)
    for (const row of ended) {
      expect(row).to.deep.include({
        actorKind: 'application',
        actorId: visitor.line.userId,
        credentialId: application.id,
        applicationName: 'Auto reply',
        subjectId: application.id,
      })
    }
  })

  it('records an application’s changes for the user as its own action', async () => {
    const scope = 'messages:connect,lines:write'
    const { access_token: token } = await getTokens(server, visitor, application, { scope })
    const { lineId, userId } = visitor.line
    const answer = await call(server, token, `/v1/lines/${lineId}`, {
      method: 'PUT',
      body: JSON.stringify({ name: 'Renamed' }),
    })
    expect(answer.status, answer.text).to.equal(200)
    expect((await rows()).at(-1)).to.deep.include({
      action: 'line.renamed',
      actorKind: 'application',
      actorId: userId,
      credentialId: application.id,
      after: { name: 'Renamed' },
    })
  })
})
