import { expect } from 'chai'
import type { ReceiptOutcome } from '../../../src/domain/messages/receipts.js'
import { createEarlyReceipts } from '../../../src/web/listening/early-receipts.js'
import { until } from '../../helpers/until.js'

describe('early receipts', () => {
  /** Finds the message at the nth look. */
  function findAt(nth: number) {
    const found = { looks: 0, look: () => Promise.resolve(outcome()) }
    const outcome = (): ReceiptOutcome => (++found.looks < nth ? 'of_nothing' : 'changed')
    return found
  }

  it('look again for a message that is not known yet', async () => {
    const lookForMessage = createEarlyReceipts({ againAtMs: [300, 310], maxWaiting: 1 })
    for (const nth of [1, 2, 3]) {
      const found = findAt(nth)
      expect(await lookForMessage(performance.now(), found.look)).to.equal('changed')
      expect(found.looks).to.equal(nth)
    }
  })

  it('are of nothing when the last moment is over', async () => {
    const lookForMessage = createEarlyReceipts({ againAtMs: [300, 310], maxWaiting: 1 })
    const found = findAt(4)
    expect(await lookForMessage(performance.now(), found.look)).to.equal('of_nothing')
    expect(found.looks).to.equal(3)
  })

  it('wait for no moment that was over before: another receipt of the request has waited for it', async () => {
    const lookForMessage = createEarlyReceipts({ againAtMs: [5, 10], maxWaiting: 1 })
    const found = findAt(2)
    expect(await lookForMessage(performance.now() - 10, found.look)).to.equal('of_nothing')
    expect(found.looks).to.equal(1)
  })

  it('wait up to a number of them; the next ones are looked for once, until there is room', async () => {
    const lookForMessage = createEarlyReceipts({ againAtMs: [60_000], maxWaiting: 1 })
    /** Has nearly waited its minute. */
    const nearly = () => performance.now() - 59_700
    let find: (outcome: ReceiptOutcome) => void = () => undefined
    const found = new Promise<ReceiptOutcome>((resolve) => (find = resolve))
    let looks = 0
    const waiting = lookForMessage(nearly(), () => (++looks === 1 ? Promise.resolve('of_nothing') : found))
    await until('it looks again', () => looks === 2)
    const second = findAt(2)
    expect(await lookForMessage(performance.now(), second.look)).to.equal('of_nothing')
    expect(second.looks).to.equal(1)
    find('changed')
    expect(await waiting).to.equal('changed')
    expect(await lookForMessage(nearly(), findAt(2).look)).to.equal('changed')
  })
})
