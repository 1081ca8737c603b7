import { expect } from 'chai'
import { listAuthorizedLines } from '../../../src/database/applications/authorizations.js'
import { deleteApplication } from '../../../src/domain/applications/applications.js'
import {
  authorizeLines,
  endAuthorization,
  endAuthorizations,
  listAuthorizedApplications,
} from '../../../src/domain/applications/authorizations.js'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { connect, createApplication } from './applications.js'
import { refusal } from '../refusal.js'

describeContext('lines connected to applications', (context) => {
  let line: TestLine
  let second: TestLine
  let applicationId: string

  beforeEach(async () => {
    line = await createLine(context, { name: 'Shop' })
    second = await createLine(context, { userId: line.userId })
    applicationId = (await createApplication(context)).id
  })

  const choose = (...lineIds: string[]) =>
    authorizeLines(context, { applicationId, userId: line.userId, lineIds, scopes: ['messages:connect'] })
  const connected = async (userId = line.userId) =>
    (await listAuthorizedLines(context.db, applicationId, userId)).map(({ id }) => id)
  const tokenCount = async (userId: string) =>
    (await context.db('oauth_records').where({ application_id: applicationId, user_id: userId })).length
  const grant = (userId: string) =>
    context.db('oauth_records').insert({
      kind: 'AccessToken',
      id_hash: Buffer.from(newId()),
      application_id: applicationId,
      user_id: userId,
      payload: {},
      expires_at: new Date(Date.now() + 60_000),
    })

  it('are those that their owner chose last', async () => {
    await choose(line.lineId, second.lineId, line.lineId)
    expect(await connected()).to.deep.equal([line.lineId, second.lineId])
    await choose(second.lineId)
    expect(await connected()).to.deep.equal([second.lineId])
    const [found] = await listAuthorizedLines(context.db, applicationId, line.userId)
    expect(found).to.deep.equal({
      id: second.lineId,
      name: second.number,
      number: second.number,
      status: 'active',
      scopes: ['messages:connect'],
    })
  })

  it('keep what they did when they are chosen again, with new scopes', async () => {
    await choose(line.lineId)
    const at = new Date('2026-01-01T00:00:00Z')
    await context.db('application_lines').where({ line_id: line.lineId }).update({ last_sent_at: at })
    await authorizeLines(context, {
      applicationId,
      userId: line.userId,
      lineIds: [line.lineId],
      scopes: ['messages:write'],
    })
    const [application] = await listAuthorizedApplications(context, line.userId)
    expect(application?.lines[0]?.lastSentAt).to.deep.equal(at)
    expect(application?.lines[0]?.scopes).to.deep.equal(['messages:write'])
  })

  it('are at least one', async () => {
    expect(await refusal(choose())).to.deep.equal({
      status: 400,
      message: 'lineIds: choose at least one line',
    })
  })

  it('are active lines of the user, or nothing is changed', async () => {
    await choose(line.lineId)
    const stranger = await createLine(context)
    const disabled = await createLine(context, { userId: line.userId })
    await setLineStatus(context, line.userId, disabled.lineId, 'disabled')
    for (const wrong of [stranger.lineId, disabled.lineId, newId(), 'x']) {
      expect((await refusal(choose(second.lineId, wrong))).status).to.equal(404)
    }
    expect(await connected()).to.deep.equal([line.lineId])
    expect(await connected(stranger.userId)).to.deep.equal([])
  })

  it('are each user’s own', async () => {
    const other = await createLine(context)
    await choose(line.lineId)
    await connect(context, { id: applicationId }, other)
    expect(await connected()).to.deep.equal([line.lineId])
    expect(await connected(other.userId)).to.deep.equal([other.lineId])
    expect(await listAuthorizedApplications(context, other.userId, line.lineId)).to.deep.equal([])
  })

  it('are listed by application, with who made it', async () => {
    const another = await createApplication(context, { name: 'Notes', website: 'https://example.com' })
    await choose(line.lineId, second.lineId)
    await connect(context, another, line)
    const listed = await listAuthorizedApplications(context, line.userId)
    expect(listed.map(({ name, lines }) => [name, lines.map(({ lineId }) => lineId)])).to.deep.equal([
      ['Auto Reply', [line.lineId, second.lineId]],
      ['Notes', [line.lineId]],
    ])
    expect(listed[1]).to.include({ ownerName: 'Grace', website: 'https://example.com' })
    expect(listed[1]?.lines[0]).to.include({ lineName: 'Shop', lastSentAt: null, lastReceivedAt: null })
    const ofLine = await listAuthorizedApplications(context, line.userId, second.lineId)
    expect(ofLine.map(({ name }) => name)).to.deep.equal(['Auto Reply'])
  })

  it('can be taken away one by one, and with the last one the tokens end', async () => {
    await choose(line.lineId, second.lineId)
    await grant(line.userId)
    await endAuthorization(context, line.userId, applicationId, line.lineId)
    expect(await connected()).to.deep.equal([second.lineId])
    expect(await tokenCount(line.userId)).to.equal(1)
    await endAuthorization(context, line.userId, applicationId, second.lineId)
    expect(await tokenCount(line.userId)).to.equal(0)
    expect(await listAuthorizedApplications(context, line.userId)).to.deep.equal([])
  })

  it('can be taken away all at once, with the user’s tokens and nobody else’s', async () => {
    const other = await createLine(context)
    await choose(line.lineId, second.lineId)
    await connect(context, { id: applicationId }, other)
    await grant(line.userId)
    await grant(other.userId)
    await endAuthorizations(context, line.userId, applicationId)
    expect(await connected()).to.deep.equal([])
    expect(await connected(other.userId)).to.deep.equal([other.lineId])
    expect([await tokenCount(line.userId), await tokenCount(other.userId)]).to.deep.equal([0, 1])
  })

  it('are taken away by their owner only', async () => {
    const stranger = await createLine(context)
    await choose(line.lineId)
    for (const refused of [
      () => endAuthorization(context, stranger.userId, applicationId, line.lineId),
      () => endAuthorizations(context, stranger.userId, applicationId),
      () => endAuthorization(context, line.userId, applicationId, second.lineId),
      () => endAuthorizations(context, line.userId, newId()),
    ]) {
      expect((await refusal(refused())).status).to.equal(404)
    }
    expect(await connected()).to.deep.equal([line.lineId])
  })

  it('go with the application, and its tokens too', async () => {
    const { id, userId } = await createApplication(context)
    applicationId = id
    await choose(line.lineId)
    await grant(line.userId)
    await deleteApplication(context, userId, id)
    expect(await connected()).to.deep.equal([])
    expect(await tokenCount(line.userId)).to.equal(0)
  })

  it('are never connected to an application that is being deleted', async () => {
    for (let n = 0; n < 10; n += 1) {
      const { id, userId } = await createApplication(context)
      applicationId = id
      await Promise.allSettled([deleteApplication(context, userId, id), choose(line.lineId)])
      expect(await connected()).to.deep.equal([])
    }
  })
})
