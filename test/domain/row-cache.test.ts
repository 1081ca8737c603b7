import { expect } from 'chai'
import { answerByRow, createRowCache, openRow } from '../../src/domain/row-cache.js'
import { Unavailable } from '../../src/errors.js'
import { failure } from '../helpers/failure.js'

describe('the rows that a process knows', () => {
  const rowOf = (id: string) => ({ id })

  it('are those that were looked up last, so many and no more', async () => {
    const rows = createRowCache((id) => Promise.resolve(rowOf(id)), 3)
    for (const id of ['a', 'b', 'c', 'a', 'd']) await rows.lookUp(id)
    const known = ['a', 'b', 'c', 'd'].filter((id) => rows.remembered(id) !== undefined)
    expect(known).to.deep.equal(['a', 'c', 'd'])
  })

  it('are forgotten when they are found to be gone', async () => {
    let isThere = true
    const rows = createRowCache((id) => Promise.resolve(isThere ? rowOf(id) : undefined))
    expect(rows.remembered('a')).to.equal(undefined)
    await rows.lookUp('a')
    expect(rows.remembered('a')).to.deep.equal(rowOf('a'))
    isThere = false
    expect(await rows.lookUp('a')).to.equal(undefined)
    expect(rows.remembered('a')).to.equal(undefined)
  })
})

describe('a request that a row opens', () => {
  const open = (remembered: string | undefined, current: string) => {
    let lookUps = 0
    const lookUp = () => {
      lookUps += 1
      return Promise.resolve(current)
    }
    const opened = openRow(remembered, (row) => row.startsWith('open'), lookUp)
    return { opened, lookUps: () => lookUps }
  }

  it('uses the remembered row if that opens it, and otherwise the current one', async () => {
    const remembered = open('open, old', 'open, new')
    expect(await remembered.opened).to.include({ row: 'open, old', mayBeOld: true })
    expect(remembered.lookUps()).to.equal(0)
    for (const unusable of ['closed', undefined]) {
      const { opened, lookUps } = open(unusable, 'open, new')
      expect(await opened).to.include({ row: 'open, new', mayBeOld: false })
      expect(lookUps()).to.equal(1)
    }
  })

  it('is judged again by the current row if the remembered one has changed', async () => {
    const opened = await open('open, old', 'open, new').opened
    const answer = await answerByRow(opened, 'The row', () =>
      Promise.resolve(opened.row === 'open, new' ? { by: opened.row } : undefined),
    )
    expect(answer).to.deep.equal({ by: 'open, new' })
    expect(opened.mayBeOld).to.equal(false)
  })

  it('is asked to come again later if the row changes each time', async () => {
    const { opened, lookUps } = open('open, old', 'open, new')
    const error = await failure(answerByRow(await opened, 'The row', () => Promise.resolve(undefined)))
    expect(error).to.be.instanceOf(Unavailable)
    expect(error.message).to.equal('The row is being changed')
    expect(lookUps()).to.equal(3)
  })
})
