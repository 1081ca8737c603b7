import { expect } from 'chai'
import { transaction } from '../../src/database/connection.js'
import { listCountryPauses, pauseCountry } from '../../src/database/messages/country-guard.js'
import { noteCharges } from '../../src/database/messages/charges.js'
import { listMonthlyCaps, listSpendCaps } from '../../src/database/messages/spend-caps.js'
import { listAudit } from '../../src/domain/operating/audit.js'
import { newId } from '../../src/ids.js'
import { getAnyLine, getOwnLine } from '../../src/domain/lines/lines.js'
import { reconcile } from '../../src/domain/messages/reconcile.js'
import { startTextList } from '../../src/domain/messages/text-list/task.js'
import { getTask } from '../../src/domain/operating/tasks.js'
import { continueTask } from '../../src/domain/operating/tasks/run.js'
import { pauseOf } from '../../src/domain/operating/pauses.js'
import { ANNA, changeRows, messageRow, queueMessage } from '../domain/fixtures.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { until } from '../helpers/until.js'
import { describeCommands } from './linehook.js'

describeCommands('linehook … pause, resume and cap', ({ context, run, json, refuse }) => {
  const at = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z by the command line'

  /** @returns the id of its task */
  async function startList({ userId, lineId }: TestLine, createdAt: unknown): Promise<string> {
    const file = { columns: ['phone'], rows: [{ line: 2, values: [ANNA] }] }
    const line = await getOwnLine(context, userId, lineId)
    const { id } = await startTextList(context, line, { file, text: 'Of a list', column: 'phone' }, newId())
    await changeRows(context, 'tasks', id, { created_at: createdAt })
    return id
  }

  it('line pause and line resume are an operator’s', async () => {
    const { lineId, number } = await createLine(context)
    expect(await run('line', 'pause', number)).to.deep.equal([`line ${number} is paused`])
    expect(pauseOf(await getAnyLine(context, lineId))).to.include({ by: 'operator' })
    expect((await run('line', 'list')).find((line) => line.startsWith(lineId))).to.match(/ paused /)
    expect(await run('line', 'resume', number)).to.deep.equal([`line ${number} is resumed`])
    expect(pauseOf(await getAnyLine(context, lineId))).to.equal(null)
  })

  it('carrier pause and carrier resume are of all lines of an account', async () => {
    expect(await run('carrier', 'pause', 'simulator')).to.deep.equal(['carrier account simulator is paused'])
    expect((await run('carrier', 'list'))[0]).to.match(/ paused since \d{4}/)
    expect(await run('carrier', 'resume', 'simulator')).to.deep.equal([
      'carrier account simulator is resumed',
    ])
    expect(await refuse('carrier', 'pause', 'nobody')).to.equal(
      'No carrier account is named nobody. See `linehook carrier list`',
    )
  })

  it('sending pause, status and resume are of everything, and say what else is paused', async () => {
    const line = await createLine(context)
    await queueMessage(context, line)
    await run('line', 'pause', line.number)
    const [all, ofLine, waiting] = await run('sending', 'pause')
    expect(all).to.match(new RegExp(`^all sending is paused since ${at}$`))
    expect(ofLine).to.match(new RegExp(`^line \\${line.number} is paused since ${at}$`))
    expect(waiting).to.equal('1 message waiting in total')
    expect(await json('sending', 'status')).to.deep.include({
      pausedBy: null,
      waitingCount: 1,
    })
    expect((await run('sending', 'resume'))[0]).to.equal('sending is on')
    expect(await json('sending', 'status')).to.include({ pausedAt: null })
  })

  it('sending after-restore makes what waited unknown, once all sending is paused', async () => {
    const line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/events' })
    await context.db('endpoints').update({ opt_in_events: ['messageStatus'] })
    await context.db('messages').where({ status: 'queued' }).delete()
    const ago = (minutes: number) => context.db.raw(`now() - make_interval(mins => ${minutes})`)
    const [old, young] = [
      await queueMessage(context, line, { created_at: ago(30) }),
      await queueMessage(context, line, { created_at: ago(1) }),
    ]
    // For later: its time has come since the backup, and that of the other has not.
    const scheduled = { status: 'scheduled', created_at: ago(30) }
    const [due, later] = [
      await queueMessage(context, line, { ...scheduled, send_at: ago(20), due_at: ago(20) }),
      await queueMessage(context, line, { ...scheduled, send_at: ago(-20), due_at: ago(-20) }),
    ]
    const [oldList, youngList] = [await startList(line, ago(30)), await startList(line, ago(1))]
    const afterRestore = ['sending', 'after-restore', '--before', '10m']
    expect(await refuse(...afterRestore)).to.match(/^Pause all sending first/)
    await run('sending', 'pause')
    expect(await json(...afterRestore, '--dry-run')).to.include({
      isDryRun: true,
      count: 2,
      listCount: 1,
    })
    // Somebody who only looks at a message, as the sweep does, must not keep it from being marked.
    const { marking } = await transaction(context.db, async (trx) => {
      await trx.raw('set local idle_in_transaction_session_timeout = 0')
      await trx('messages').where({ id: due }).forUpdate().select('id')
      const begun = run(...afterRestore)
      await until('the other is marked', async () => (await messageRow(context, old)).status === 'unknown')
      return { marking: begun }
    })
    expect(await marking).to.deep.equal([
      '2 waiting messages are unknown. Their owners can resend them under Activity, and you can with `linehook message send-again`',
      '1 text list is stopped. Their owners see which texts have no message',
    ])
    expect(await json(...afterRestore)).to.include({ count: 0, listCount: 0 })
    expect(await getTask(context, line.userId, oldList)).to.include({
      status: 'stopped',
      error: 'The database was restored from a backup. Texts that were waiting may have been sent since',
    })
    expect((await getTask(context, line.userId, youngList)).status).to.equal('waiting')
    const left = await context.db('task_texts').whereNotNull('text').pluck<string[]>('task_id')
    expect(left).to.deep.equal([youngList])
    const states: object[] = await context
      .db('messages')
      .whereIn('id', [old, young, due, later])
      .orderBy('id')
      .select('status', 'error')
    expect(states).to.deep.equal([
      { status: 'unknown', error: 'restored' },
      { status: 'queued', error: null },
      { status: 'unknown', error: 'restored' },
      { status: 'scheduled', error: null },
    ])
    const told: object[] = await context
      .db('events')
      .where({ message_id: old, type: 'messageStatus' })
      .select('id')
    expect(told).to.have.length(1)
    // The carrier is not asked: the message would get a reason that is not true.
    expect(await reconcile(context)).to.equal(0)
    for (const entry of await listAudit(context, {}, { limit: 2 })) {
      expect(entry).to.deep.include({ action: 'sending.after_restore', after: { count: 1 } })
    }
    await run('sending', 'resume')
    // A list waits during the pause.
    for (const id of [oldList, youngList]) await continueTask(context, id, () => Promise.resolve())
    const numbers = await context
      .db('messages')
      .where({ line_id: line.lineId, text: 'Of a list' })
      .pluck<string[]>('id')
    expect(numbers, 'only of the young list').to.have.length(1)
  })

  it('user resume-country lets messages to a country go on', async () => {
    const { userId } = await createLine(context)
    const { email } = await context.db('users').where({ id: userId }).first<{ email: string }>('email')
    await pauseCountry(context.db, { userId, country: 'JM', accepted: 340, usual: 12 })
    expect(await run('user', 'resume-country', email, 'JM')).to.deep.equal([
      `messages from ${email} to JM are accepted again`,
    ])
    expect(await listCountryPauses(context.db, { userId }, 10)).to.deep.equal([])
    expect(await refuse('user', 'resume-country', email, 'JM')).to.match(/^country must be one/)
  })

  it('line cap and user cap set a daily cap, and take it away', async () => {
    const { userId, lineId, number } = await createLine(context)
    const { email } = await context.db('users').where({ id: userId }).first<{ email: string }>('email')
    expect(await run('line', 'cap', number, '500')).to.deep.equal([
      `line ${number} may send 500 segments per day`,
    ])
    expect(await run('user', 'cap', email, '900')).to.deep.equal([
      `all lines of ${email} combined may send 900 segments per day`,
    ])
    const caps = async () =>
      (await listSpendCaps(context.db, [lineId, userId])).map(({ segmentsPerDay }) => segmentsPerDay).sort()
    expect(await caps()).to.deep.equal([500, 900])
    expect(await json('line', 'cap', number, 'none')).to.include({ segmentsPerDay: null })
    expect(await caps()).to.deep.equal([900])
    expect(await refuse('user', 'cap', email, 'many')).to.match(/^segments must be a whole number/)
  })

  it('line monthly-cap and user monthly-cap do so for money, and usage says what was spent', async () => {
    const { userId, lineId, number } = await createLine(context)
    const line = { userId, lineId, number } as TestLine
    const { email } = await context.db('users').where({ id: userId }).first<{ email: string }>('email')
    expect(await run('line', 'monthly-cap', number, '50 USD')).to.deep.equal([
      `line ${number} may spend 50.00 USD per month`,
    ])
    expect(await run('user', 'monthly-cap', email, '7.5 eur')).to.deep.equal([
      `all lines of ${email} combined may spend 7.50 EUR per month`,
    ])
    const caps = await listMonthlyCaps(context.db, [lineId, userId], 1)
    expect(caps.map(({ amount, currency }) => `${amount} ${currency}`)).to.have.members(['50 USD', '7.5 EUR'])
    expect(await json('line', 'monthly-cap', number, 'none')).to.include({ amountPerMonth: null })
    expect(await refuse('user', 'monthly-cap', email, 'much')).to.match(
      /^amount must be a value such as 50 USD/,
    )

    expect(await run('usage', '--user', email)).to.deep.equal(['Nothing was sent in these months.'])
    const now = new Date()
    const sent = { status: 'sent', sent_at: now, handed_over_at: now, segment_count: 2 }
    const id = await queueMessage(context, line, sent)
    await noteCharges(context.db, [{ id, price: '0.0158', currency: 'USD' }])
    const another = await queueMessage(context, line, { ...sent, segment_count: 1 })
    await noteCharges(context.db, [{ id: another, price: '0.02', currency: 'EUR' }])
    const month = now.toISOString().slice(0, 7)
    const [head, ...usage] = await run('usage', '--line', number)
    expect(head).to.match(/^month +user +line +messages +segments +cost$/)
    expect(usage.map((row) => row.split(/ {2,}/))).to.deep.equal([
      [month, email, number, '2', '3', '0.02 EUR'],
      [month, email, number, '0.0158 USD'],
    ])
    expect(await json('usage', '--user', email, '--from', month)).to.deep.equal([
      {
        ...{ month, email, lineId, lineNumber: number, messageCount: 2, segmentCount: 3 },
        ...{ carrierSegmentCount: 0, currency: 'EUR', price: '0.02', pricedMessageCount: 1 },
      },
      {
        ...{ month, email, lineId, lineNumber: number, messageCount: 0, segmentCount: 0 },
        ...{ carrierSegmentCount: 0, currency: 'USD', price: '0.0158', pricedMessageCount: 1 },
      },
    ])
    expect(await refuse('usage', '--from', 'x')).to.match(/^from must be a month/)
  })
})
