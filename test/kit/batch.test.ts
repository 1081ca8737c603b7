import { expect } from 'chai'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { batch } from '../../src/kit/process/batch.js'
import { Unavailable } from '../../src/errors.js'
import { failure } from '../helpers/failure.js'
import { until } from '../helpers/until.js'

/** A run that ends when the test says so. */
function controlled() {
  const runs: { items: readonly number[]; end: () => void; fail: (error: Error) => void }[] = []
  const run = (items: readonly number[]) =>
    new Promise<string[]>((resolve, reject) => {
      runs.push({
        items,
        end: () => {
          resolve(items.map((item) => `answer ${item}`))
        },
        fail: reject,
      })
    })
  return { runs, run }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn()
}

describe('batch', () => {
  it('makes one run of the calls of one turn of the event loop, also of those a microtask later', async () => {
    const runs: (readonly number[])[] = []
    const call = batch((items: readonly number[]) => {
      runs.push(items)
      return Promise.resolve([...items])
    })
    const later = Promise.resolve()
      .then(() => undefined)
      .then(() => call(3))
    expect(await Promise.all([call(1), call(2), later])).to.deep.equal([1, 2, 3])
    expect(runs).to.deep.equal([[1, 2, 3]])
    await call(4)
    expect(runs).to.deep.equal([[1, 2, 3], [4]])
  })

  it('gives every call its own answer, by the order of the items', async () => {
    const call = batch((items: readonly number[]) => Promise.resolve(items.map((item) => item * 10)))
    const items = Array.from({ length: 50 }, (_, index) => (index * 7) % 50)
    expect(await Promise.all(items.map(call))).to.deep.equal(items.map((item) => item * 10))
  })

  it('asks twice for two calls with the same item: they are two pieces of work', async () => {
    let seen: readonly string[] = []
    const call = batch((items: readonly string[]) => {
      seen = items
      return Promise.resolve(items.map((_, index) => index))
    })
    expect(await Promise.all([call('same'), call('same')])).to.deep.equal([0, 1])
    expect(seen).to.deep.equal(['same', 'same'])
  })

  it('has at most two runs under way, and collects the calls of the meantime into the next', async () => {
    const { runs, run } = controlled()
    const call = batch(run)
    const answers: Promise<string>[] = []
    for (let item = 0; item < 6; item += 1) {
      answers.push(call(item))
      await turns(3)
    }
    expect(runs.map(({ items }) => items)).to.deep.equal([[0], [1]])
    runs[1]!.end()
    await until('the next run has begun', () => runs.length === 3)
    await turns(3)
    expect(runs.map(({ items }) => items)).to.deep.equal([[0], [1], [2, 3, 4, 5]])
    runs[0]!.end()
    runs[2]!.end()
    expect(await Promise.all(answers)).to.deep.equal([0, 1, 2, 3, 4, 5].map((item) => `answer ${item}`))
  })

  it('has as many runs under way as it is told', async () => {
    const { runs, run } = controlled()
    const call = batch(run, { inFlight: 1 })
    const answers = [call(0)]
    await turns(3)
    answers.push(call(1))
    await turns(3)
    expect(runs).to.have.length(1)
    runs[0]!.end()
    await until('the second run has begun', () => runs.length === 2)
    runs[1]!.end()
    await Promise.all(answers)
  })

  it('never puts more items than its size into a run, and leaves none out', async () => {
    const sizes: number[] = []
    const call = batch(
      (items: readonly number[]) => {
        sizes.push(items.length)
        return Promise.resolve([...items])
      },
      { maxSize: 10 },
    )
    const items = Array.from({ length: 95 }, (_, index) => index)
    expect(await Promise.all(items.map(call))).to.deep.equal(items)
    expect(sizes).to.deep.equal([10, 10, 10, 10, 10, 10, 10, 10, 10, 5])
  })

  it('rejects one call only when there is an Error in its place', async () => {
    const call = batch((items: readonly number[]) =>
      Promise.resolve(items.map((item) => (item === 2 ? new Error('two is bad') : item))),
    )
    const [first, second, third] = [call(1), failure(call(2)), call(3)]
    expect(await first).to.equal(1)
    expect((await second).message).to.equal('two is bad')
    expect(await third).to.equal(3)
  })

  it('rejects the calls of a failing run only, and goes on', async () => {
    const { runs, run } = controlled()
    const call = batch(run)
    const failing = [failure(call(1)), failure(call(2))]
    await turns(3)
    const fine = call(3)
    await turns(3)
    runs[0]!.fail(new Unavailable('Postgres is away'))
    for (const error of await Promise.all(failing)) expect(error.message).to.equal('Postgres is away')
    runs[1]!.end()
    expect(await fine).to.equal('answer 3')

    const again = call(4)
    await until('a run after the failed one', () => runs.length === 3)
    runs[2]!.end()
    expect(await again).to.equal('answer 4')
  })

  it('tries the calls of a run that failed one by one, so that the one that cannot be done fails alone', async () => {
    const call = batch((items: readonly number[]) => {
      if (items.includes(2)) return Promise.reject(new Error('two is bad'))
      return Promise.resolve(items.map((item) => `answer ${item}`))
    })
    const [first, second, third] = [call(1), failure(call(2)), call(3)]
    expect(await first).to.equal('answer 1')
    expect((await second).message).to.equal('two is bad')
    expect(await third).to.equal('answer 3')
  })

  it('gives the place of a failed run to a batch that waits', async () => {
    const { runs, run } = controlled()
    const call = batch(run, { inFlight: 1 })
    const failing = failure(call(1))
    await turns(3)
    const waiting = call(2)
    await turns(3)
    runs[0]!.fail(new Error('no'))
    await failing
    await until('the waiting run has begun', () => runs.length === 2)
    runs[1]!.end()
    expect(await waiting).to.equal('answer 2')
  })

  it('refuses what no run takes in time, and nothing else', async () => {
    const { runs, run } = controlled()
    const call = batch(run, { inFlight: 1, maxWaitMs: 1000 })
    const hanging = call(1)
    await turns(3)
    const errors = await Promise.all([failure(call(2)), failure(call(3))])
    for (const error of errors) expect(error).to.be.instanceOf(Unavailable)
    expect(runs.map(({ items }) => items)).to.deep.equal([[1]])
    const next = call(4)
    await turns(3)
    runs[0]!.end()
    expect(await hanging).to.equal('answer 1')
    await until('the next run has begun', () => runs.length === 2)
    runs[1]!.end()
    expect(await next).to.equal('answer 4')
    expect(runs.map(({ items }) => items)).to.deep.equal([[1], [4]])
  })

  it('rejects all calls of a run that gives too few answers', async () => {
    const call = batch((items: readonly number[]) => Promise.resolve(items.slice(1)))
    const errors = await Promise.all([failure(call(1)), failure(call(2))])
    expect(errors).to.have.length(2)
  })
})
