import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { MAX_CRASHES } from '../../src/domain/crashes.js'
import { receiveMessage } from '../../src/domain/messages/receive.js'
import { sweep } from '../../src/domain/sweep.js'
import { newId } from '../../src/ids.js'
import { createLine } from '../helpers/factories.js'
import { startProcess, startWeb, stopProcesses, type RunningProcess } from '../helpers/process/processes.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import {
  createInstallation,
  endLeases,
  numbers,
  outboundMessages,
  postAll,
} from '../journeys/support/steps.js'

const [poisoned = '', other = ''] = numbers(2)

describe('a row that crashes its jobs', function () {
  this.timeout(60_000)

  let context: Context
  let url: string
  let sendMessage: RunningProcess
  let deliverEvent: RunningProcess

  before(async () => {
    const installation = await createInstallation()
    context = installation.context
    const [web, ...workers] = await Promise.all([
      startWeb(installation.environment),
      startProcess('send-message', installation.environment),
      startProcess('deliver-event', installation.environment),
    ])
    url = web.url
    ;[sendMessage, deliverEvent] = workers
  })

  after(async () => {
    await stopProcesses()
    await context.close()
  })

  const crashCount = (worker: RunningProcess) =>
    worker.log().filter(({ msg }) => msg === 'job.crashed').length

  it('a message is dead after five crashes, and shown as failed; other messages are sent', async () => {
    await context.db.raw(`
      create function refuse_poison() returns trigger language plpgsql as $$ begin raise 'poison'; end $$;
      create trigger refuse_poison before update on messages for each row
        when (new.status = 'sending' and new.to_number = '${poisoned}') execute function refuse_poison()`)
    const line = await createLine(context)
    await postAll(url, line, [{ toNumber: poisoned }])
    const find = async (number: string) =>
      (await outboundMessages(context, line)).find(({ to_number }) => to_number === number)
    await until('it is dead', async () => {
      await context.queues.sendMessage.promoteJobs()
      return (await find(poisoned))?.status === 'failed'
    })
    expect(await find(poisoned)).to.include({ error: 'internal_error' })
    expect(crashCount(sendMessage)).to.equal(MAX_CRASHES)

    await postAll(url, line, [{ toNumber: other }])
    await until('the other one is sent', async () => (await find(other))?.status === 'sent')
  })

  it('a delivery is exhausted after five lost leases, and shown so; other deliveries are made', async () => {
    const receiver = await startReceiver()
    const line = await createLine(context, { outgoingUrl: receiver.url })
    const receive = (text: string) =>
      receiveMessage(context, {
        carrierAccount: 'simulator',
        carrierMessageId: newId(),
        fromNumber: other,
        toNumber: line.number,
        content: { type: 'inboundText', text },
      })
    const { sealed } = await takeSecret(line.lineId, Buffer.from('not a secret'))
    await receive('Poison')
    for (let crashes = 1; crashes <= MAX_CRASHES; crashes += 1) {
      await until(`crash ${crashes}`, () => crashCount(deliverEvent) === crashes)
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
    await receiver.close()
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
