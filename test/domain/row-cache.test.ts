import { expect } from 'chai'
import { createRowCache } from '../../src/domain/row-cache.js'

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
