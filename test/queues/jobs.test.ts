import { expect } from 'chai'
import { inspect } from 'node:util'
import { newId } from '../../src/ids.js'
import {
  deliverEventJob,
  jobIdOf,
  maintenanceJob,
  sendMessageJob,
  UnreadableJob,
  type ReadJob,
} from '../../src/queues/jobs.js'

const id = newId()
const endpointId = newId()

function isTaken(read: ReadJob<unknown>, data: unknown): boolean {
  try {
    expect(read(data)).to.equal(data)
    return true
  } catch (error) {
    if (error instanceof UnreadableJob) return false
    throw error
  }
}

describe('jobs', () => {
  it('are taken with a known version and the ids they need', () => {
    expect(isTaken(sendMessageJob, { v: 1, id })).to.be.true
    expect(isTaken(deliverEventJob, { v: 1, id, endpointId })).to.be.true
    expect(isTaken(maintenanceJob, { v: 1 })).to.be.true
  })

  for (const v of [0, 2, '1', null, undefined]) {
    it(`of version ${inspect(v)} are not taken`, () => {
      expect(isTaken(sendMessageJob, { v, id })).to.be.false
      expect(isTaken(deliverEventJob, { v, id, endpointId })).to.be.false
      expect(isTaken(maintenanceJob, { v })).to.be.false
    })
  }

  const wrongIds: [string, unknown][] = [
    ['none', undefined],
    ['null', null],
    ['an empty text', ''],
    ['a word', 'abc'],
    ['a number', 7],
    ['an object', {}],
    ['that of a job', `${id}-g1`],
    ['more than an id', `${id}' or 1=1`],
  ]
  for (const [what, wrong] of wrongIds) {
    it(`with ${what} in place of an id are not taken`, () => {
      expect(isTaken(sendMessageJob, { v: 1, id: wrong })).to.be.false
      expect(isTaken(deliverEventJob, { v: 1, id: wrong, endpointId })).to.be.false
      expect(isTaken(deliverEventJob, { v: 1, id, endpointId: wrong })).to.be.false
    })
  }

  it('that are no objects are not taken', () => {
    for (const data of [null, 'x', 7, []])
      expect(isTaken(sendMessageJob, data), JSON.stringify(data)).to.be.false
  })

  it('have the id of their row, and a name of their own in later generations', () => {
    expect(jobIdOf(id, 0)).to.equal(id)
    expect(jobIdOf(id, 1)).to.equal(`${id}-g1`)
    expect(jobIdOf(id, 12)).to.equal(`${id}-g12`)
    // BullMQ refuses a colon in an id.
    expect(jobIdOf(id, 3)).not.to.contain(':')
  })
})
