import { expect } from 'chai'
import { ANNA, queueMessage } from '../domain/fixtures.js'
import { lineForAllTests } from '../helpers/factories.js'
import { runSource } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { describeCommands } from './linehook.js'

describeCommands('linehook person forget', ({ environment, context, run, json, refuse }) => {
  const line = lineForAllTests(context)

  const left = async () =>
    Number((await context.db('messages').where({ to_number: ANNA }).count<{ count: string }[]>())[0]?.count)

  it('erases nothing without --yes, and shows with --dry-run what there is', async () => {
    await queueMessage(context, line, { status: 'sent' })
    expect(await refuse('person', 'forget', ANNA)).to.match(/--dry-run first, then give --yes and --reason/)
    expect(await refuse('person', 'forget', ANNA, '--yes')).to.match(/^reason must say/)
    expect(await refuse('person', 'forget', '5550101', '--yes')).to.match(/^number must be/)
    const lines = await run('person', 'forget', ANNA, '--dry-run')
    expect(lines[0]).to.equal('stored data of +1•••0101:')
    expect(lines[1]).to.match(/^ {2}messages +1$/)
    expect(await left()).to.equal(1)
  })

  it('erases with --yes, and says how much', async () => {
    const erased = await json('person', 'forget', ANNA, '--yes', '--reason', 'ticket 4711')
    expect(erased).to.include({ isDryRun: false, messages: 1 })
    expect(await left()).to.equal(0)
  })

  it('that is killed in the middle goes on when it is run again', async () => {
    await context.db.raw(
      `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status, created_at)
       select lowest_id_at(now() - make_interval(secs => n)), ?, ?, 'outbound', 'api', ?, ?, 'Hello', 'sent', now()
       from generate_series(1, 1500) n`,
      [line.userId, line.lineId, line.number, ANNA],
    )
    // One of the last rows is locked, so that the command is certainly at it when it is killed.
    const trx = await context.db.transaction()
    // The program takes its time to start.
    await trx.raw('set local idle_in_transaction_session_timeout = 0')
    await trx('messages').where({ to_number: ANNA }).orderBy('id', 'desc').limit(1).forUpdate()
    const args = ['person', 'forget', ANNA, '--yes', '--reason', 'ticket 4711']
    const forgetting = runSource('bin/linehook.ts', environment, { name: 'linehook', args })
    const between = await until('some are erased', async () => {
      const count = await left()
      return count < 1500 && count
    })
    await forgetting.kill('SIGKILL')
    await trx.rollback()
    expect(between).to.be.above(0)
    expect(await left()).to.be.above(0)
    const { messages } = await json(...args)
    expect(messages).to.be.above(0).and.below(1500)
    expect(await left()).to.equal(0)
  })
})
