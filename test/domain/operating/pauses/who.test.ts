import { expect } from 'chai'
import { findAllSending, listPaused, listPausesOfLine } from '../../../../src/database/operating/pauses.js'
import { getOwnLine } from '../../../../src/domain/lines/lines.js'
import {
  COMMAND_LINE,
  pauseAllSending,
  pauseCarrierAccount,
  pauseLine,
  pauseOf,
  resumeAllSending,
  resumeCarrierAccount,
  resumeLine,
  type Pauser,
} from '../../../../src/domain/operating/pauses.js'
import { getCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { describeContext } from '../../../helpers/context.js'
import { failure } from '../../../helpers/failure.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { createPerson } from '../../people/people.js'

describeContext('who pauses a line', (context) => {
  let line: TestLine
  let owner: Pauser
  let operator: Pauser & { email: string }

  beforeEach(async () => {
    line = await createLine(context)
    owner = { userId: line.userId, isOperator: false }
    const person = await createPerson(context, { role: 'operator' })
    operator = { userId: person.id, isOperator: true, email: person.email }
  })

  const own = () => ({ id: line.lineId, userId: line.userId })
  const now = async () => pauseOf(await getOwnLine(context, line.userId, line.lineId))

  it('is its owner, who resumes it too', async () => {
    expect(await now()).to.equal(null)
    await pauseLine(context, owner, own())
    const pause = await now()
    expect(pause).to.include({ by: 'owner' })
    expect(Date.now() - pause!.since.getTime()).to.be.within(-1000, 20_000)
    await resumeLine(context, owner, own())
    expect(await now()).to.equal(null)
  })

  it('is an operator: then only operators resume it', async () => {
    await pauseLine(context, operator, own())
    expect(await now()).to.include({ by: 'operator' })
    const refusal = await failure(resumeLine(context, owner, own()))
    expect(refusal).to.include({ status: 403 })
    expect(refusal.message).to.match(/an operator has paused it/)
    expect(await now()).to.include({ by: 'operator' })
    await resumeLine(context, operator, own())
    expect(await now()).to.equal(null)
  })

  it('is somebody at the command line, who counts as an operator', async () => {
    await pauseLine(context, COMMAND_LINE, own())
    expect(await now()).to.include({ by: 'operator' })
    expect(await failure(resumeLine(context, owner, own()))).to.include({ status: 403 })
    await resumeLine(context, COMMAND_LINE, own())
  })

  it('is the first: since when stays, and an operator takes the owner’s pause over, not the other way', async () => {
    await pauseLine(context, owner, own())
    const { since } = (await now())!
    await pauseLine(context, operator, own())
    expect(await now()).to.deep.equal({ since, by: 'operator' })
    await pauseLine(context, owner, own())
    await pauseLine(context, { ...COMMAND_LINE }, own())
    expect(await now()).to.deep.equal({ since, by: 'operator' })
    expect((await listPaused(context.db, 10)).find(({ id }) => id === line.lineId)).to.include({
      ...{ kind: 'line', name: line.number, userId: line.userId, pausedBy: operator.email },
    })
  })

  it('resumes nothing that is not paused', async () => {
    await resumeLine(context, owner, own())
    const { resumed_at: resumedAt } = await context
      .db('lines')
      .where({ id: line.lineId })
      .first<{ resumed_at: Date | null }>('resumed_at')
    expect(resumedAt).to.equal(null)
  })

  it('sees all that keeps the line from sending, nearest first', async () => {
    expect(await listPausesOfLine(context.db, line.lineId)).to.deep.equal([])
    const account = await getCarrierAccount(context, 'simulator')
    await pauseAllSending(context, operator)
    await pauseCarrierAccount(context, operator, account)
    await pauseLine(context, owner, own())
    try {
      const pauses = await listPausesOfLine(context.db, line.lineId)
      expect(pauses.map(({ what, isByOwner }) => [what, isByOwner])).to.deep.equal([
        ['line', true],
        ['account', false],
        ['all', false],
      ])
      expect(await findAllSending(context.db)).to.include({ pausedBy: operator.email })
      expect((await listPaused(context.db, 10))[0]).to.include({ kind: 'account', name: 'simulator' })
    } finally {
      await resumeAllSending(context, operator)
      await resumeCarrierAccount(context, operator, account)
    }
    expect(await findAllSending(context.db)).to.deep.equal({ pausedAt: null, pausedBy: null })
  })
})
