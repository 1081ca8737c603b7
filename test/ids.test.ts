import { expect } from 'chai'
import { idFrom, isId, newId, timeOfId } from '../src/ids.js'
import { lowestIdAt } from './helpers/lowest-id.js'

describe('ids', () => {
  it('are UUIDs of version 7', () => {
    expect(newId()).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('sort in the order in which one process made them, and are never the same', () => {
    const ids = Array.from({ length: 10_000 }, () => newId())
    expect(ids.toSorted()).to.deep.equal(ids)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('lie between the lowest id of their moment and that of the next', () => {
    const before = new Date()
    const id = newId()
    const after = new Date(Date.now() + 1)
    expect(id >= lowestIdAt(before)).to.be.true
    expect(id < lowestIdAt(after)).to.be.true
  })

  it('follow a clock that was an hour ahead for a moment, and wait for one that is set back a little', () => {
    const clock = Date.now
    try {
      Date.now = () => clock() + 3_600_000
      newId()
      Date.now = clock
      expect(timeOfId(newId()).getTime()).to.be.within(clock() - 1000, clock())
      const before = newId()
      Date.now = () => clock() - 5000
      expect(newId() > before).to.be.true
    } finally {
      Date.now = clock
    }
  })

  it('have a lowest one for every moment, which begins with it', () => {
    expect(lowestIdAt(new Date(0))).to.equal('00000000-0000-0000-0000-000000000000')
    expect(lowestIdAt(new Date('2026-12-01T00:00:00Z'))).to.equal('01a22ee6-b000-0000-0000-000000000000')
  })

  it('made from a scope and a name are the same each time, and of no other pair', () => {
    const scope = newId()
    expect(idFrom(scope, 'a')).to.equal(idFrom(scope, 'a')).and.satisfy(isId)
    const others = [idFrom(scope, 'b'), idFrom(newId(), 'a')]
    expect(others).not.to.include(idFrom(scope, 'a'))
  })

  it('are told from other strings', () => {
    for (const value of [newId(), newId().toUpperCase()]) expect(isId(value)).to.be.true
    for (const value of [
      '',
      'abc',
      newId().slice(1),
      `${newId()}0`,
      ` ${newId()}`,
      newId().replaceAll('-', ''),
      7,
      null,
      undefined,
      {},
    ]) {
      expect(isId(value), JSON.stringify(value)).to.be.false
    }
  })
})
