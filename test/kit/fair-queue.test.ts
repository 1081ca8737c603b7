import { expect } from 'chai'
import { Unavailable } from '../../src/errors.js'
import { createFairQueue } from '../../src/kit/process/fair-queue.js'

const fairQueue = (limits: { maxWaiting?: number; maxWaitingEach?: number } = {}) =>
  createFairQueue({ maxWaiting: 100, maxWaitingEach: 100, busy: 'too many wait', ...limits })

describe('fair queue', () => {
  it('go round the owners, however much one of them has to do', async () => {
    const inTurn = fairQueue()
    const done: string[] = []
    const work = (owner: string, number: number) =>
      inTurn(owner, () => Promise.resolve(done.push(`${owner}${number}`)))
    await Promise.all([
      ...[1, 2, 3, 4].map((number) => work('a', number)),
      ...[1, 2].map((number) => work('b', number)),
      work('c', 1),
    ])
    expect(done).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  })

  it('are one at a time, and go on after what fails', async () => {
    const inTurn = fairQueue()
    let running = 0
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'a', 'c'].map((owner) =>
        inTurn(owner, async () => {
          expect(++running).to.equal(1)
          await new Promise((resolve) => setImmediate(resolve))
          running--
          if (owner === 'b') throw new Error('of b')
        }),
      ),
    )
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(await inTurn('b', () => Promise.resolve('again'))).to.equal('again')
  })

  it('are refused to an owner of whom many wait, and to all when all together are too many', async () => {
    const inTurn = fairQueue({ maxWaiting: 3, maxWaitingEach: 2 })
    let end = () => {}
    const first = inTurn('a', () => new Promise<void>((resolve) => (end = resolve)))
    const ask = (owner: string) => inTurn(owner, () => Promise.resolve(owner))
    const waiting = [ask('a'), ask('a')]
    const refused = (asked: Promise<unknown>) =>
      asked.then(
        () => 'done',
        (error: unknown) => error,
      )
    expect(await refused(ask('a'))).to.be.instanceOf(Unavailable)
    waiting.push(ask('b'))
    expect(await refused(ask('c')))
      .to.be.instanceOf(Unavailable)
      .with.property('message', 'too many wait')
    end()
    await first
    expect(await Promise.all(waiting)).to.deep.equal(['a', 'a', 'b'])
    expect(await ask('c')).to.equal('c')
  })
})
