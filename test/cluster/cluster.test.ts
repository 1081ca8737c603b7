import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { experiment, type Result } from '../../chaos/experiment.js'
import type { Fault, World } from '../../chaos/fault.js'
import { findMissed, isTime } from '../../chaos/goals.js'
import { createTemplate } from '../../chaos/stores.js'
import { createDataFolder } from '../helpers/services/services.js'
import { stopProcesses } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { startBucket, type Bucket } from '../storage/bucket.js'
import { startPostgresPair } from './postgres-pair.js'
import { startRedisTrio } from './redis-trio.js'

const THREE = 3
const FLOW_MS = 60_000
/** An S3 of others, with a bucket `media`, in the place of our stand-in: CONTRIBUTING.md says how. */
const S3_ENDPOINT = process.env.CLUSTER_S3_ENDPOINT
/** Between a primary that dies and the standby's promotion: somebody has to see it first. */
const NOTICED_MS = 2000

/**
 * More than one machine, on one: three copies of each process, Redis behind Sentinel, Postgres with a synchronous standby
 * behind PgBouncer in transaction mode, media in a bucket. Both stores fail over while clients go on, and the ledger of
 * `npm run chaos` says what became of what was acknowledged.
 */
describe('a cluster', function () {
  this.timeout(360_000)
  let bucket: Bucket
  let failovers: Fault
  let result: Result
  const story: string[] = []

  before(async () => {
    const folder = createDataFolder('cluster')
    const template = join(folder, 'template')
    const [started] = await Promise.all([startBucket(), createTemplate(template)])
    bucket = started
    failovers = {
      name: 'failovers',
      about: 'Redis and then Postgres fail over to their replicas.',
      layout: {
        copies: {
          web: THREE,
          'send-message': THREE,
          'deliver-event': THREE,
          'fetch-media': THREE,
          maintenance: THREE,
          'receive-smpp': THREE,
        },
        stores: { postgres: startPostgresPair, redis: startRedisTrio },
        environment: {
          DATABASE_NAMED_STATEMENTS: 'false',
          MEDIA_S3_BUCKET: bucket.name,
          MEDIA_S3_ENDPOINT: S3_ENDPOINT ?? bucket.endpoint,
          MEDIA_S3_ACCESS_KEY_ID: 'id',
          MEDIA_S3_SECRET_ACCESS_KEY: 'secret',
        },
      },
      accepting: 'during',
      inflict: async (world) => {
        const { postgres, redis, say } = world
        await whenAllFlows(world)
        say('kill -9 of the master of Redis')
        await redis.kill()
        await redis.start()
        say('the Sentinels have another master')
        await whenAllFlows(world)
        say('the primary of Postgres loses its standby, and is killed')
        await postgres.kill()
        await sleep(NOTICED_MS)
        await postgres.start()
        say('the standby is the primary, and PgBouncer leads there')
        await whenAllFlows(world)
      },
    }
    result = await experiment(failovers, 1, { folder, template, say: (line) => void story.push(line) })
  })

  after(async () => {
    await stopProcesses()
    await bucket.close()
  })

  it('goes on through both failovers, and nothing that was acknowledged is lost or sent twice', () => {
    // Nothing is said about times: the machine may have other things to do. What never recovers is lost.
    const missed = findMissed(failovers, result).filter((goal) => !isTime(goal))
    const figures = Object.fromEntries(missed.map((goal) => [goal, result.score[goal]]))
    expect(figures, JSON.stringify({ ...result, story }, null, 1)).to.deep.equal({})
    const { acknowledged, unknown, unanswered, outageMs, recoverMs, drainMs } = result.score
    console.log(JSON.stringify({ acknowledged, unknown, unanswered, outageMs, recoverMs, drainMs }))
    expect(recoverMs, 'new texts go out and come in at the end').to.be.lessThan(Infinity)
    expect(unknown, 'texts of which nobody knows whether they were sent').to.be.lessThan(acknowledged / 10)
  })

  it('keeps the pictures in the bucket', () => {
    // Of an S3 of others it is known already: no picture goes out or comes in that could not be kept and read.
    expect(bucket.objects.size > 0).to.equal(S3_ENDPOINT === undefined)
  })
})

/** Waits until, from now on, texts and pictures went out and came in, by HTTP and by SMPP. */
async function whenAllFlows(world: World): Promise<void> {
  const since = performance.timeOrigin + performance.now()
  const { seeds } = world
  await until(
    'texts and pictures go out and come in, by HTTP and by SMPP',
    async () => {
      const [taken, received] = await Promise.all([world.taken(), world.received()])
      const sent = taken.filter(({ at }) => at > since)
      const told = received.filter(({ at }) => at > since)
      return (
        sent.some(({ text }) => text.startsWith('picture-')) &&
        sent.some(({ from }) => from === seeds.smppLine?.number) &&
        sent.some(({ text }) => text.startsWith('stranger')) &&
        told.some(({ event }) => event.type !== 'inboundText') &&
        told.some(({ event }) => event.payload.startsWith('smpp')) &&
        told.some(({ event }) => event.payload.startsWith('in'))
      )
    },
    FLOW_MS,
  )
}
