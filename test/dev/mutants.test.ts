import { expect } from 'chai'
import { findStale } from '../../dev/mutants/check.js'
import type { Mutant } from '../../dev/mutants/mutant.js'
import { MUTANTS } from '../../dev/mutants.js'

describe('the mutants of npm run mutate', () => {
  it('change what is in the code, once, and name tests that there are', () => {
    expect(findStale(MUTANTS)).to.deep.equal([])
  })

  it('are told apart by what they break', () => {
    expect(new Set(MUTANTS.map(({ breaks }) => breaks))).to.have.property('size', MUTANTS.length)
  })

  it('are stale when their text is gone, or is there twice, or a file is', () => {
    const mutant: Mutant = {
      breaks: 'nothing',
      file: 'dev/mutants/mutant.ts',
      find: 'export interface Mutant',
      replace: '',
      tests: ['test/dev/mutants.test.ts'],
    }
    expect(findStale([mutant])).to.deep.equal([])
    for (const [change, fault] of [
      [{ find: 'export class Mutant' }, 'has no such text any more'],
      [{ find: 'string' }, 'has this text more than once'],
      [{ file: 'dev/mutants/gone.ts' }, 'dev/mutants/gone.ts is not there'],
      [{ tests: ['test/dev/gone.test.ts'] }, 'test/dev/gone.test.ts is not there'],
    ] as const) {
      const [said] = findStale([{ ...mutant, ...change }])
      expect(said).to.include(fault)
    }
  })
})
