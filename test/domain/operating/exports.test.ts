import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { listAudit } from '../../../src/domain/operating/audit.js'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import { exportLine, exportPerson, exportUser } from '../../../src/domain/operating/exports/exports.js'
import { zipOf, type ExportFile } from '../../../src/domain/operating/exports/zip.js'
import { getOwnLine } from '../../../src/domain/lines/lines.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, lineForEachTest, type TestLine } from '../../helpers/factories.js'
import { failure } from '../../helpers/failure.js'
import { until } from '../../helpers/until.js'
import { readZip, rowsOf } from '../../helpers/zip.js'
import { changeRows, ANNA, BEN, inboundText, queueMessage, addCopies } from '../fixtures.js'
import { connect, createApplication } from '../applications/applications.js'
import { insertPast, monthAgo } from './retention/past.js'
import { expectRefusal } from '../refusal.js'

const URL = 'http://127.0.0.1:9/events'

describeContext('exports', (context) => {
  const line = lineForEachTest(context, { outgoingUrl: URL })

  const lineZip = async ({ userId, lineId }: TestLine) =>
    readZip(await buffer(await exportLine(context, await getOwnLine(context, userId, lineId))))

  it('of a line have its settings, opt-outs, messages, deliveries with attempts, and media', async () => {
    const past = await insertPast(context, line, monthAgo(1))
    const [own] = await context.db('endpoints').where({ user_id: line.userId }).pluck<string[]>('id')
    await changeRows(context, 'deliveries', past.deliveryId, { endpoint_id: own })
    await receiveMessage(context, inboundText(line, { content: { type: 'inboundText', text: 'STOP' } }))
    const files = await lineZip(line)
    expect([...files.keys()]).to.deep.equal([
      'line.json',
      'opt-outs.jsonl',
      'messages.jsonl',
      'deliveries.jsonl',
      `media/${past.messageId}.png`,
    ])
    const settings = JSON.parse(String(files.get('line.json'))) as { connection: object }
    expect(settings).to.include({ id: line.lineId, number: line.number })
    expect(settings.connection).to.include({ outgoingWebhookUrl: URL })
    expect(rowsOf(files, 'opt-outs.jsonl').map(({ number }) => number)).to.deep.equal([ANNA])
    const messages = rowsOf(files, 'messages.jsonl')
    expect(messages.map(({ text }) => text)).to.include.members(['STOP', 'See you at noon'])
    const [media] = messages.find(({ id }) => id === past.messageId)!.media as object[]
    expect(media).to.include({ file: `media/${past.messageId}.png` })
    const delivery = rowsOf(files, 'deliveries.jsonl').find(({ id }) => id === past.deliveryId)
    expect(delivery?.attempts).to.have.length(1)
    expect(String(files.get(`media/${past.messageId}.png`))).to.equal('picture')
  })

  it('of a line have no secret and nothing of other lines', async () => {
    const other = await createLine(context, { userId: line.userId })
    await queueMessage(context, other, { text: 'of another line' })
    const all = Buffer.concat([...(await lineZip(line)).values()]).toString()
    for (const secret of [line.token, line.signingSecret, 'of another line']) {
      expect(all).not.to.include(secret)
    }
  })

  it('leave out media that were deleted meanwhile', async () => {
    const past = await insertPast(context, line, monthAgo(1))
    await context.storage.remove(past.storageKey)
    expect([...(await lineZip(line)).keys()].filter((name) => name.startsWith('media/'))).to.deep.equal([])
  })

  it('of a user have the account, each line, applications, and what was done, without secrets', async () => {
    const second = await createLine(context, { userId: line.userId })
    await queueMessage(context, second, { text: 'from the second' })
    const application = await createApplication(context, { userId: line.userId, webhookUrl: URL })
    await connect(context, application, line)
    const { token } = await createApiToken(context, line.userId, 'a program')
    const files = await readZip(await buffer(await exportUser(context, line.userId)))
    expect([...files.keys()]).to.include.members([
      'account.json',
      'api-tokens.jsonl',
      'applications.jsonl',
      'authorized-applications.jsonl',
      'history.jsonl',
      `lines/${line.number}/messages.jsonl`,
    ])
    expect(rowsOf(files, `lines/${second.number}/messages.jsonl`)).to.have.length(1)
    expect(rowsOf(files, 'applications.jsonl')[0]).to.include({ id: application.id })
    expect(rowsOf(files, 'api-tokens.jsonl')[0]).to.include({ name: 'a program' })
    expect(rowsOf(files, 'history.jsonl').map(({ action }) => action)).to.include('line.added')
    const all = Buffer.concat([...files.values()]).toString()
    expect(all).not.to.match(/whsec_|password_?hash|"tokenHash|sealed/i)
    for (const secret of [token, line.token, line.signingSecret]) expect(all).not.to.include(secret)
  })

  it('of a user have every contact that stays, also if others are deleted meanwhile', async () => {
    const { userId } = line
    const MIDST = 20
    await context.db.raw(
      `insert into contacts (id, user_id, number, name)
       select nth_id(new_id(), n), ?, 'n' || n, md5(random()::text) || md5(random()::text) || md5(random()::text)
       from generate_series(1, 10000) n`,
      [userId],
    )
    const ids = () => context.db('contacts').where({ user_id: userId }).orderBy('id').pluck<string[]>('id')
    const chunks = (await exportUser(context, userId)) as AsyncIterable<Buffer>
    const read: Buffer[] = []
    for await (const chunk of chunks) {
      read.push(chunk)
      // In the midst of the contacts: the zip is made as fast as it is read.
      if (read.length === MIDST)
        await context
          .db('contacts')
          .whereIn('id', (await ids()).slice(0, 10))
          .delete()
    }
    expect(read.length).to.be.above(MIDST)
    const exported = rowsOf(await readZip(Buffer.concat(read)), 'contacts.jsonl').map(({ id }) => id)
    expect(exported).to.include.members(await ids())
  })

  it('of a user have a folder for each line, whatever its name', async () => {
    const names = ['../../a', 'a\\b', '50%']
    for (const number of names) {
      const { lineId } = await createLine(context, { userId: line.userId })
      await changeRows(context, 'lines', lineId, { number: `${number}${newId().slice(-2)}` })
    }
    const files = [...(await readZip(await buffer(await exportUser(context, line.userId)))).keys()]
    const folders = files
      .filter((name) => name.endsWith('line.json'))
      .map((name) => name.split('/').slice(0, -1))
    expect(
      folders.map(([first, second, ...rest]) => [first, second?.slice(0, -2), rest]),
    ).to.have.deep.members([
      ['lines', line.number.slice(0, -2), []],
      ['lines', '..%2F..%2Fa', []],
      ['lines', 'a%5Cb', []],
      ['lines', '50%25', []],
    ])
  })

  it('of a person have what was said with them on the lines of all users, and with nobody else', async () => {
    const theirs = await createLine(context)
    await queueMessage(context, line, { text: 'one' })
    await queueMessage(context, theirs, { text: 'two', to_number: BEN })
    await queueMessage(context, line, { text: 'three', to_number: BEN })
    const past = await insertPast(context, theirs, monthAgo(1), { number: BEN })
    await receiveMessage(context, inboundText(line, { fromNumber: BEN }))
    const files = await readZip(await buffer(await exportPerson(context, BEN, 'ticket 4711')))
    expect(rowsOf(files, 'messages.jsonl').map(({ text }) => text)).to.have.members([
      'two',
      'three',
      'See you at noon',
      'Hi there',
    ])
    expect(rowsOf(files, 'contacts.jsonl')).to.have.length(1)
    expect(files.has(`media/${past.messageId}.png`)).to.equal(true)
    const [row] = await listAudit(context, { actions: ['person.exported'] }, { limit: 1 })
    expect(row).to.deep.include({ subjectId: null, userId: null, after: { reason: 'ticket 4711' } })
    for (const { userId } of [line, theirs]) {
      const told = await listAudit(context, { userId, actions: ['user.person.exported'] }, { limit: 2 })
      expect(told.map(({ after }) => after)).to.deep.equal([{ reason: 'ticket 4711' }])
    }
    const actions = ['user.person.exported']
    expect(await listAudit(context, { actions }, { limit: 9 }), 'nobody else').to.have.length(2)
    await expectRefusal(exportPerson(context, BEN, ''), 400)
  })

  it('are in the audit log', async () => {
    await lineZip(line)
    await buffer(await exportUser(context, line.userId))
    const rows = await listAudit(context, { userId: line.userId }, { limit: 2 })
    expect(rows.map(({ action, subjectId }) => [action, subjectId])).to.deep.equal([
      ['user.exported', line.userId],
      ['line.exported', line.lineId],
    ])
  })

  it('read more pages than one', async () => {
    await addCopies(context, 'messages', await queueMessage(context, line, { status: 'sent' }), 1299)
    const rows = rowsOf(await lineZip(line), 'messages.jsonl')
    expect(new Set(rows.map(({ id }) => id)).size).to.equal(1300)
  })
})

describe('a zip', () => {
  async function* many(open: ExportFile['open'], count: number): AsyncGenerator<ExportFile> {
    for (let n = 0; n < count; n += 1) {
      await turn()
      yield { name: `${n}.bin`, open, isCompressed: true }
    }
  }

  it('is made no faster than it is read, and opens a file when the one before is done', async () => {
    let [madeBytes, openCount] = [0, 0]
    const open = () => {
      openCount += 1
      return Readable.from(
        (function* () {
          for (let n = 0; n < 1024; n += 1) {
            madeBytes += 65_536
            yield Buffer.alloc(65_536)
          }
        })(),
        { objectMode: false },
      )
    }
    const zip = zipOf(many(open, 4))
    let [readBytes, mostAhead] = [0, 0]
    for await (const chunk of zip as AsyncIterable<Buffer>) {
      readBytes += chunk.length
      mostAhead = Math.max(mostAhead, madeBytes - readBytes)
      expect(openCount).to.be.at.most(Math.floor(readBytes / (1024 * 65_536)) + 2)
    }
    expect(readBytes).to.be.above(4 * 64 * 1024 ** 2)
    expect(mostAhead).to.be.below(4 * 1024 ** 2)
  })

  it('of many files lets go of each', async () => {
    const opened: Readable[] = []
    const open = () => {
      const file = Readable.from(['x'], { objectMode: false })
      opened.push(file)
      return file
    }
    const files = await readZip(await buffer(zipOf(many(open, 300))))
    expect(files.size).to.equal(300)
    expect(opened.filter(({ destroyed }) => !destroyed)).to.deep.equal([])
  })

  it('that nobody takes any more lets go of its file, and opens no other', async () => {
    const opened: Readable[] = []
    const open = () => {
      const file = new Readable({ read: () => undefined })
      opened.push(file)
      return file
    }
    const zip = zipOf(many(open, 3))
    zip.resume()
    await until('the first is open', () => opened.length > 0)
    zip.destroy()
    await until('it is let go', () => opened[0]?.destroyed === true)
    expect(opened).to.have.length(1)
  })

  it('that nobody takes any more lets go of a file that was just being opened', async () => {
    const file = new Readable({ read: () => undefined })
    let opened: (() => void) | undefined
    const open = () =>
      new Promise<Readable>((resolve) => {
        opened = () => {
          resolve(file)
        }
      })
    const zip = zipOf(many(open, 1))
    zip.resume()
    await until('it is being opened', () => opened !== undefined)
    zip.destroy()
    await once(zip, 'close')
    opened?.()
    await until('it is let go', () => file.destroyed)
  })

  it('breaks off where a file or the list fails', async () => {
    const fails = () =>
      new Readable({
        read() {
          this.destroy(new Error('the disk is gone'))
        },
      })
    expect((await failure(buffer(zipOf(many(fails, 1))))).message).to.equal('the disk is gone')
    async function* failing(): AsyncGenerator<ExportFile> {
      yield { name: 'a', open: () => Readable.from(['a'], { objectMode: false }) }
      await turn()
      throw new Error('Postgres is gone')
    }
    expect((await failure(buffer(zipOf(failing())))).message).to.equal('Postgres is gone')
  })
})
