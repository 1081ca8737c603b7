import { expect } from 'chai'
import { availableBytes, reasonForSmall } from '../../../dev/start/small-machine.js'

const GIB = 1024 ** 3

describe('a small machine', () => {
  it('has less than 1 GiB: then workers share a process by themselves', () => {
    expect(reasonForSmall(undefined, GIB - 1)).to.equal('there is less than 1 GiB of memory')
    expect(reasonForSmall(undefined, GIB)).to.be.undefined
  })

  it('is not asked when a person has said what to do', () => {
    expect(reasonForSmall(true, 64 * GIB)).to.equal('--small was given')
    expect(reasonForSmall(false, GIB / 2)).to.be.undefined
  })

  it('has what its container may use', () => {
    expect(availableBytes(GIB / 2, 8 * GIB)).to.equal(GIB / 2)
  })

  it('has all of its memory where nothing limits it', () => {
    expect(availableBytes(0, 8 * GIB)).to.equal(8 * GIB)
    expect(availableBytes(2 ** 64, 8 * GIB)).to.equal(8 * GIB)
  })
})
