import { expect } from 'chai'
import { listAudit } from '../../src/domain/operating/audit.js'
import { findSecondFactors } from '../../src/domain/people/second-factors.js'
import { createPerson } from '../domain/people/people.js'
import { setUpApp } from '../helpers/web/second-factor.js'
import { describeCommands } from './linehook.js'

describeCommands('linehook user remove-second-factor', ({ context, run, json, refuse }) => {
  it('takes away the app and the recovery codes, says so in the audit log, and says when there is none', async () => {
    const { id, email } = await createPerson(context)
    await setUpApp(context, id)
    const command = ['user', 'remove-second-factor'] as const
    expect(await run(...command, email)).to.deep.equal([`the second factor of ${email} was removed`])
    const none = { app: undefined, recoveryCodeCount: 0 }
    expect(await findSecondFactors(context, id)).to.deep.include(none)
    const [row] = await listAudit(context, { userId: id }, { limit: 1 })
    expect(row).to.include({ action: 'second_factor.removed', actorKind: 'command_line' })
    expect(await json(...command, email)).to.deep.equal({ id, removed: false })
    expect(await refuse(...command, 'nobody@example.com')).to.match(/^No user has the email/)
  })
})
