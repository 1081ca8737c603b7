import { expect } from 'chai'
import { claimTask } from '../../../../src/database/operating/tasks.js'
import { saveContact } from '../../../../src/domain/lines/contacts.js'
import { getOwnLine } from '../../../../src/domain/lines/lines.js'
import { setSpendCap } from '../../../../src/domain/messages/spending/spend-caps.js'
import { queueListBatch } from '../../../../src/domain/messages/text-list/task.js'
import { listTasks } from '../../../../src/database/operating/tasks.js'
import { getTask, stopTask } from '../../../../src/domain/operating/tasks.js'
import { forgetPerson } from '../../../../src/domain/people/forget.js'
import { newId, timeOfId } from '../../../../src/ids.js'
import { ANNA, BEN, changeRows, CLEO, countRows, queueMessages, UNLIMITED } from '../../../domain/fixtures.js'
import { idAt, monthAgo } from '../../../domain/operating/retention/past.js'
import { goOn } from '../../../domain/operating/tasks.js'
import { createLine, lineForEachTest } from '../../../helpers/factories.js'
import { forEachTest } from '../../../helpers/suite.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { browseAs, expectPage, expectSentTo, faultOf } from '../support.js'
import { textOf, wordsAt, wordsOf } from './line/line-page.js'

const MAX_QUEUED = 300

const OPTIONS = { environment: { MAX_QUEUED_PER_LINE: String(MAX_QUEUED) } }

const STARTED = '/console/tasks?done=list-started'

