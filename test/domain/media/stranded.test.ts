import { expect } from 'chai'
import type { Context } from '../../../src/domain/context.js'
import { claimMedia } from '../../../src/database/media/fetching.js'
import { recordMediaCrash } from '../../../src/database/media/stranded.js'
import { MAX_LOST } from '../../../src/domain/crashes.js'
import { fetchMedia } from '../../../src/domain/media/fetch.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { sweep } from '../../../src/domain/sweep.js'
import { jobIdOf } from '../../../src/queues/jobs.js'
import { createStorage } from '../../../src/storage/create.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { copyMedia, mediaRow } from '../../helpers/media.js'
import { startStandIn } from '../../helpers/services/stand-in.js'
import { openForSuite } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { countRows, inboundText } from '../fixtures.js'
import { MEDIA } from '../media-samples.js'

const PNG = MEDIA.picture.png!

describeContext('media whose worker or job is lost', (context) => {
  const host = openForSuite(startStandIn)
  let line: TestLine

  beforeEach(async () => {
    await context.db('media').delete()
    await context.db('deliveries').delete()
    line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/events' })
  })

  const receive = async (url = host.give(PNG)) => {
    const outcome = await receiveMessage(
      context,
      inboundText(line, { content: { type: 'inboundMedia', url } }),
    )
    if (outcome.kind !== 'received') throw new Error(outcome.kind)
    return outcome.messageId
  }
  const hasJob = async (id: string, generation: number) =>
    (await context.queues.fetchMedia.getJob(jobIdOf(id, generation))) !== undefined
  const endLease = (id: string) =>
    context
      .db('media')
      .where({ id })
      .update({ lease_until: context.db.raw(`now() - interval '1 second'`) })
  const makeOverdue = (id: string) =>
    context
      .db('media')
      .where({ id })
      .update({ due_at: context.db.raw(`now() - interval '10 seconds'`) })

  it('are copied anew under a new job when the lease is over', async () => {
    const { id } = await mediaRow(context, await receive())
    await claimMedia(context.db, id, 60_000, MAX_LOST)
    expect(await fetchMedia(context, id)).to.deep.equal({ kind: 'skipped' })
    expect(await sweep(context)).to.equal(0)
    await endLease(id)
    expect(await sweep(context)).to.equal(1)
    expect(await hasJob(id, 1)).to.be.true
    expect(await fetchMedia(context, id)).to.include({ kind: 'stored' })
    expect(await countRows(context, 'deliveries')).to.equal(1)
  })

  it('are stored once, whoever comes late: a second copy goes away again', async () => {
    let release: () => void = () => undefined
    let asked = 0
    const url = host.serve((_request, response) => {
      asked += 1
      if (asked === 1) release = () => response.end(PNG)
      else response.end(PNG)
    })
    const messageId = await receive(url)
    const late = copyMedia(context, messageId)
    await until('the first worker asks', () => asked === 1)
    await endLease((await mediaRow(context, messageId)).id)
    await sweep(context)
    expect(await copyMedia(context, messageId)).to.include({ kind: 'stored' })
    const stored = await mediaRow(context, messageId)
    release()
    expect(await late).to.deep.equal({ kind: 'skipped' })
    expect(await mediaRow(context, messageId)).to.deep.equal(stored)
    const first = stored.storage_key?.replace(/2$/, '1') ?? ''
    const opened = await context.storage.open(first).catch((error: unknown) => error)
    expect(opened).to.have.property('name', 'StoredFileMissing')
    expect(await countRows(context, 'deliveries')).to.equal(1)
  })

  it('get the job that Redis lost, and wait on while they have one', async () => {
    const { id } = await mediaRow(context, await receive())
    await until('it has its job', () => hasJob(id, 0))
    await makeOverdue(id)
    expect(await sweep(context)).to.equal(0)
    await context.redis.flushdb()
    await makeOverdue(id)
    expect(await sweep(context)).to.equal(1)
    expect(await hasJob(id, 1)).to.be.true
  })

  it(`are copied only where they are alone when ${MAX_LOST} workers were lost, and none of them counts as a crash`, async () => {
    const messageId = await receive()
    const { id } = await mediaRow(context, messageId)
    for (let lost = 1; lost <= MAX_LOST; lost += 1) {
      await claimMedia(context.db, id, 60_000, MAX_LOST)
      await endLease(id)
      await sweep(context)
    }
    expect(await fetchMedia(context, id)).to.deep.equal({ kind: 'suspect' })
    expect(await mediaRow(context, messageId)).to.include({ status: 'pending', crash_count: 0 })
    expect(await fetchMedia({ ...context, maxLost: MAX_LOST + 1 }, id)).to.include({ kind: 'stored' })
  })

  it('are given up after five crashes, and their event is held with the reason', async () => {
    const messageId = await receive()
    const { id } = await mediaRow(context, messageId)
    for (let crash = 1; crash <= 5; crash += 1) {
      await claimMedia(context.db, id, 60_000, MAX_LOST)
      await recordMediaCrash(context.db, id)
    }
    expect(await fetchMedia(context, id)).to.deep.equal({ kind: 'failed', failure: 'media_internal_error' })
    const [delivery] = await context.db('deliveries').select<{ status: string; last_failure: string }[]>()
    expect(delivery).to.include({ status: 'held', last_failure: 'media_internal_error' })
  })

  it('wait, and use up no attempt, while the storage does not work', async () => {
    const storage = createStorage({ mediaFolder: '/dev/null/media', mediaS3: undefined })
    const broken: Context = { ...context, storage }
    const messageId = await receive()
    for (let n = 0; n < 12; n += 1) {
      expect(await copyMedia(broken, messageId)).to.deep.equal({
        kind: 'retry',
        ms: 30_000,
        failure: 'media_unavailable',
      })
    }
    expect(await copyMedia(context, messageId)).to.include({ kind: 'stored' })
  })
})
