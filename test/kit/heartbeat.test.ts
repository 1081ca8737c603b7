import { expect } from 'chai'
import { createHeartbeat } from '../../src/kit/process/heartbeat.js'
import { memoryLog } from '../helpers/process/log.js'
import { until } from '../helpers/until.js'

interface Claim {
  id: string
}

/** A claim whose lease was over, and one of the same row after that. */
const [LOST, AGAIN]: [Claim, Claim] = [{ id: 'row' }, { id: 'row' }]

describe('a heartbeat', () => {
  const BEAT_MS = 20

  it('renews what goes on for longer than a beat, until it ends', async () => {
    const renewed: Claim[][] = []
    const heartbeat = createHeartbeat(
      BEAT_MS,
      (claims: readonly Claim[]) => Promise.resolve(renewed.push([...claims])),
      memoryLog().log,
    )
    try {
      let end = (): void => undefined
      const long = heartbeat.during(LOST, () => new Promise<void>((resolve) => (end = resolve)))
      expect(await heartbeat.during({ id: 'short' }, () => Promise.resolve('done'))).to.equal('done')
      await until('it is renewed twice', () => renewed.length >= 2)
      expect(new Set(renewed.flat())).to.deep.equal(new Set([LOST]))
      let next = (): void => undefined
      const again = heartbeat.during(AGAIN, () => new Promise<void>((resolve) => (next = resolve)))
      end()
      await long
      const count = renewed.length
      await until('that of the same row is renewed', () => renewed.length > count)
      expect(renewed.at(-1)).to.have.ordered.members([AGAIN])
      next()
      await again
    } finally {
      await heartbeat.stop()
    }
  })

  it('ends with the error of what was done', async () => {
    const heartbeat = createHeartbeat(BEAT_MS, () => Promise.resolve(), memoryLog().log)
    const error = new Error('no')
    expect(
      await heartbeat.during(LOST, () => Promise.reject(error)).catch((thrown: unknown) => thrown),
    ).to.equal(error)
    await heartbeat.stop()
  })

  it('goes on after a renewal that failed, and says so', async () => {
    const { log, lines } = memoryLog()
    let tries = 0
    const heartbeat = createHeartbeat(
      BEAT_MS,
      () => {
        tries += 1
        return tries === 1 ? Promise.reject(new Error('away')) : Promise.resolve()
      },
      log,
    )
    try {
      let end = (): void => undefined
      const work = heartbeat.during(LOST, () => new Promise<void>((resolve) => (end = resolve)))
      await until('it is tried again', () => tries >= 2)
      end()
      await work
      expect(lines.filter(({ msg }) => msg === 'leases.not_renewed')).to.have.length(1)
    } finally {
      await heartbeat.stop()
    }
  })
})
