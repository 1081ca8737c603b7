import { expect } from 'chai'
import { listAudit, type ListedAuditRow } from '../../src/domain/operating/audit.js'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import { createPerson, type Person } from '../domain/people/people.js'
import { createLine } from '../helpers/factories.js'
import { startSession } from '../helpers/web/sessions.js'
import { command, describeCommands } from './linehook.js'

describeCommands('linehook audit', ({ environment, context, run, json, refuse }) => {
  let ada: Person

  before(async () => {
    ada = await createPerson(context)
  })

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
    const rows = await json<ListedAuditRow[]>(
      ...['audit', '--user', ada.email, '--action', 'api_token', '--from', '2h'],
    )
    expect(rows.map(({ action, userEmail, after }) => [action, userEmail, after])).to.deep.equal([
      ['api_token.created', ada.email, { name: 'a program' }],
    ])
    const nothing = await run('audit', '--user', ada.id, '--until', '2020-01-01')
    expect(nothing).to.deep.equal(['No entries match.'])
  })

  for (const [option, value, sentence] of [
    ['--actor', 'nobody@example.com', "actor must be a user's email address or ID"],
    [
      '--action',
      'line.eaten',
      'action must be the name of an action, such as line.renamed, or of a group, such as line',
    ],
    ['--subject', 'Shop', "subject must be an ID, a line's number or a user's email address"],
    ['--from', 'yesterday', 'or 2026-11-21T13:00:00Z, or how long ago, such as 90s, 15m, 2h or 3d.'],
    ['--from', '2026-11-31', ': there is no 2026-11-31 in the calendar.'],
    ['--limit', '0', 'It must be between 1 and 10000.'],
    ['--limit', '10001', 'It must be between 1 and 10000.'],
  ] as const) {
    it(`refuses ${option} ${value}`, async () => {
      const { exitCode, errorLines } = await command(environment, ['audit', option, value])
      expect(exitCode).to.equal(1)
      expect(errorLines[0]?.endsWith(sentence), errorLines[0]).to.equal(true)
    })
  }

  it('user disable stops or lets go on, as one of both options says, and user enable brings back', async () => {
    expect(await refuse('user', 'disable', ada.email)).to.equal(
      'Give --stop to stop their lines and applications, or --go-on to keep them working',
    )
    expect(await run('user', 'disable', ada.email, '--stop')).to.deep.equal([`user ${ada.email} is disabled`])
    expect(await run('user', 'list')).to.deep.equal([`${ada.id}  user     disabled    ${ada.email}  Ada`])
    const enabled = await json<Person>('user', 'enable', ada.email)
    expect(enabled).to.deep.include({ id: ada.id, disabledAt: null, stoppedAt: null })
    expect(await refuse('user', 'enable', ada.email)).to.equal('This user is not disabled')
  })

  it('user end-sessions and user revoke-access say what they ended', async () => {
    await startSession(context, ada.id)
    expect(await run('user', 'end-sessions', ada.email)).to.deep.equal(['1 session ended'])
    expect(await run('user', 'revoke-access', ada.email)).to.deep.equal([
      '1 API token revoked, 0 applications disconnected',
    ])
  })
})
