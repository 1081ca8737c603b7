import { expect } from 'chai'
import { ANNA, BEN } from '../domain/fixtures.js'
import { createPerson } from '../domain/people/people.js'
import { describeCommands } from './linehook.js'

describeCommands('linehook contact', ({ context, run, json, refuse }) => {
  it('names and blocks numbers of a user, and lists them without whole numbers for people', async () => {
    const { id, email } = await createPerson(context)
    const set = (...rest: string[]) => ['contact', 'set', ...rest, '--user', email]
    expect(await json(...set(ANNA, '--name', 'Anna', '--block'))).to.include({ number: ANNA, name: 'Anna' })
    await run(...set(BEN, '--name', 'Ben'))
    const list = ['contact', 'list', '--user', email]
    expect((await run(...list)).join('\n')).to.match(/^\+1•••0101 +blocked +Anna\n\+1•••0102 +Ben$/)
    await run(...set(ANNA, '--unblock'))
    expect(await json(...list, '--blocked')).to.deep.equal([])
    expect(await refuse(...set(ANNA))).to.match(/^Give --name, --block or --unblock/)
    const actions: unknown = await context
      .db('audit_log')
      .where({ user_id: id, actor_kind: 'command_line' })
      .orderBy('id')
      .pluck('action')
    expect(actions).to.deep.equal(['contact.blocked', 'contact.unblocked'])
  })
})
