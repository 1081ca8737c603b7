import { expect } from 'chai'
import { MAX_CRASHES, MAX_LOST } from '../../src/domain/crashes.js'
import { keepUpload } from '../../src/domain/media/uploads.js'
import { sweep } from '../../src/domain/sweep.js'
import { createLine } from '../helpers/factories.js'
import type { RunningProcess } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from '../journeys/support/installation.js'
import { endLeases, numbers, outboundMessages, postAll } from '../journeys/support/steps.js'
import { MEDIA } from '../domain/media-samples.js'
import { makeOverdue, messageRow, post, receiveNew } from '../domain/fixtures.js'

const [poisoned = '', other = ''] = numbers(2)

const SETUP = { processes: ['web', 'send-message', 'deliver-event', 'fetch-media'] } as const

describeInstallation('a row that crashes its jobs', SETUP, ({ context, receiver, running }) => {
  const crashCount = (worker: RunningProcess | undefined) =>
    worker?.log().filter(({ msg }) => msg === 'job.crashed').length

  it('a message is dead after five crashes, and shown as failed; other messages are sent', async () => {
    await context.db.raw(`
      create function refuse_poison() returns trigger language plpgsql as $$ begin raise 'poison'; end $$;
      create trigger refuse_poison before update on messages for each row
        when (new.status = 'sending' and new.to_number = '${poisoned}') execute function refuse_poison()`)
    const line = await createLine(context)
    await postAll(running.url, line, [{ toNumber: poisoned }])
    const find = async (number: string) =>
      (await outboundMessages(context, line)).find(({ to_number }) => to_number === number)
    await until('it is dead', async () => {
      await context.queues.sendMessage.promoteJobs()
      return (await find(poisoned))?.status === 'failed'
    })
    expect(await find(poisoned)).to.include({ error: 'internal_error' })
    // The lines of its log come by a pipe, later than what it wrote to Postgres.
    await until('its crashes are logged', () => crashCount(running.processes[1])! >= MAX_CRASHES)
    expect(crashCount(running.processes[1])).to.equal(MAX_CRASHES)

    await postAll(running.url, line, [{ toNumber: other }])
    await until('the other one is sent', async () => (await find(other))?.status === 'sent')
  })

  it('a delivery is exhausted after five lost leases, and shown so; other deliveries are made', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    const receive = (text: string) =>
      receiveNew(context, line, { fromNumber: other, content: { type: 'inboundText', text } })
    const { sealed } = await takeSecret(line.lineId, Buffer.from('not a secret'))
    await receive('Poison')
    for (let crashes = 1; crashes <= MAX_CRASHES; crashes += 1) {
      await until(`crash ${crashes}`, () => crashCount(running.processes[2]) === crashes)
      await endLeases(context, 'deliveries')
      await sweep(context)
    }
    const dead: Record<string, unknown> | undefined = await context
      .db('deliveries')
      .where({ line_id: line.lineId })
      .first('status', 'attempt_count')
    expect(dead).to.deep.equal({ status: 'exhausted', attempt_count: MAX_CRASHES })

    await takeSecret(line.lineId, sealed)
    await receive('Antidote')
    await until('the other one arrives', () => receiver.requests.length === 1)
    expect(receiver.requests[0]?.body).to.contain('Antidote')
  })

  it('a delivery that is tried in a process of its own is exhausted by its crash there', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    const { sealed } = await takeSecret(line.lineId, Buffer.from('not a secret'))
    await receiveNew(context, line, { fromNumber: other, content: { type: 'inboundText', text: 'Poison' } })
    const deliveries = context.db('deliveries').where({ line_id: line.lineId })
    const crashes = async () => (await deliveries.clone().pluck<number[]>('crash_count'))[0]
    await until('its first crash is counted', async () => (await crashes()) === 1)
    // It waits for longer than this takes, and then no lane may have it.
    await deliveries.clone().update({ lost_count: MAX_LOST, crash_count: MAX_CRASHES - 1 })
    await makeOverdue(context, 'deliveries', await deliveries.clone().pluck('id'))
    await sweep(context)
    await until('it is exhausted', async () => (await crashes()) === MAX_CRASHES)
    expect(await deliveries.clone().first('status', 'attempt_count')).to.deep.equal({
      status: 'exhausted',
      attempt_count: 2,
    })
    await takeSecret(line.lineId, sealed)
  })

  it('media are given up after five crashes, and so is their message', async () => {
    await context.db.raw(`
      create function refuse_copy() returns trigger language plpgsql as $$ begin raise 'poison'; end $$;
      create trigger refuse_copy before update on media for each row
        when (new.status = 'stored') execute function refuse_copy()`)
    const line = await createLine(context)
    const mediaUrl = await keepUpload(context, 'picture', MEDIA.picture.png!)
    const { id } = await post(context, line, { mediaUrl })
    await until('it is given up', async () => {
      await context.queues.fetchMedia.promoteJobs()
      return (await messageRow(context, id)).status === 'failed'
    })
    expect(await messageRow(context, id)).to.include({ error: 'media_internal_error' })
    const crashes = await context.db('media').where({ message_id: id }).pluck<number[]>('crash_count')
    expect(crashes).to.deep.equal([MAX_CRASHES])
  })

  /** Puts another sealed secret in place of the line's. @returns what was there */
  async function takeSecret(lineId: string, sealed: Buffer): Promise<{ sealed: Buffer }> {
    const endpoint = context
      .db('endpoints')
      .whereIn('id', context.db('developer_connections').where({ line_id: lineId }).select('endpoint_id'))
    const before: { sealed: Buffer } | undefined = await endpoint.clone().first({ sealed: 'secret_sealed' })
    await endpoint.update({ secret_sealed: sealed })
    return before!
  }
})
