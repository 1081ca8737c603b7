import { expect } from 'chai'
import { getOwnLine } from '../../src/domain/lines/lines.js'
import { readListFile } from '../../src/domain/messages/text-list/read-file.js'
import { startTextList } from '../../src/domain/messages/text-list/task.js'
import { getTask, type Task } from '../../src/domain/operating/tasks.js'
import { newId } from '../../src/ids.js'
import { countRows, UNLIMITED } from '../domain/fixtures.js'
import { createLine } from '../helpers/factories.js'
import { startProcess } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'

const COUNT = 500

const SETUP = { processes: ['send-message'], environment: { MAX_QUEUED_PER_LINE: '300' } } as const

describeInstallation('journey: sending a text to a list', SETUP, ({ environment, context }) => {
  it('reaches each of 500 numbers once, although the worker is killed partway', async () => {
    const { userId, lineId } = await createLine(context, UNLIMITED)
    const rows = Array.from({ length: COUNT }, (_, n) => `+1500555${String(2000 + n)},${n}`)
    const asked = { file: readListFile(`to,n\n${rows.join('\n')}`), text: 'Number {{n}}', column: '' }
    const { id } = await startTextList(context, await getOwnLine(context, userId, lineId), asked, newId())
    const whenAt = (isThere: (now: Task) => boolean) =>
      until(
        'it is so far',
        async () => {
          const now = await getTask(context, undefined, id)
          return isThere(now) && now
        },
        60_000,
      )

    // Until then none is sent, so that there is no room for the rest.
    await context.queues.sendMessage.pause()
    const maintenance = await startProcess('maintenance', environment)
    await whenAt(({ doneCount }) => doneCount >= 150)
    await maintenance.kill('SIGKILL')
    expect((await getTask(context, undefined, id)).doneCount, 'killed in the middle').to.be.below(COUNT)
    await context.queues.sendMessage.resume()

    await startProcess('maintenance', environment)
    expect(await whenAt(({ endedAt }) => endedAt !== null)).to.include({
      ...{ status: 'done', doneCount: COUNT, failedCount: 0 },
    })
    await until('all are sent', async () => (await countRows(context, 'simulator_outbox')) >= COUNT)
    const sent = await context.db('simulator_outbox').pluck<string[]>('to_number')
    expect([sent.length, new Set(sent).size]).to.deep.equal([COUNT, COUNT])
  })
})
