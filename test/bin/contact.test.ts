import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { ANNA, BEN } from '../domain/fixtures.js'
import { createPerson, type Person } from '../domain/people/people.js'
import type { Environment } from '../helpers/process/environment.js'
import { createInstallation } from '../journeys/support/steps.js'
import { answer, jsonAnswer, refusal } from './linehook.js'

describe('linehook contact', function () {
  this.timeout(60_000)

  let environment: Environment
  let context: Context
  let person: Person

  before(async () => {
    ;({ environment, context } = await createInstallation())
    person = await createPerson(context)
  })
  after(() => context.close())

  it('names and blocks numbers of a user, and lists them without whole numbers for people', async () => {
    const set = (...rest: string[]) => ['contact', 'set', ...rest, '--user', person.email]
    expect(await jsonAnswer(environment, ...set(ANNA, '--name', 'Anna', '--block'))).to.include({
      number: ANNA,
      name: 'Anna',
    })
    await answer(environment, ...set(BEN, '--name', 'Ben'))
    const list = ['contact', 'list', '--user', person.email]
    expect((await answer(environment, ...list)).join('\n')).to.match(
      /^\+1•••0101 +blocked +Anna\n\+1•••0102 +Ben$/,
    )
    await answer(environment, ...set(ANNA, '--unblock'))
    expect(await jsonAnswer(environment, ...list, '--blocked')).to.deep.equal([])
    expect(await refusal(environment, ...set(ANNA))).to.match(/^give --name, --block or --unblock/)
    const actions: unknown = await context
      .db('audit_log')
      .where({ user_id: person.id, actor_kind: 'command_line' })
      .orderBy('id')
      .pluck('action')
    expect(actions).to.deep.equal(['contact.blocked', 'contact.unblocked'])
  })
})
