import { expect } from 'chai'
import { ANNA, BEN } from '../domain/fixtures.js'
import { createPerson } from '../domain/people/people.js'
import { command, describeCommands } from './linehook.js'

describeCommands('linehook contact', ({ context, environment, run, json, refuse }) => {
  it('names and blocks numbers of a user, and lists them without whole numbers for people', async () => {
    const { id, email } = await createPerson(context)
    const set = (...rest: string[]) => ['contact', 'set', ...rest, '--user', email]
    const anna = { phoneNumber: '+1•••0101', name: 'Anna', blocked: true }
    expect(await json(...set(ANNA, '--name', 'Anna', '--block'))).to.include(anna)
    await run(...set(BEN, '--name', 'Ben'))
    const list = ['contact', 'list', '--user', email]
    expect((await run(...list)).join('\n')).to.match(/^\+1•••0101 +blocked +Anna\n\+1•••0102 +Ben$/)
    const [first] = (await json(...list)) as object[]
    expect(first).to.include(anna)
    const { errorLines } = await command(environment, [...list, '--page', '0'])
    expect(errorLines[0]).to.match(/It must be between 1 and 100000\.$/)
    const [whole] = (await json(...list, '--numbers')) as object[]
    expect(whole).to.include({ phoneNumber: ANNA })
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
