import { expect } from 'chai'
import { connectDatabase, type Database } from '../../../src/database/connection.js'
import { queueMessages } from '../../../src/database/messages/queueing.js'
import { newId } from '../../../src/ids.js'
import { openHolder } from '../hold.js'
import { connect, createApplication } from '../../domain/applications/applications.js'
import { untilLocked } from '../../domain/fixtures.js'
import { describeContext } from '../../helpers/context.js'
import { createLine } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import { startProxy, type Proxy } from '../proxy.js'
import { openings } from '../../helpers/openings.js'

describeContext('a message whose statement was done, and whose answer was lost', (context) => {
  let proxy: Proxy
  let db: Database

  const open = openings()
  before(async () => {
    proxy = await open(startProxy(context.config.databaseUrl))
    db = connectDatabase({ url: proxy.url, poolSize: 2, applicationName: 'test' })
    open({ close: () => db.destroy() })
  })

  it('is accepted, although Postgres cannot be asked for a while', async () => {
    const { lineId } = await createLine(context)
    const messageId = newId()
    const request = { messageId, lineId, source: 'api', toNumber: '+14155550001', text: 'Hi' } as const
    await Promise.all([db.raw('select pg_sleep(0.05)'), db.raw('select pg_sleep(0.05)')])
    proxy.swallowAnswers()
    // From the beginning: a busy machine may find out that the answer is lost before this test sees the row.
    proxy.refuseNew()
    const answering = queueMessages(db, [request], 100)
    await until('it is written', () => context.db('messages').where({ id: messageId }).first('id'))
    proxy.goDown()
    await until('it was looked for in vain', () => proxy.refusedCount >= 4)
    proxy.goUp()
    expect((await answering)[0]).to.include({ outcome: 'accepted', messageId })
  })
})

describeContext('messages whose statement lost a deadlock', (context) => {
  it('are accepted by a second one', async () => {
    const line = await createLine(context)
    const application = await createApplication(context)
    await connect(context, application, line)
    const { lineId } = line
    const trx = await openHolder(context.db)
    await trx('application_lines').where({ line_id: lineId }).forUpdate().first('line_id')
    const messageId = newId()
    const queueing = queueMessages(
      context.db,
      [
        {
          ...{ messageId, lineId, applicationId: application.id, source: 'application' },
          ...{ toNumber: '+14155550001', text: 'Hi' },
        },
      ],
      100,
    )
    await untilLocked(context)
    // The statement has this lock, has waited for longer, and is the one that gives way.
    await trx.raw('select lock_line(?::uuid)', [lineId])
    await trx.commit()
    expect((await queueing)[0]).to.include({ outcome: 'accepted', messageId })
  })
})
