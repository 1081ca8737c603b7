import { expect } from 'chai'
import { transaction } from '../../../src/database/connection.js'
import {
  isAuditLongerThan,
  listAudit,
  maskUrl,
  readAudit,
  record,
  recordView,
  recordOnce,
  type AuditFilter,
} from '../../../src/domain/operating/audit.js'
import { ACTIONS } from '../../../src/domain/operating/audit/actions.js'
import type { Actor } from '../../../src/domain/operating/audit/actor.js'
import { actingAs } from '../../../src/domain/context.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine } from '../../helpers/factories.js'
import { lowestIdAt } from '../../helpers/lowest-id.js'
import { createPerson, type Person } from '../people/people.js'
import { idAt } from './retention/past.js'
import { failure } from '../../helpers/failure.js'

describeContext('the audit log', (context) => {
  let ada: Person
  let actor: Actor

  beforeEach(async () => {
    ada = await createPerson(context)
    actor = { kind: 'user', userId: ada.id, credentialId: newId(), address: '192.0.2.7' }
  })

  const list = (filter: AuditFilter, limit = 100) => listAudit(context, filter, { limit })
  const renamed = (before: string, after: string, subjectId = newId()) =>
    ({
      action: 'line.renamed',
      subjectId,
      userId: ada.id,
      before: { name: before },
      after: { name: after },
    }) as const

  it('says who did what to what, from where, by which session, and how it was before and after', async () => {
    const line = await createLine(context, { userId: ada.id })
    await record({ actor }, context.db, renamed('Front', 'Back', line.lineId))
    const [row, ...others] = await list({ actorId: ada.id })
    expect(others).to.deep.equal([])
    expect(row?.at).to.be.instanceOf(Date)
    expect(row).to.deep.include({
      actorKind: 'user',
      actorId: ada.id,
      actorEmail: ada.email,
      credentialId: actor.credentialId,
      address: '192.0.2.7',
      action: 'line.renamed',
      subjectId: line.lineId,
      subjectName: line.number,
      userId: ada.id,
      userEmail: ada.email,
      before: { name: 'Front' },
      after: { name: 'Back' },
    })
  })

  it('has nothing of what was rolled back', async () => {
    const undone = transaction(context.db, async (trx) => {
      await record({ actor }, trx, renamed('Front', 'Back'))
      throw new Error('undone')
    })
    expect((await failure(undone)).message).to.equal('undone')
    expect(await list({ actorId: ada.id })).to.deep.equal([])
  })

  it('has of a change only what differs, and no change that changed nothing', async () => {
    await record({ actor }, context.db, renamed('Front', 'Front'))
    const before = { name: 'Front', status: 'active', countries: ['US'] }
    await record({ actor }, context.db, {
      action: 'line.disabled',
      before,
      after: { ...before, status: 'disabled', countries: ['US', 'CA'] },
    })
    expect((await list({ actorId: ada.id })).map(({ before, after }) => [before, after])).to.deep.equal([
      [
        { status: 'active', countries: ['US'] },
        { status: 'disabled', countries: ['US', 'CA'] },
      ],
    ])
  })

  it('cuts what is long, and keeps what Postgres could not', async () => {
    const after = { name: 'x'.repeat(1000), text: 'a\0b\ud800', list: Array.from({ length: 90 }, String) }
    await record({ actor }, context.db, { action: 'line.added', after })
    const [row] = await list({ actorId: ada.id })
    expect(row?.after?.name).to.have.length(300)
    expect(row?.after?.text).to.equal('ab\ufffd')
    expect(row?.after?.list).to.have.length(50)
  })

  it('has one look at another user in ten minutes, and none at oneself', async () => {
    const other = await createPerson(context)
    const acting = actingAs(context, actor)
    for (const id of [other.id, other.id, ada.id]) await recordView(acting, 'user.viewed', id)
    const looks = await list({ actorId: ada.id })
    expect(looks.map(({ userId, subjectName }) => [userId, subjectName])).to.deep.equal([
      [other.id, other.email],
    ])

    const elsewhere = actingAs(context, { ...actor, address: '192.0.2.8' })
    await recordView(elsewhere, 'user.viewed', other.id)
    await recordOnce(acting, { action: 'user.viewed', subjectId: other.id }, 0)
    expect(await list({ actorId: ada.id })).to.have.length(3)
  })

  it('is read by actor, action, subject, user and time, newest first', async () => {
    const subject = newId()
    const other = await createPerson(context)
    const mark = async (act: Parameters<typeof record>[2], by = actor) =>
      record({ actor: by }, context.db, act)
    await mark({ action: 'line.disabled', subjectId: subject, userId: other.id })
    await mark({ action: 'line.enabled', subjectId: subject, userId: other.id })
    await mark(
      { action: 'line.enabled', subjectId: newId(), userId: other.id },
      { ...actor, userId: other.id },
    )

    const actionsOf = async (filter: AuditFilter) => (await list(filter)).map(({ action }) => action)
    expect(await actionsOf({ subjectId: subject })).to.deep.equal(['line.enabled', 'line.disabled'])
    expect(await actionsOf({ actorId: ada.id, actions: ['line.disabled'] })).to.deep.equal(['line.disabled'])
    expect(await actionsOf({ actorId: other.id })).to.deep.equal(['line.enabled'])
    expect(await actionsOf({ userId: other.id, actions: ['line.enabled', 'line.disabled'] })).to.have.length(
      3,
    )
    expect(await actionsOf({ subjectId: subject, actions: [] })).to.deep.equal([])
    const [hourAgo, soon] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 60_000)]
    expect(await actionsOf({ subjectId: subject, from: hourAgo, until: soon })).to.have.length(2)
    expect(await actionsOf({ subjectId: subject, from: soon })).to.deep.equal([])
    expect(await actionsOf({ subjectId: subject, until: hourAgo })).to.deep.equal([])
  })

  it('is read by the time it shows, not by that in the id', async () => {
    const [at, subjectId] = [new Date(), newId()]
    await context.db('audit_log').insert({
      ...{ id: idAt(new Date(at.getTime() - 20_000)), at, subject_id: subjectId },
      ...{ actor_kind: 'service', action: 'user.added' },
    })
    expect(await list({ subjectId, from: at, until: new Date(at.getTime() + 1) })).to.have.length(1)
    expect(await list({ subjectId, until: at })).to.deep.equal([])
  })

  it('is read page by page, and whole, without a row too many or too few', async () => {
    for (let n = 0; n < 7; n += 1) await record({ actor }, context.db, renamed(`${n}`, `${n + 1}`))
    const filter = { actorId: ada.id }
    const all = await list(filter)
    expect(all).to.have.length(7)
    const first = await listAudit(context, filter, { limit: 3 })
    const rest = await listAudit(context, filter, { limit: 100, before: first[2]!.id })
    expect([...first, ...rest]).to.deep.equal(all)

    const read = []
    for await (const row of readAudit(context, filter)) read.push(row)
    expect(read).to.deep.equal(all)
    expect([
      await isAuditLongerThan(context, filter, 6),
      await isAuditLongerThan(context, filter, 7),
    ]).to.deep.equal([true, false])
  })

  describe('cannot be changed', () => {
    const refused = async (sql: string, ...bindings: string[]) => {
      const thrown = await failure(context.db.raw(sql, bindings))
      expect(thrown, sql).to.have.property('code', '42501')
      expect(thrown.message).to.include('audit_log is append-only')
    }

    it('row by row or as a whole, in no partition, by the role that owns it', async () => {
      await record({ actor }, context.db, renamed('Front', 'Back'))
      const { rows: children } = await context.db.raw<{ rows: { name: string }[] }>(
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_log'::regclass`,
      )
      const partitions = children.map(({ name }) => name)
      expect(partitions).to.have.length(4)
      for (const table of ['audit_log', ...partitions]) await refused('truncate ??', table)
      const { rows } = await context.db.raw<{ rows: { name: string }[] }>(
        'select tableoid::regclass::text as name from audit_log where actor_id = ?',
        [ada.id],
      )
      for (const table of ['audit_log', rows[0]!.name]) {
        await refused('update ?? set address = null where actor_id = ?', table, ada.id)
        await refused('delete from ?? where actor_id = ?', table, ada.id)
      }
      expect(await list({ actorId: ada.id })).to.have.length(1)
    })

    it('by a role with the rights that docs/audit.md leaves it, which can still write and read', async () => {
      const role = `processes_${newId().replaceAll('-', '')}`
      const { db } = context
      await db.raw('create role ??', [role])
      try {
        await transaction(db, async (trx) => {
          await trx.raw('grant all on all tables in schema public to ??', [role])
          await trx.raw('revoke update, delete, truncate, references, trigger on audit_log from ??', [role])
          await trx.raw('grant select, insert on audit_log to ??', [role])
          await trx.raw('set local role ??', [role])
          await record({ actor }, trx, renamed('Front', 'Back'))
          expect(await trx('audit_log').where({ actor_id: ada.id }).pluck('action')).to.have.length(1)
          for (const sql of [
            'update audit_log set address = null',
            'delete from audit_log',
            'truncate audit_log',
          ]) {
            const { message } = await failure(trx.transaction((inner) => inner.raw(sql)))
            expect(message, sql).to.include('permission denied for table audit_log')
          }
        })
      } finally {
        await db.raw('drop owned by ??', [role])
        await db.raw('drop role ??', [role])
      }
    })

    it('a month is forgotten by dropping its partition', async () => {
      await context.db.raw(`select ensure_partitions('audit_log', date '2020-02-01', 1)`)
      await refused('truncate audit_log_202002')
      await context.db('audit_log').insert({
        id: lowestIdAt(new Date('2020-02-10T12:00:00Z')),
        actor_kind: 'service',
        action: 'user.added',
      })
      expect(await context.db('audit_log_202002').pluck('action')).to.deep.equal(['user.added'])
      await context.db.raw('drop table audit_log_202002')
      expect(await list({ until: new Date('2021-01-01') })).to.deep.equal([])
    })
  })

  it('shows of a URL its host only, and whether it is another', () => {
    const secret = 'https://hooks.example.com/services/T0/B0/xoxb-secret?token=abc'
    expect(maskUrl(secret)).to.match(/^https:\/\/hooks\.example\.com\/…#[\da-f]{8}$/)
    expect(maskUrl(secret))
      .to.equal(maskUrl(secret))
      .and.not.to.equal(maskUrl(`${secret}d`))
    expect([maskUrl(null), maskUrl('no URL')]).to.deep.equal([null, null])
  })

  it('has words for every action, and a subject in its name', () => {
    for (const [action, { words }] of Object.entries(ACTIONS)) {
      expect(action).to.match(/^[a-z_]+(\.[a-z_]+)+$/)
      expect(words, action).to.match(/^[a-z].*[^.]$/)
    }
  })
})
