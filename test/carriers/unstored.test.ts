import { expect } from 'chai'
import { createUnstored } from '../../src/carriers/unstored.js'
import { memoryLog } from '../helpers/process/log.js'

describe('what a carrier says only once', () => {
  it('is logged as lost beyond 200 that wait for Postgres', async () => {
    const { log, lines } = memoryLog()
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    const unstored = createUnstored({ log, receiveReceipt: () => Promise.resolve('taken') })
    let takenCount = 0
    const take = async () => {
      await released
      takenCount += 1
    }
    for (let n = 0; n < 202; n += 1) unstored.enqueue(take)
    expect(lines.filter(({ msg }) => msg === 'carrier.report_lost')).to.have.length(2)
    release()
    await unstored.close()
    expect(takenCount).to.equal(200)
  })
})
