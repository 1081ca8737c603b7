import { expect } from 'chai'
import type { Knex } from 'knex'
import { findDueWork, type DueWork } from '../../../src/database/operating/due-work.js'
import { MAX_LOST } from '../../../src/domain/crashes.js'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { queueMessage, receiveForDelivery } from '../../domain/fixtures.js'

const PAST = `now() - interval '10 seconds'`
/** So long that nothing becomes it while a busy machine goes through a test. */
const OVERDUE_MS = 60_000
const OVERDUE = `now() - interval '61 seconds'`
const SOON = `now() + interval '1 minute'`

describeContext('what there is to do', (context) => {
  let line: TestLine

  beforeEach(async () => {
    for (const table of ['messages', 'deliveries', 'media', 'tasks', 'simulator_outbox', 'dispatches']) {
      await context.db(table).delete()
    }
    for (const table of ['lines', 'carrier_accounts', 'all_sending']) {
      await context.db(table).update({ resumed_at: null })
    }
    await context.db('lines').update({ disabled_at: null })
    await context.db('carrier_accounts').update({ recovered_at: null, avoided_count: 0 })
    line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/events' })
  })

  const asked = { overdueMs: OVERDUE_MS, maxLost: MAX_LOST, looksIntoLanes: true }
  const found = async () => [...(await findDueWork(context.db, asked))]
  const at = (sql: string): Knex.Raw => context.db.raw(sql)
  const insert = (table: string, row: object) => context.db(table).insert({ id: at('new_id()'), ...row })

  const message = (columns: object) => queueMessage(context, line, columns)
  const delivery = async (columns: object) => {
    const { id } = await receiveForDelivery(context, line)
    await context.db('deliveries').where({ id }).update(columns)
  }
  const media = (columns: object) =>
    insert('media', {
      ...{ user_id: line.userId, line_id: line.lineId, message_id: at('new_id()'), purpose: 'inbound' },
      ...{ source_url: 'http://a/', token: at('new_id()::text') },
      ...columns,
    })
  const task = (columns: object) => insert('tasks', { kind: 'replay', asked: '{}', ...columns })
  const mail = (columns: object) =>
    insert('dispatches', { kind: 'reset_link', user_id: line.userId, ...columns })
  const outbox = (receiptSentAt: Knex.Raw | null) =>
    context.db('simulator_outbox').insert({
      ...{ carrier_message_id: at('new_id()'), message_id: at('new_id()') },
      ...{ from_number: '+15005550100', to_number: '+15005550101', receipt_sent_at: receiptSentAt },
    })
  const recovered = (columns: object) => context.db('carrier_accounts').update(columns)
  const resume = (table: string) => context.db(table).update({ resumed_at: at('now()') })

  /** For each kind: rows that are it, and rows that are nearly it. */
  const CASES: Record<DueWork, { due: () => PromiseLike<unknown>; nearly: () => PromiseLike<unknown> }> = {
    'expired messages': {
      due: () => message({ status: 'sending', lease_until: at(PAST) }),
      nearly: () => message({ status: 'sending', lease_until: at(SOON) }),
    },
    'expired deliveries': {
      due: () => delivery({ status: 'delivering', lease_until: at(PAST) }),
      nearly: () => delivery({ status: 'delivering', lease_until: at(SOON) }),
    },
    'expired media': {
      due: () => media({ status: 'fetching', lease_until: at(PAST) }),
      nearly: () => media({ status: 'fetching', lease_until: at(SOON) }),
    },
    'stranded messages': { due: () => message({ due_at: at(OVERDUE) }), nearly: () => message({}) },
    'idle lanes': {
      due: () => delivery({ due_at: at(OVERDUE) }),
      nearly: () => delivery({ due_at: at(SOON) }),
    },
    'stranded media': { due: () => media({ due_at: at(OVERDUE) }), nearly: () => media({}) },
    'stranded tasks': {
      due: () => task({ due_at: at(OVERDUE) }),
      nearly: () => task({ due_at: at(OVERDUE), status: 'done', ended_at: at('now()') }),
    },
    'unknown messages': {
      due: () => message({ status: 'unknown', claimed_at: at(PAST) }),
      nearly: () => message({ status: 'unknown', claimed_at: at(`now() - interval '2 hours'`) }),
    },
    'scheduled messages': {
      due: () => message({ status: 'scheduled', send_at: at(PAST), due_at: at(PAST) }),
      nearly: () => message({ status: 'scheduled', send_at: at(SOON), due_at: at(SOON) }),
    },
    resumptions: { due: () => resume('lines'), nearly: () => context.db('lines').select() },
    'disabled lines': {
      due: () => setLineStatus(context, line.userId, line.lineId, 'disabled'),
      nearly: () => context.db('lines').where({ id: line.lineId }).update({ status: 'disabled' }),
    },
    'recovered accounts': {
      due: () => recovered({ recovered_at: at(PAST), avoided_count: 0 }),
      nearly: () => recovered({ recovered_at: at(PAST), avoided_count: 1 }),
    },
    'simulated receipts': { due: () => outbox(null), nearly: () => outbox(at('now()')) },
    mails: { due: () => mail({}), nearly: () => mail({ due_at: at(SOON) }) },
  }

  for (const [kind, { due, nearly }] of Object.entries(CASES)) {
    it(`is ${kind}, once there are any`, async () => {
      await nearly()
      expect(await found()).to.deep.equal([])
      await due()
      expect(await found()).to.deep.equal([kind])
    })
  }

  it('is no idle lane if nobody looks for it', async () => {
    await delivery({ due_at: at(OVERDUE) })
    expect(await findDueWork(context.db, { ...asked, looksIntoLanes: false })).to.deep.equal(new Set())
  })

  it('is what expires, too', async () => {
    await message({ expires_at: at(SOON) })
    expect(await found()).to.deep.equal([])
    await message({ expires_at: at(PAST) })
    expect(await found()).to.deep.equal(['scheduled messages'])
  })

  it('is an account that recovered within the six minutes for which messages may wait for their next try', async () => {
    await recovered({ recovered_at: at(`now() - interval '361 seconds'`) })
    expect(await found()).to.deep.equal([])
    await recovered({ recovered_at: at(`now() - interval '350 seconds'`) })
    expect(await found()).to.deep.equal(['recovered accounts'])
  })

  for (const table of ['carrier_accounts', 'all_sending']) {
    it(`is what waited for ${table}`, async () => {
      await resume(table)
      expect(await found()).to.deep.equal(['resumptions'])
    })
  }
})
