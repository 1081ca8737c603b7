import { expect } from 'chai'
import type { Knex } from 'knex'
import { insertNotices, type NewNotice } from '../../src/database/operating/notices.js'
import { addUser } from '../../src/domain/people/users.js'
import { newId } from '../../src/ids.js'
import { messageRow, queueMessage } from '../domain/fixtures.js'
import { createLine } from '../helpers/factories.js'
import { lowestIdAt } from '../helpers/lowest-id.js'
import { startProcess, type RunningProcess } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { makePartitions, monthAgo, nameOf } from '../domain/operating/retention/past.js'
import { describeInstallation } from '../journeys/support/installation.js'

/** It is started when there is something to keep house of. */
const SETUP = { processes: [], environment: { MESSAGE_RETENTION_DAYS: '100' } }

describeInstallation('maintenance', SETUP, ({ environment, context }) => {
  let maintenance: RunningProcess

  before(async () => {
    await insertKey('old', '25 hours')
    await insertKey('young', '23 hours')
    await insertAccounts()
    await insertCounts()
    await insertNotices(context.db, [91, 89].map(noticeOf))
    await context.db.raw('drop table ??', [nameOf('events', monthAgo(-1))])
    await makePartitions(context, monthAgo(5))
    const [second] = await context.redis.time()
    await context.redis.zadd('{linehook}:databases', Number(second) + 600, 'another')
    maintenance = await startProcess('maintenance', { ...environment, LOG_LEVEL: 'info' })
  })

  it('says that another installation uses its Redis', async () => {
    const said = () => maintenance.log().filter(({ msg }) => msg === 'redis.shared')
    await until('it is said', () => said().length > 0)
    expect(said()).to.have.length(1)
    expect(said()[0]?.advice).to.include('its own Redis database')
  })

  it('keeps house at its start: keys older than 24 h go, others stay', async () => {
    const keys = async () =>
      (await context.db<{ key: string }>('idempotency_keys').select('key')).map(({ key }) => key)
    await until('the old key is gone', async () => !(await keys()).includes('old'))
    expect(await keys()).to.deep.equal(['young'])
  })

  it('deletes what signing in leaves behind when it is over, and no more', async () => {
    const left = async () => {
      const { rows } = await context.db.raw<{ rows: { name: string }[] }>(
        `select user_agent as name from sessions
         union all select encode(token_hash, 'escape') from set_up_links
         union all select encode(account_hash, 'escape') from sign_in_attempts
         union all select user_agent from half_open_sessions
         union all select challenge from passkey_challenges
         union all select name from api_tokens`,
      )
      return rows.map(({ name }) => name)
    }
    await until('the old ones are gone', async () => !(await left()).some((name) => name.startsWith('old')))
    expect(await left()).to.have.members([
      'young session',
      'young link',
      'young attempt',
      'young half',
      'young challenge',
      'young token',
    ])
  })

  it('counts the minutes of the overview', async () => {
    await until('the running minute is counted', async () => {
      const { rows } = await context.db.raw<{ rows: unknown[] }>(
        `select from traffic_counts where seconds = 60 and begins_at >= date_trunc('minute', now()) - interval '1 minute'`,
      )
      return rows.length > 0
    })
  })

  it('forgets counts that are older than eight days', async () => {
    const ages = async () => {
      const { rows } = await context.db.raw<{ rows: { age: number }[] }>(
        `select distinct extract(day from now() - begins_at)::integer as age from traffic_counts where carrier = 'aged'`,
      )
      return rows.map(({ age }) => age)
    }
    await until('the old ones are gone', async () => !(await ages()).includes(9))
    expect(await ages()).to.deep.equal([7])
  })

  it('drops the months that are kept no longer', async () => {
    const isThere = async (table: string) => {
      const { rows } = await context.db.raw<{ rows: { name: string | null }[] }>(
        'select to_regclass(?)::text as name',
        [nameOf(table, monthAgo(5))],
      )
      return rows[0]?.name !== null
    }
    await until('the month is gone', async () => !(await isThere('messages')))
    expect(await isThere('audit_log')).to.equal(true)
  })

  it('forgets notices that are older than 90 days', async () => {
    const subjects = () => context.db('notices').where({ kind: 'aged' }).pluck<string[]>('subject')
    await until('the old one is gone', async () => !(await subjects()).includes('91 days'))
    expect(await subjects()).to.deep.equal(['89 days'])
  })

  it('releases scheduled messages all the time, not only at its start', async () => {
    const line = await createLine(context)
    const dueNow = { status: 'scheduled', send_at: new Date(), due_at: new Date() }
    for (let n = 0; n < 2; n += 1) {
      const id = await queueMessage(context, line, dueNow)
      // It looks every second. A minute is what must not pass.
      await until('it is released', async () => (await messageRow(context, id)).status === 'queued', 30_000)
    }
  })

  it('does all that comes by the clock', async () => {
    const { db } = context
    const ago = (age: string) => db.raw('now() - ?::interval', [age])
    const line = await createLine(context)
    const { lineId: disabled } = await createLine(context)
    const longAgo = new Date(Date.now() - 3 * 3_600_000)
    await queueMessage(context, line, { id: lowestIdAt(longAgo), created_at: longAgo, status: 'failed' })
    const unknown = await queueMessage(context, line, { status: 'unknown', claimed_at: ago('10 seconds') })
    const unreached = await queueMessage(context, line, {
      ...{ error: 'carrier_unavailable', claimed_at: ago('1 minute') },
      ...{ not_before: ago('-1 hour'), due_at: ago('-1 hour') },
    })
    await db('carrier_accounts').update({ recovered_at: db.fn.now() })
    await db('lines').where({ id: disabled }).update({ status: 'disabled', disabled_at: db.fn.now() })
    await db('country_guard').update({ counted_until: ago('30 minutes') })

    const minutes = db('traffic_counts').where({ seconds: 60 }).where('begins_at', '<', ago('10 minutes'))
    const messages = db('messages')
    let waitingFor: [what: string, found: Knex.QueryBuilder][] = [
      ['asking carriers what came', db('carrier_accounts').whereNotNull('received_asked_at')],
      ['asking what became of a text', messages.clone().where({ id: unknown, carrier_asked_count: 1 })],
      ['waking texts of a recovered account', messages.clone().where({ id: unreached, not_before: null })],
      ['ending what waits on a disabled line', db('lines').where({ id: disabled, disabled_at: null })],
      ['guarding countries', db('country_guard').where('counted_until', '>', ago('28 minutes'))],
      ['counting minutes of before', minutes.clone().where({ carrier: 'simulator' })],
    ]
    const look = async () => {
      const found = await Promise.all(waitingFor.map(([, query]) => query.clone().first(db.raw('1'))))
      waitingFor = waitingFor.filter((_, n) => found[n] === undefined)
      return waitingFor.length === 0
    }
    const untilAll = () => until(() => waitingFor.map(([what]) => what).join(), look)
    await untilAll()
    const ofLastHour = minutes.where('begins_at', '>', ago('50 minutes'))
    await ofLastHour.clone().update({ counted_at: ago('1 hour') })
    waitingFor = [['counting a minute again', ofLastHour.where('counted_at', '>', ago('1 minute'))]]
    await untilAll()
  })

  it('makes the partitions of the months to come', async () => {
    const { rows } = await until('the partition is there', async () => {
      const found = await context.db.raw<{ rows: { bounds: string }[] }>(
        `select pg_get_expr(relpartbound, oid) as bounds from pg_class where relname = ?`,
        [nameOf('events', monthAgo(-1))],
      )
      return found.rows.length > 0 && found
    })
    expect(rows[0]?.bounds).to.contain(lowestIdAt(monthAgo(-1)))
  })

  async function insertAccounts(): Promise<void> {
    const { id: userId } = await addUser(context, { email: 'ada@example.com' })
    const ago = (age: string) => context.db.raw('now() - ?::interval', [age])
    for (const [name, lastSeen, created] of [
      ['old, idle', '30 minutes', '1 hour'],
      ['old, long', '0 minutes', '12 hours'],
      ['young session', '25 minutes', '11 hours 50 minutes'],
    ] as const) {
      await context.db('sessions').insert({
        ...{ token_hash: Buffer.from(name), id: newId(), user_id: userId, user_agent: name },
        ...{ last_seen_at: ago(lastSeen), created_at: ago(created) },
      })
    }
    const bytes = (name: string) => Buffer.from(name)
    const rows = [
      ...pairOf('token', '31 days', '29 days', (name, age) => [
        'api_tokens',
        { id: newId(), user_id: userId, name, token_hash: bytes(name), expires_at: ago(age) },
      ]),
      ...pairOf('link', '1 second', '-1 hour', (name, age, isOld) => [
        'set_up_links',
        { token_hash: bytes(name), user_id: isOld ? null : userId, expires_at: ago(age) },
      ]),
      ...pairOf('attempt', '15 minutes', '10 minutes', (name, age) => [
        'sign_in_attempts',
        { id: newId(), account_hash: bytes(name), address_hash: bytes(name), attempted_at: ago(age) },
      ]),
      ...pairOf('half', '11 minutes', '9 minutes', (name, age) => [
        'half_open_sessions',
        { id: newId(), user_id: userId, token_hash: bytes(name), user_agent: name, created_at: ago(age) },
      ]),
      ...pairOf('challenge', '6 minutes', '4 minutes', (name, age) => [
        'passkey_challenges',
        { browser_hash: bytes(name), challenge: name, created_at: ago(age) },
      ]),
    ]
    for (const [table, row] of rows) await context.db(table).insert(row)
  }

  async function insertCounts(): Promise<void> {
    await context.db.raw(
      `insert into traffic_counts (seconds, begins_at, carrier, accepted, sent, delivered, failed, unknown, received,
         events_delivered, attempts_failed, to_carrier, to_endpoint)
       select seconds, now() - make_interval(days => age), 'aged', 0, 0, 0, 0, 0, 0, 0, 0, '{}', '{}'
       from unnest(array[60, 900]) seconds, unnest(array[7, 9]) age`,
    )
  }

  async function insertKey(key: string, age: string): Promise<void> {
    await context.db('idempotency_keys').insert({
      scope_id: newId(),
      key,
      request_hash: Buffer.alloc(32),
      message_id: newId(),
      created_at: context.db.raw('now() - ?::interval', [age]),
    })
  }
})

type Row = [table: string, row: object]

/** A row that is old enough to go, and one that is not. */
function pairOf(
  what: string,
  old: string,
  young: string,
  row: (name: string, age: string, isOld: boolean) => Row,
): Row[] {
  return [row(`old ${what}`, old, true), row(`young ${what}`, young, false)]
}

function noticeOf(days: number): NewNotice {
  const id = lowestIdAt(new Date(Date.now() - days * 86_400_000))
  return { id, kind: 'aged', subject: `${days} days`, userId: null, details: {} }
}
