import { expect } from 'chai'
import { DatabaseUnavailable } from '../../src/database/outage.js'
import type { Context } from '../../src/domain/context.js'
import { onceADay } from '../../workers/once-a-day.js'
import { TryAgainIn } from '../../workers/worker-story.js'

describe('a daily job', () => {
  let lines: string[]
  let context: Context
  let error: Error | undefined
  let run: () => Promise<unknown>

  beforeEach(() => {
    lines = []
    const note = (_: object, message: string) => lines.push(message)
    context = { log: { warn: note, error: note } } as unknown as Context
    const job = onceADay('retention', () => (error === undefined ? Promise.resolve() : Promise.reject(error)))
    run = () => job(context).catch((thrown: unknown) => thrown)
  })

  const tooSlow = () =>
    new DatabaseUnavailable('busy', Object.assign(new Error('canceled'), { code: '57014' }))

  it('comes back in ten minutes after a statement that took too long, three times in a row', async () => {
    error = tooSlow()
    for (let n = 1; n <= 3; n += 1)
      expect(await run())
        .to.be.instanceOf(TryAgainIn)
        .with.property('ms', 600_000)
    expect(await run(), 'the next day is the retry').to.be.undefined
    expect(lines).to.deep.equal([...Array<string>(3).fill('retention.too_slow'), 'retention.failed'])
    expect(await run(), 'that of the next day').to.be.instanceOf(TryAgainIn)
    error = undefined
    expect(await run()).to.be.undefined
    error = tooSlow()
    for (let n = 1; n <= 3; n += 1) expect(await run()).to.be.instanceOf(TryAgainIn)
  })

  it('counts these times anew once it has done a part', async () => {
    error = tooSlow()
    for (let n = 1; n <= 3; n += 1) expect(await run()).to.be.instanceOf(TryAgainIn)
    error = new TryAgainIn(60_000)
    expect(await run()).to.equal(error)
    error = tooSlow()
    expect(await run(), 'a slow statement of the next part').to.be.instanceOf(TryAgainIn)
  })

  it('comes back for as long as Postgres is away, and when it has more to do', async () => {
    for (error of [new DatabaseUnavailable('lost', new Error('gone')), new TryAgainIn(60_000)])
      for (let n = 1; n <= 5; n += 1) expect(await run()).to.equal(error)
    expect(lines).to.deep.equal([])
  })

  it('ends after any other failure, so that no two of them ever run side by side', async () => {
    error = new Error('a file cannot be deleted')
    expect(await run()).to.be.undefined
    expect(lines).to.deep.equal(['retention.failed'])
  })
})
