import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { connectDatabase, type Database } from '../../src/database/connection.js'
import { migrate } from '../../src/database/migrations.js'
import { checkBackup, readBackup } from '../../src/database/operating/backup/read.js'
import { receiveMessage } from '../../src/domain/messages/receive.js'
import type { Environment } from '../helpers/process/environment.js'
import { createLine } from '../helpers/factories.js'
import { createDataFolder, createEmptyDatabase } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'
import { queueMessage } from '../domain/fixtures.js'
import { answer, describeCommands, jsonAnswer, linehook, refusal } from './linehook.js'

/** What COPY has to write in its own way. */
const TEXTS = [
  'plain',
  'a\ttab, a\nbreak and \\N',
  '\\.',
  'Grüße 👋🏽 "quoted", \'single\'',
  '\\',
  ' ',
  'x'.repeat(1600),
]

describeCommands('linehook backup and linehook restore', ({ environment, context, run, refuse }) => {
  let folder: string
  let file: string

  before(async () => {
    const line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/events' })
    for (const text of TEXTS) await queueMessage(context, line, { text })
    for (const [n, text] of TEXTS.entries()) {
      await receiveMessage(context, {
        ...{ carrierAccount: 'simulator', carrierMessageId: `in-${n}`, fromNumber: '+15005550199' },
        ...{ toNumber: line.number, content: { type: 'inboundText', text } },
      })
    }
    folder = createDataFolder('backup')
    file = join(folder, 'linehook.backup')
    await run('backup', file)
  })

  const elsewhere = async () => ({ ...environment, DATABASE_URL: await createEmptyDatabase() })
  const at = async <T>(
    { DATABASE_URL: url = '' }: Environment,
    use: (db: Database) => Promise<T>,
  ): Promise<T> => {
    const db = connectDatabase({ url, poolSize: 2, applicationName: 'test' })
    try {
      return await use(db)
    } finally {
      await db.destroy()
    }
  }
  const userIds = (db: Database): Promise<string[]> => db('users').pluck('id')

  /** A restore pauses all sending, and records that. */
  const ITS_OWN: Record<string, string> = {
    all_sending: 'where false',
    audit_log: `where action <> 'sending.paused'`,
  }

  /** A digest of the rows of each table that has some, and where the sequence of messages is. */
  async function contentsOf(db: Database): Promise<Record<string, string>> {
    const { rows } = await db.raw<{ rows: { name: string }[] }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
         and relname not like 'knex%'`,
    )
    const found: Record<string, string> = {}
    for (const { name } of rows) {
      const { rows: digests } = await db.raw<{ rows: { count: number; digest: string }[] }>(
        `select count(*)::integer as count, md5(string_agg(t::text, ',' order by t::text)) as digest
         from ?? t ${ITS_OWN[name] ?? ''}`,
        [name],
      )
      const [digest] = digests
      if (digest !== undefined && digest.count > 0) found[name] = `${digest.count} ${digest.digest}`
    }
    const positions = await db.raw<{ rows: { last: string }[] }>(
      'select last_value::text as last from message_positions',
    )
    return { ...found, message_positions: positions.rows[0]?.last ?? '' }
  }

  it('bring every row of every table back as it was', async () => {
    const target = await elsewhere()
    await answer(target, 'restore', file)
    const before = await contentsOf(context.db)
    expect(Object.keys(before)).to.include.members(['users', 'lines', 'messages', 'events', 'deliveries'])
    expect(await at(target, contentsOf)).to.deep.equal(before)
  })

  it('leave all sending paused, because what waits may have been sent since', async () => {
    const target = await elsewhere()
    expect((await answer(target, 'restore', file)).at(-1)).to.match(
      /^Empty the Redis of REDIS_URL\. All sending is paused, because texts waiting in the backup may have been sent since/,
    )
    expect((await answer(target, 'sending', 'status'))[0]).to.match(/^all sending is paused since/)
    const actions = await at(target, (db) => db('audit_log').orderBy('id', 'desc').limit(1).pluck('action'))
    expect(actions).to.deep.equal(['sending.paused'])
  })

  it('a backup is for its owner alone, says what it lacks, and never takes another one’s place', async () => {
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
    expect(await refuse('backup', file)).to.match(/already exists. Name another file$/)
    const lines = await run('backup', join(folder, 'second.backup'))
    expect(lines[0]).to.match(/^\d+ rows from \d+ tables written to /)
    expect(lines[1]).to.match(/the media \(.+\) or ENCRYPTION_KEY\. Keep both as well\.$/)
  })

  it('a file that cannot be written is named in one sentence', async () => {
    expect(await refuse('backup', join(folder, 'nowhere', 'linehook.backup'))).to.match(
      /^A file cannot be read or written \(ENOENT: .+ open '.+nowhere\/linehook\.backup\..*'\)$/,
    )
  })

  it('two backups that are written to one file at the same time do not mix', async () => {
    const path = join(folder, 'twice.backup')
    const ended = await context.db.transaction(async (trx) => {
      await trx.raw('set local idle_in_transaction_session_timeout = 0')
      await trx.raw('lock table lines')
      const both = Promise.all([1, 2].map(() => linehook(environment, ['backup', path])))
      await until('both have begun', async () => {
        const waiting = await context.db.raw<{ rowCount: number }>(
          `select from pg_stat_activity where application_name = 'linehook backup' and wait_event_type = 'Lock'
             and datname = current_database()`,
        )
        return waiting.rowCount === 2
      })
      return { both }
    })
    for (const { errorLines } of await ended.both) expect(errorLines).to.deep.equal([])
    await answer(await elsewhere(), 'restore', path)
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).to.deep.equal([])
  })

  it('secrets that the key of the restored installation does not open are told, with what to do', async () => {
    const opened = await answer(await elsewhere(), 'restore', file)
    expect(opened.join()).to.not.include('encrypted with a key')
    const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64')
    const lines = await answer({ ...(await elsewhere()), ENCRYPTION_KEY }, 'restore', file)
    expect(lines[1]).to.match(
      /^\d+ of \d+ secrets are encrypted with a key that is not in ENCRYPTION_KEY\. Add that key after the first one/,
    )
  })

  it('a database that is not empty is replaced only when that is asked for', async () => {
    const target = await elsewhere()
    await answer(target, 'restore', file)
    expect(await refusal(target, 'restore', file)).to.match(/^The database is not empty. .+ --replace /)
    const { rows } = (await jsonAnswer(target, 'restore', file, '--replace')) as {
      rows: Record<string, number>
    }
    expect(rows.messages).to.equal(2 * TEXTS.length)
  })

  it('all sending is paused in the transaction that brings the rows', async () => {
    const target = await elsewhere()
    await at(target, async (db) => {
      await migrate(db)
      const header = await checkBackup(file)
      const restored = await readBackup(target.DATABASE_URL ?? '', file, header)
      expect(restored.isPausedHere).to.equal(true)
      const { rows } = await db.raw<{ rows: object[] }>(
        `select s.paused_at is not null as "isPaused", s.xmin::text = u.xmin::text as "isTogether"
         from all_sending s, users u`,
      )
      expect(rows).to.deep.equal([{ isPaused: true, isTogether: true }])
    })
  })

  it('one that fails half-way leaves no rows, and says how to try again', async () => {
    const target = await elsewhere()
    const broken = join(folder, 'broken.backup')
    const whole = gunzipSync(readFileSync(file)).toString('latin1')
    writeFileSync(broken, gzipSync(Buffer.from(whole.replace(TEXTS[0]!, '\\N'), 'latin1')))
    const said = await refusal(target, 'restore', broken)
    expect(said).to.match(/^The backup was not restored: .*null value/)
    expect(said).to.include(`linehook restore ${broken} --replace`)
    expect(await at(target, userIds)).to.deep.equal([])
    await answer(target, 'restore', file, '--replace')
  })

  it('nothing is restored while processes use the database: they would send what waits in the backup', async () => {
    const target = await elsewhere()
    await answer(target, 'restore', file)
    const processes = ['web', 'send-message'].map((applicationName) =>
      connectDatabase({ url: target.DATABASE_URL ?? '', poolSize: 1, applicationName }),
    )
    try {
      for (const db of processes) await db.raw('select 1')
      expect(await refusal(target, 'restore', file, '--replace')).to.equal(
        'Stop all processes first. Still connected to this database: send-message, web',
      )
    } finally {
      await Promise.all(processes.map((db) => db.destroy()))
    }
    expect(await at(target, contentsOf)).to.deep.equal(await contentsOf(context.db))
  })

  it('may take longer than the time-outs of the role', async () => {
    const target = await elsewhere()
    await at(target, async (db) => {
      const { rows } = await db.raw<{ rows: { name: string }[] }>('select current_database() as name')
      for (const [setting, ms] of [
        ['statement_timeout', 200],
        ['idle_in_transaction_session_timeout', 1],
      ] as const) {
        await db.raw(`alter database ?? set ${setting} = ${ms}`, [rows[0]?.name ?? ''])
      }
      await answer(target, 'restore', file)
      const again = await db.transaction(async (trx) => {
        await trx.raw('set local idle_in_transaction_session_timeout = 0')
        await trx.raw('lock table lines')
        const written = answer(target, 'backup', join(folder, 'slow.backup'))
        await until('it has waited for longer', async () => {
          const waiting = await db.raw<{ rowCount: number }>(
            `select from pg_stat_activity where application_name = 'linehook backup' and wait_event_type = 'Lock'
               and datname = current_database() and query_start < clock_timestamp() - interval '400 milliseconds'`,
          )
          return waiting.rowCount === 1
        })
        return { written }
      })
      expect((await again.written)[0]).to.match(/^\d+ rows from \d+ tables written to /)
    })
  })

  it('a database that is named in a file is restored, and not one of this folder', async () => {
    const { DATABASE_URL, ...others } = await elsewhere()
    const urlFile = join(folder, 'database-url')
    writeFileSync(urlFile, `${DATABASE_URL}\n`)
    const cwd = createDataFolder('restore')
    const restored = await linehook({ ...others, DATABASE_URL_FILE: urlFile }, ['restore', file], cwd)
    expect(restored.errorLines).to.deep.equal([])
    expect(await at({ DATABASE_URL }, contentsOf)).to.deep.equal(await contentsOf(context.db))
    const unread = await linehook({ ...others, DATABASE_URL_FILE: join(cwd, 'none') }, ['restore', file], cwd)
    expect(unread.errorLines.join()).to.include('DATABASE_URL_FILE names a file that cannot be read: ENOENT')
    expect(readdirSync(cwd)).to.deep.equal([])
  })

  it('nothing is replaced by a file that is torn or is a pipe, which can be read only once', async () => {
    const target = await elsewhere()
    await answer(target, 'restore', file)
    const torn = join(folder, 'torn-at-its-end.backup')
    const bytes = readFileSync(file)
    writeFileSync(torn, bytes.subarray(0, bytes.length - 20))
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const before = await at(target, contentsOf)
    for (const [bad, sentence] of [
      [torn, /^The backup is incomplete/],
      [pipe, /is not a regular file\. /],
    ] as const) {
      expect(await refusal(target, 'restore', bad, '--replace')).to.match(sentence)
      expect(await at(target, contentsOf)).to.deep.equal(before)
    }
  })

  it('nothing is restored of a file that is cut off, is none, or is from another release', async () => {
    const whole = gunzipSync(readFileSync(file))
    const [header = ''] = whole.toString().split('\n', 1)
    const bad: [name: string, bytes: Buffer, sentence: RegExp][] = [
      ['cut', gzipSync(whole.subarray(0, whole.length - 40)), /is incomplete/],
      ['torn', readFileSync(file).subarray(0, 3000), /is incomplete/],
      ['stranger', gzipSync('select 1;\n'), /is not a backup made by/],
      ['text', Buffer.from('select 1;\n'), /is not a backup made by/],
      [
        'later',
        gzipSync(
          whole
            .toString('latin1')
            .replace(header, header.replace('"migrations":["', '"migrations":["2099_x","')),
        ),
        /is from another release/,
      ],
    ]
    for (const [name, bytes, sentence] of bad) {
      const path = join(folder, `${name}.backup`)
      writeFileSync(path, bytes)
      const target = await elsewhere()
      expect(await refusal(target, 'restore', path), name).to.match(sentence)
      await at(target, async (db) => {
        const { rows } = await db.raw<{ rows: object[] }>(`select to_regclass('users') as users`)
        const hasTables = (rows[0] as { users: string | null }).users !== null
        expect(hasTables ? await userIds(db) : [], name).to.deep.equal([])
      })
    }
    expect(await refusal(await elsewhere(), 'restore', join(folder, 'nothing'))).to.match(/ does not exist$/)
  })
})
