import { expect } from 'chai'
import { listAudit, type ListedAuditRow } from '../../src/domain/operating/audit.js'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import type { Context } from '../../src/domain/context.js'
import type { Environment } from '../helpers/process/environment.js'
import { createPerson, type Person } from '../domain/people/people.js'
import { createLine } from '../helpers/factories.js'
import { startSession } from '../helpers/web/sessions.js'
import { createInstallation } from '../journeys/support/steps.js'
import { answer, jsonAnswer, linehook, refusal } from './linehook.js'

describe('linehook audit, and what it tells of the command line', function () {
  this.timeout(30_000)

  let environment: Environment
  let context: Context
  let ada: Person

  before(async () => {
    ;({ environment, context } = await createInstallation())
    ada = await createPerson(context)
  })
  after(() => context.close())

  const run = (...args: string[]) => answer(environment, ...args)
  const refuse = (...args: string[]) => refusal(environment, ...args)

  it('names the account of the operating system and the machine of who gave a command', async () => {
    const line = await createLine(context, { userId: ada.id })
    await run('line', 'disable', line.number)
    const [row] = await listAudit(context, { subjectId: line.lineId }, { limit: 1 })
    expect(row).to.deep.include({ actorKind: 'command_line', actorId: null, action: 'line.disabled' })
    expect(row?.address).to.match(/^[\w.-]+@[\w.-]+$/)

    const lines = await run('audit', '--subject', line.number, '--limit', '1')
    expect(lines).to.have.length(1)
    expect(lines[0]).to.match(
      /^\d{4}-\S+Z {2}line\.disabled {2}an operator on the command line disabled the line: \+\d+ \(status: active → disabled\) {2}from \S+@\S+$/,
    )
  })

  it('prints what fits as JSON, and says when nothing does', async () => {
    await createApiToken(context, ada.id, 'a program')
    const rows = (await jsonAnswer(
      environment,
      ...['audit', '--user', ada.email, '--action', 'api_token', '--from', '2020-01-01'],
    )) as ListedAuditRow[]
    expect(rows.map(({ action, userEmail, after }) => [action, userEmail, after])).to.deep.equal([
      ['api_token.created', ada.email, { name: 'a program' }],
    ])
    expect(await run('audit', '--user', ada.id, '--until', '2020-01-01T00:00:00Z')).to.deep.equal([
      'Nothing fits.',
    ])
  })

  it('refuses in one line what it does not know', async () => {
    expect(
      await Promise.all([
        refuse('audit', '--actor', 'nobody@example.com'),
        refuse('audit', '--action', 'line.eaten'),
        refuse('audit', '--subject', 'Shop'),
      ]),
    ).to.deep.equal([
      'actor must be the e-mail address or the id of a user',
      'action must be one of docs/audit.md, such as line.renamed, or the first word of several, such as line',
      'subject must be an id, the number of a line, or the e-mail address of a user',
    ])
    const missing: Record<string, string> = { '2026-11-31': ': there is no 2026-11-31 in the calendar' }
    for (const wrong of [
      ['--from', 'yesterday'],
      ['--from', '2026-11-31'],
      ['--limit', '0'],
      ['--limit', '10001'],
    ] as const) {
      const { exitCode, errorLines } = await linehook(environment, ['audit', ...wrong])
      expect([exitCode, errorLines[0]]).to.deep.equal([
        1,
        `error: option '${wrong[0]} <${wrong[0] === '--from' ? 'time' : 'count'}>' argument '${wrong[1]}' is invalid. ` +
          (wrong[0] === '--from'
            ? `It must be a time such as 2026-11-21 or 2026-11-21T13:00:00Z${missing[wrong[1]] ?? ''}.`
            : 'It must be a whole number from 1 to 10000.'),
      ])
    }
  })

  it('user disable stops or lets go on, as one of both options says, and user enable brings back', async () => {
    expect(await refuse('user', 'disable', ada.email)).to.equal(
      'say whether what they own stops: give --stop or --go-on',
    )
    expect(await run('user', 'disable', ada.email, '--stop')).to.deep.equal([`user ${ada.email} is disabled`])
    const list = await run('user', 'list')
    expect(list).to.deep.equal([`${ada.id}  user     disabled    ${ada.email}  Ada`])
    const json = (await jsonAnswer(environment, 'user', 'enable', ada.email)) as Person
    expect(json).to.deep.include({ id: ada.id, disabledAt: null, stoppedAt: null })
    expect(await refuse('user', 'enable', ada.email)).to.equal('this user is not disabled')
  })

  it('user end-sessions and user revoke-access say what they ended', async () => {
    await startSession(context, ada.id)
    expect(await run('user', 'end-sessions', ada.email)).to.deep.equal(['1 session ended'])
    expect(await run('user', 'revoke-access', ada.email)).to.deep.equal([
      '1 API token revoked, 0 applications disconnected',
    ])
  })
})