describeWeb('a text to many from a CSV file', OPTIONS, ({ context, web }) => {
  const line = lineForEachTest(context, { ...UNLIMITED, name: 'Front desk' })
  const browser = forEachTest(() => browse(context, web, line.userId))
  let path: string

  beforeEach(async () => {
    // What the lists before have queued counts for the account, too.
    await context.db('messages').where({ status: 'queued' }).update({ status: 'sent' })
    path = `/console/lines/${line.lineId}/list`
  })

  /** A file of so many numbers, beginning with the one that ends so. */
  const numbers = (count: number, first: number) =>
    ['to', ...Array.from({ length: count }, (_, n) => `+1500555${first + n}`)].join('\n')
  const preview = (csv: string | Buffer, text: string, more: Record<string, string> = {}) =>
    browser.submitMultipart(`${path}/preview`, {
      ...more,
      text,
      file: new Blob([csv as BlobPart], { type: 'text/csv' }),
    })
  /** As the form of the preview, which a browser gives CRLF at each end of a line. */
  const hiddenOf = (html: string) => {
    const [, form = ''] = /<form[^>]*list\/messages"(.*?)<\/form>/s.exec(html) ?? []
    return Object.fromEntries(
      [...form.matchAll(/name="(key|text|column|csv)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        textOf(value).replace(/\n/g, '\r\n'),
      ]),
    )
  }
  const send = async (csv: string, text: string) => {
    const answer = await browser.submitMultipart(
      `${path}/messages`,
      hiddenOf((await preview(csv, text)).text),
    )
    expectSentTo(answer, STARTED)
    const [task] = await listTasks(context.db, line.userId, { limit: 1 })
    return task!
  }
  const messages = () =>
    context.db('messages').where({ line_id: line.lineId, direction: 'outbound' }).orderBy('position')
  /** What waits is sent. */
  const drain = () => messages().where({ status: 'queued' }).update({ status: 'sent' })
  const results = async (taskId: string) =>
    (await browser.get(`/console/tasks/${taskId}/results.csv`)).text
      .replace(/^\ufeff/, '')
      .trim()
      .split('\n')

  it('is shown before it is sent: which rows are good, which are not and why, and the first texts', async () => {
    const { lineId, userId } = line
    await context
      .db('line_peers')
      .insert({ line_id: lineId, number: CLEO, opted_out_at: context.db.fn.now() })
    const blocked = '+15005550104'
    await saveContact(context, userId, blocked, { blocked: true })
    const csv = [
      '\ufeffName;Phone',
      `Ada;${ANNA}`,
      `"Grace ""G"";\nHopper";${BEN}`,
      'Nobody;none',
      ';+15005550105',
      `Ada again;${ANNA.replace('+1', '+1 ')}`,
      `Cleo;${CLEO}`,
      `Mallory;${blocked}`,
      `Long;+15005550106;more`,
      `${'x'.repeat(1600)};+15005550107`,
      'Premium;+19005550100',
      ';',
      'Linus;500-555-0108',
    ].join('\r\n')
    const before = [await countRows(context, 'tasks'), await countRows(context, 'task_texts')]
    const { text: html } = await preview(csv, 'Hi {{ name }}, see you!')
    const words = wordsOf(html)
    expect(words).to.include('3 of 11 will be sent, 8 skipped')
    expect(words).to.match(
      /Sending takes About a minute at 100,000 a minute Segments 3 Phone numbers Column “ ?Phone ?”/,
    )
    expect(words).to.include('Texts To Text Segments')
    expect(words).to.include('Hi Ada, see you!').and.include('Hi Grace "G"; Hopper, see you!')
    expect(words).to.include('Hi Linus, see you!')
    for (const skipped of [
      'Row 4 none Not a phone number',
      'Row 5 +15005550105 {{name}} is empty',
      `Row 6 ${ANNA.replace('+1', '+1 ')} Same number as row 2`,
      `Row 7 ${CLEO} Opted out with STOP`,
      `Row 8 ${blocked} You blocked this number`,
      'Row 9 +15005550106 Has 3 values instead of 2',
      'Row 10 +15005550107 The text has more than 1,600 characters',
      'Row 11 +19005550100 Lines cannot text premium-rate numbers',
    ]) {
      expect(words).to.include(skipped)
    }
    expect([await countRows(context, 'tasks'), await countRows(context, 'task_texts')]).to.deep.equal(before)
    const many = [numbers(60, 1000), 'no', 'no', 'no', ANNA, ANNA]
    await changeRows(context, 'lines', lineId, { messages_per_minute: 30 })
    const counted = wordsOf((await preview(many.join('\n'), 'Hi')).text)
    expect(counted).to.include('Sending takes About 3 minutes at 30 a minute')
    expect(counted).to.include(
      'Not a phone number 3 rows Same number as an earlier row 1 row Row Number Reason',
    )

    const misspelt = await preview(csv, 'Hi {{nme}}')
    expect(faultOf(misspelt)).to.equal('The file has no column for {{nme}}. You can use {{Name}}, {{Phone}}')
    expect(misspelt.text, 'the file is kept').to.match(/type="hidden" name="csv" value="\ufeff?Name;Phone/)
    expect(wordsOf((await preview(csv, 'Hi', { column: 'Name' })).text)).to.include(
      'None of the rows can be sent.',
    )
    for (const [wrong, fault] of [
      ['', 'The file is empty'],
      [`${ANNA},Ada\n`, 'The first line must name the columns, such as phone,name'],
      ['phone,name\n"+1,Ada', /^Line 2 is not valid CSV/],
      ['a,A\n1,2', 'The file has two columns named “A”'],
      [Buffer.from([0x70, 0xff, 0x0a]), 'The file is not UTF-8. Save it as “CSV UTF-8”, and choose it again'],
      [`phone\n${'1\n'.repeat(10_001)}`, 'The file has more than 10,000 rows. Split it'],
      ['x'.repeat(1024 * 1024 + 1), 'The file is larger than 1 MiB'],
    ] as const) {
      const refused = await preview(wrong, 'Hi')
      expect(faultOf(refused)).to.match(fault instanceof RegExp ? fault : new RegExp(`^${fault}$`))
      expect(refused.text).to.include('>Hi</textarea>')
      expect(refused.text).to.match(/<input name="file"[^>]* aria-invalid="true"/)
    }
    expect(misspelt.text, 'the text may be wrong as well').to.not.match(
      /<input name="file"[^>]* aria-invalid/,
    )
    const withoutFile = await browser.submitMultipart(`${path}/preview`, { text: 'Hi' })
    expect(faultOf(withoutFile)).to.equal('Choose a file')
    const emptied = await preview('', 'Hi', { csv })
    expect(faultOf(emptied), 'not the file that was chosen before').to.equal('The file is empty')
  })

  it('goes out once to each row of 2,000 while the line has room, and the results say what became of it', async () => {
    const rows = Array.from({ length: 2000 }, (_, n) => `+1500555${String(2000 + n)},Person ${n}`)
    rows.splice(10, 0, '=HYPERLINK(1),Mallory')
    const task = await send(`phone,name\n${rows.join('\n')}`, 'Hi {{name}}')
    expect(task).to.include({ kind: 'text_list', totalCount: 2000, lineId: line.lineId })
    expect((await results(task.id)).slice(0, 2)).to.deep.equal([
      'row,number,messageId,status,reason',
      `2,'+15005552000,,waiting,`,
    ])

    // A list takes half of the line's queue, waits there, and leaves the rest to others.
    const half = MAX_QUEUED / 2
    expect(await goOn(context, task, 6)).to.include({ status: 'running', doneCount: half })
    expect(await messages()).to.have.length(half)
    for (let n = 0; n < 13; n += 1) {
      await drain()
      await goOn(context, task, 2)
    }
    expect(await goOn(context, task, 2)).to.include({
      ...{ status: 'done', doneCount: 2000, failedCount: 0, totalCount: 2000 },
    })
    const sent = await messages()
    expect(sent).to.have.length(2000)
    expect(new Set(sent.map(({ to_number: to }: { to_number: string }) => to)).size).to.equal(2000)
    expect(sent[7]).to.include({ to_number: '+15005552007', text: 'Hi Person 7', source: 'console' })
    expect(await context.db('task_texts').where({ task_id: task.id }).whereNotNull('text')).to.deep.equal([])
    const csv = await results(task.id)
    expect(csv).to.have.length(2002)
    expect(csv[1]).to.equal(`2,'+15005552000,${(sent[0] as { id: string }).id},sent,`)
    expect(csv[11]).to.equal('12,,,not sent,Not a phone number')
    expect(await wordsAt(browser, '/console/tasks')).to.match(
      /Texts to a list from Front desk Results \(CSV\) 2,000 of 2,000 queued queued/,
    )
  })

  it('queues nothing while sending is paused, and never more than the line sends before it would expire', async () => {
    const csv = numbers(130, 5000)
    const task = await send(csv, 'Hi')
    const change = (fields: object) => context.db('lines').where({ id: line.lineId }).update(fields)
    await change({ paused_at: context.db.fn.now() })
    expect(await goOn(context, task, 2)).to.include({ status: 'running', doneCount: 0 })
    const page = await wordsAt(browser, '/console/tasks')
    expect(page).to.include('0 of 130 queued').and.include('Waiting until sending from the line resumes.')
    // Of the four hours after which a text expires, a list uses one.
    await change({ paused_at: null, messages_per_minute: 1 })
    expect(await goOn(context, task, 3)).to.include({ status: 'running', doneCount: 60 })
    await change({ messages_per_minute: 1000 })
    const pace = (fields: object) =>
      context.db('carrier_accounts').where({ name: 'simulator' }).update(fields)
    await pace({ messages_per_second: 0.025 })
    expect(await goOn(context, task, 3), '90 in an hour').to.include({ status: 'running', doneCount: 90 })
    await pace({ messages_per_second: null, messages_per_second_per_line: 0.03 })
    expect(await goOn(context, task, 3)).to.include({ status: 'running', doneCount: 108 })
    expect(wordsOf((await preview(csv, 'Hi')).text)).to.include('About 1.2 hours at 1.8 a minute')
    await pace({ messages_per_second_per_line: null })
    expect(await goOn(context, task)).to.include({ status: 'done', doneCount: 130, failedCount: 0 })
  })

  it('queues one text while the carrier fails, and no more than its other lines leave of its pace', async () => {
    const csv = numbers(130, 7000)
    const task = await send(csv, 'Hi')
    const change = (fields: object) =>
      context.db('carrier_accounts').where({ name: 'simulator' }).update(fields)
    await change({ failing_since: context.db.fn.now() })
    expect(await goOn(context, task, 3)).to.include({ status: 'running', doneCount: 1 })
    const another = await createLine(context)
    await queueMessages(context, another, 40)
    // 90 in an hour.
    await change({ failing_since: null, messages_per_second: 0.025 })
    expect(await goOn(context, task, 3)).to.include({ status: 'running', doneCount: 50 })
    await queueMessages(context, another, 100)
    await drain()
    expect(await goOn(context, task, 3), 'one at least').to.include({ status: 'running', doneCount: 51 })
    await change({ messages_per_second: null })
    expect(await goOn(context, task)).to.include({ status: 'done', doneCount: 130 })
  })

  it('goes by the pace of a route that its line takes first, and counts other lines that may take it', async () => {
    const csv = numbers(130, 8000)
    const task = await send(csv, 'Hi')
    // 90 in an hour.
    const slow = { id: newId(), name: 'slow', kind: 'simulator', messages_per_second: 0.025 }
    await context.db('carrier_accounts').insert(slow)
    const another = await createLine(context)
    const routes = JSON.stringify([{ carrier: 'slow' }])
    for (const { lineId } of [line, another]) await changeRows(context, 'lines', lineId, { routes })
    await queueMessages(context, another, 40)
    expect(await goOn(context, task, 3)).to.include({ status: 'running', doneCount: 50 })
    await drain()
    expect(wordsOf((await preview(csv, 'Hi')).text)).to.include('at 1.5 a minute')
  })

  it('is one task however often its button is pressed, and stops in the middle', async () => {
    const csv = numbers(250, 3000)
    const fields = hiddenOf((await preview(csv, 'Hi')).text)
    for (const answer of await Promise.all(
      [1, 2].map(() => browser.submitMultipart(`${path}/messages`, fields)),
    ))
      expectSentTo(answer, STARTED)
    const tasks = await listTasks(context.db, line.userId, { limit: 9 })
    expect(tasks.map(({ id }) => id)).to.deep.equal([fields.key])
    const [task] = tasks
    await goOn(context, task!, 1)
    await stopTask(context, line.userId, task!.id)
    expect(await goOn(context, task!)).to.include({ status: 'stopped', doneCount: 100, totalCount: 250 })
    expect(await messages()).to.have.length(100)
    expect(await context.db('task_texts').where({ task_id: task!.id }).whereNotNull('text')).to.deep.equal([])
    const csvAfter = await results(task!.id)
    expect([csvAfter.filter((row) => row.endsWith(',queued,')), csvAfter.at(-1)]).to.deep.equal([
      csvAfter.slice(1, 101),
      `251,'+15005553249,,not sent,`,
    ])
  })

  it('sends none twice when its worker dies after it queued, or comes back from the dead', async () => {
    const csv = numbers(140, 4000)
    const task = await send(csv, 'Hi')
    await context.db.raw(`
      create function die() returns trigger language plpgsql as $$ begin raise 'dead'; end $$;
      create trigger die before update of text on task_texts for each row when (new.text is null) execute function die()`)
    const dying = await goOn(context, task, 1).catch((error: unknown) => String(error))
    expect(dying).to.include('dead')
    await context.db.raw('drop trigger die on task_texts; drop function die()')
    expect(await messages(), 'they were queued, and that was not written down').to.have.length(100)
    expect(await getTask(context, undefined, task.id)).to.include({ doneCount: 0 })
    // Keys are kept for a day, and a service may be down for longer.
    await context.db('idempotency_keys').delete()

    const claim = async () => {
      await context.db('tasks').where({ id: task.id }).update({ lease_until: null })
      const claimed = await claimTask(context.db, task.id, 10_000)
      if (claimed === undefined || 'inMs' in claimed) throw new Error('not claimed')
      return claimed
    }
    await goOn(context, task, 1)
    expect(await messages()).to.have.length(100)
    const [first, second] = [await claim(), await claim()]
    const ends = await Promise.allSettled([queueListBatch(context, first), queueListBatch(context, second)])
    expect(ends.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled'])
    await context.db('tasks').where({ id: task.id }).update({ lease_until: null })
    await drain()
    expect(await goOn(context, task)).to.include({ status: 'done', doneCount: 140, failedCount: 0 })
    const sent = await messages().pluck<string[]>('to_number')
    expect([sent.length, new Set(sent).size]).to.deep.equal([140, 140])
  })

  it('queues nothing under an id from before its line was paused, if that was weeks ago', async () => {
    const task = await send(numbers(3, 6000), 'Hi')
    // What a text gets for which the queue has no room.
    for (const row of [2, 3, 4]) {
      const ofRow = { task_id: task.id, line_of_file: row }
      await context
        .db('task_texts')
        .where(ofRow)
        .update({ message_id: idAt(monthAgo(2)) })
    }
    expect(await goOn(context, task)).to.include({ status: 'done', doneCount: 3, failedCount: 0 })
    const ids = await messages().pluck<string[]>('id')
    expect(ids).to.have.length(3)
    for (const id of ids) expect(timeOfId(id).getTime()).to.be.above(Date.now() - 60_000)
  })

  it('ends at a cap, and leaves out who opted out or was forgotten meanwhile', async () => {
    const { userId, lineId } = line
    const task = await send(`to\n${ANNA}\n${BEN}\n${CLEO}\n+15005550105\n+15005550106`, 'Hi')
    await context.db('line_peers').insert({ line_id: lineId, number: BEN, opted_out_at: context.db.fn.now() })
    await forgetPerson(context, CLEO, 'they asked for it')
    await setSpendCap(context, { of: 'line', id: lineId, userId }, 2)
    expect(await goOn(context, task)).to.include({ status: 'failed', doneCount: 2, failedCount: 1 })
    const page = await wordsAt(browser, '/console/tasks')
    expect(page).to.include('1 failed. Opted out with STOP').and.include('The daily segment cap')
    expect((await results(task.id)).slice(1).map((row) => row.replace(/[\da-f-]{36}/, 'id'))).to.deep.equal([
      `2,'${ANNA},id,queued,`,
      `3,'${BEN},,not sent,Opted out with STOP`,
      '4,forgotten,,not sent,Erased',
      `5,'+15005550105,id,queued,`,
      `6,'+15005550106,,not sent,`,
    ])
    expect(await countRows(context, 'task_texts')).to.be.above(0)
    await context.db('lines').where({ id: lineId }).update({ status: 'disabled' })
    const { text } = await preview(`to\n${ANNA}`, 'Hi')
    expect(wordsOf(text)).to.include('room for 0 segments today')
    expect(faultOf(await browser.submitMultipart(`${path}/messages`, hiddenOf(text)))).to.equal(
      'This line is disabled and cannot send',
    )
    expect((await getOwnLine(context, userId, lineId)).status).to.equal('disabled')
  })

  it('is nothing to another user, and neither are its results', async () => {
    const csv = `to\n${ANNA}`
    const { id } = await send(csv, 'Hi')
    const before = await countRows(context, 'tasks')
    const stranger = await browseAs(context, web)
    for (const answer of [
      await stranger.submitMultipart(`${path}/preview`, { text: 'Hi', file: new Blob([csv]) }),
      await stranger.submitMultipart(`${path}/messages`, { key: newId(), csv, text: 'Hi' }),
      await stranger.get(`/console/tasks/${id}/results.csv`),
    ]) {
      expectPage(answer, 404)
      expect(answer.text).not.to.include(ANNA)
    }
    expect(await countRows(context, 'tasks')).to.equal(before)
  })
})
