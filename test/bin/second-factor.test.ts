import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { listAudit } from '../../src/domain/operating/audit.js'
import { findSecondFactors } from '../../src/domain/people/second-factors.js'
import { createPerson, type Person } from '../domain/people/people.js'
import type { Environment } from '../helpers/process/environment.js'
import { setUpApp } from '../helpers/web/second-factor.js'
import { createInstallation } from '../journeys/support/steps.js'
import { answer, jsonAnswer, refusal } from './linehook.js'

describe('linehook user remove-second-factor', function () {
  this.timeout(30_000)

  let environment: Environment
  let context: Context
  let person: Person

  before(async () => {
    ;({ environment, context } = await createInstallation())
    person = await createPerson(context)
  })

  after(() => context.close())

  const command = ['user', 'remove-second-factor'] as const

  it('takes away the app and the recovery codes, and says so in the audit log', async () => {
    await setUpApp(context, person.id)
    expect(await answer(environment, ...command, person.email)).to.deep.equal([
      `the second factor of ${person.email} is removed`,
    ])
    expect(await findSecondFactors(context, person.id)).to.deep.include({
      app: undefined,
      recoveryCodeCount: 0,
    })
    const [row] = await listAudit(context, { userId: person.id }, { limit: 1 })
    expect(row).to.include({ action: 'second_factor.removed', actorKind: 'command_line' })
  })

  it('says when there is none, and when there is no such user', async () => {
    expect(await jsonAnswer(environment, ...command, person.email)).to.deep.equal({
      id: person.id,
      removed: false,
    })
    expect(await refusal(environment, ...command, 'nobody@example.com')).to.match(/^no user has the email/)
  })
})
