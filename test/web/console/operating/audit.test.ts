import { expect } from 'chai'
import { listAudit, record, type Act } from '../../../../src/domain/operating/audit.js'
import type { Actor } from '../../../../src/domain/operating/audit/actor.js'
import { newId } from '../../../../src/ids.js'
import { createPerson, personForEachTest, type Person } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createLine } from '../../../helpers/factories.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { wordsOf } from '../lines/line/line-page.js'
import { expectFault, expectPage, signedInForEachTest } from '../support.js'

const LOG = '/console/audit'
const HISTORY = '/console/settings/history'

describeWeb('the pages of the audit log', ({ context, web }) => {
  const user = personForEachTest(context)
  const { person: operator, browser } = signedInForEachTest(context, web, 'operator')

  const by = (person: Person, address = '192.0.2.7'): Actor => ({
    kind: 'user',
    userId: person.id,
    credentialId: newId(),
    address,
  })
  const done = (actor: Actor, act: Act) => record({ actor }, context.db, act)
  const renamed = (before: string, after: string) =>
    ({
      action: 'line.renamed',
      subjectId: newId(),
      userId: user.id,
      before: { name: before },
      after: { name: after },
    }) as const

  it('show who did what to what, the owner, the origin and the differences, as text', async () => {
    const line = await createLine(context, { userId: user.id })
    await done(by(user), { ...renamed('Front', '<b>Back</b>'), subjectId: line.lineId })
    const { text } = await browser.get(`${LOG}?user=${user.email}`)
    for (const part of [user.email, 'renamed the line', 'Front', '192.0.2.7', 'line.renamed']) {
      expect(text).to.include(part)
    }
    expect(wordsOf(text)).to.include(line.number)
    expect(text).to.include('&lt;b>Back&lt;/b>').and.not.to.include('<b>Back')
  })

  it('can be filtered by actor, action, subject, owner and time', async () => {
    const other = await createPerson(context)
    const line = await createLine(context, { userId: user.id, name: 'A line of the user' })
    await done(by(user), { ...renamed('one', 'first mark'), subjectId: line.lineId })
    await done(by(operator), { ...renamed('two', 'second mark'), userId: other.id })
    await done(by(operator), { action: 'line.disabled', userId: other.id, after: { mark: 'third mark' } })
    const marksOf = async (query: Record<string, string>) => {
      const answer = await browser.get(`${LOG}?${new URLSearchParams(query).toString()}`)
      expectPage(answer)
      return [...answer.text.matchAll(/(first|second|third) mark/g)].map(([, mark]) => mark)
    }
    expect(await marksOf({ actor: user.email.toUpperCase(), action: 'line.renamed' })).to.deep.equal([
      'first',
    ])
    expect(await marksOf({ actor: operator.id, user: other.id })).to.deep.equal(['third', 'second'])
    expect(await marksOf({ user: other.email, action: 'line.disabled' })).to.deep.equal(['third'])
    expect(await marksOf({ user: other.email, action: 'line' })).to.deep.equal(['third', 'second'])
    expect(await marksOf({ subject: line.number })).to.deep.equal(['first'])
    expect(await marksOf({ subject: line.lineId, from: '2020-01-01T00:00', zone: 'UTC' })).to.deep.equal([
      'first',
    ])
    expect(await marksOf({ subject: line.lineId, until: '2020-01-01T00:00', zone: 'UTC' })).to.deep.equal([])
  })

  it('show an error in a filter at the form, and keep the input', async () => {
    for (const [query, fault] of [
      ['actor=nobody@example.com', "actor must be a user's email address or ID"],
      ['user=x', "user must be a user's email address or ID"],
      ['subject=Shop', "subject must be an ID, a line's number or a user's email address"],
      ['subject=%2B15005550999', "subject must be an ID, a line's number or a user's email address"],
      [
        'action=toString',
        'action must be the name of an action, such as line.renamed, or of a group, such as line',
      ],
    ] as const) {
      const answer = await browser.get(`${LOG}?${query}`)
      expectFault(answer, 400, fault)
      expect((await browser.get(`${LOG}.csv?${query}`)).status).to.equal(400)
    }
    const wrong = await browser.get(`${LOG}?from=yesterday&before=x`)
    expectFault(wrong, 400, /before must be.*from must be/)
    expect(wordsOf(wrong.text)).not.to.include('No entries match')
  })

  it('are paginated as of the time of the first page', async () => {
    for (let n = 0; n < 25; n += 1) await done(by(user), renamed(`<${n}>`, `<${n + 1}>`))
    const query = `?user=${user.id}&action=line.renamed`
    const first = await browser.get(LOG + query)
    expect(first.text.match(/→/g)).to.have.length(15)
    const [, older = ''] = /<a href="([^"]*)" rel="next">/.exec(first.text) ?? []
    await done(by(user), renamed('later', 'latest'))
    const second = await browser.get(older.replaceAll('&amp;', '&'))
    expect(second.text.match(/→/g)).to.have.length(10)
    expect(second.text).to.include('Newest').and.not.to.include('rel="next"')
  })

  it('record that they were viewed, at most every ten minutes', async () => {
    for (const query of ['', '', `?user=${user.id}`]) await browser.get(LOG + query)
    const looks = await listAudit(context, { actorId: operator.id }, { limit: 10 })
    expect(looks.map(({ action, userId }) => [action, userId])).to.deep.equal([
      ['audit_log.viewed', user.id],
      ['audit_log.viewed', null],
    ])
  })

  it('show users the history of their own data and no more, without operators’ names and addresses', async () => {
    await done(by(operator, '192.0.2.99'), renamed('Front', 'Back'))
    await done(by(user, '192.0.2.7'), renamed('Back', 'Shop'))
    await done(
      { kind: 'visitor', userId: null, credentialId: null, address: '203.0.113.5' },
      { action: 'sign_in.failed', subjectId: user.id, userId: user.id },
    )
    await done(by(operator), { action: 'line.renamed', userId: operator.id, after: { name: 'not theirs' } })
    await browser.get(`${LOG}.csv?user=${user.id}&actor=${operator.email}`)
    const theirs = await browse(context, web, user.id)
    for (const path of [HISTORY, `${HISTORY}.csv`, `${HISTORY}.jsonl`]) {
      const { status, text } = await theirs.get(path)
      expect(status).to.equal(200)
      for (const shown of ['Front', 'Shop', '192.0.2.7', '203.0.113.5', user.email]) {
        expect(text, path).to.include(shown)
      }
      for (const hidden of [operator.email, operator.id, '192.0.2.99', 'not theirs']) {
        expect(text, path).not.to.include(hidden)
      }
      const asked = await theirs.get(`${path}?user=${operator.id}&actor=${operator.id}&userId=${operator.id}`)
      expect(asked.text, 'whatever the URL asks for').not.to.include('not theirs')
    }
    expect((await theirs.get(HISTORY)).text).to.include('an operator')
  })

  describe('as a file', () => {
    it('export every matching row, as CSV without formulas and as JSON lines', async () => {
      const names = Array.from({ length: 1203 }, (_, n) => `=HYPERLINK("${n}")`)
      await context.db('audit_log').insert(
        names.map((name) => ({
          id: newId(),
          actor_kind: 'user',
          actor_id: user.id,
          address: name,
          action: 'line.renamed',
          user_id: user.id,
          after: JSON.stringify({ name }),
        })),
      )
      const query = `?user=${user.id}&action=line.renamed`
      const csv = await browser.get(`${LOG}.csv${query}`)
      expect(csv.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
      expect(csv.headers.get('content-disposition')).to.match(
        /^attachment; filename="linehook-audit-\d{4}-\d\d-\d\d\.csv"$/,
      )
      const [head, first, ...others] = csv.text.trimEnd().split('\n')
      expect(head).to.equal(
        'id,at,subjectKind,actorKind,actorId,actorEmail,credentialId,applicationName,address,action,subjectId,' +
          'subjectName,userId,userEmail,before,after',
      )
      expect(others).to.have.length(1202)
      expect(first).to.include(`"'=HYPERLINK(""1202"")"`)

      const lines = await browser.get(`${LOG}.jsonl${query}`)
      const rows = lines.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { after: { name: string }; subjectKind: string })
      expect(rows.map(({ after }) => after.name)).to.deep.equal(names.toReversed())
      expect(rows[0]?.subjectKind).to.equal('line')
    })

    it('are not begun when there are more rows than a file may have', async () => {
      // Not at once: a statement of `web` has less than a second.
      for (let n = 0; n < 21; n += 1) {
        await context.db.raw(
          `insert into audit_log (id, actor_kind, action, user_id)
           select new_id(), 'service', 'user.added', ? from generate_series(1, 5000)`,
          [user.id],
        )
      }
      const answer = await browser.get(`${LOG}.csv?user=${user.id}`)
      expectPage(answer, 413)
      expect(answer.text).to.include('more than 100000 rows. Choose a shorter time range with from and until')
    })

    it('are recorded, with their filters', async () => {
      await browser.get(`${LOG}.jsonl?user=${user.id}&action=line`)
      const [row] = await listAudit(context, { actorId: operator.id }, { limit: 1 })
      expect(row).to.deep.include({
        action: 'audit_log.exported',
        userId: user.id,
        after: { format: 'jsonl', action: 'line', user: user.id },
      })
    })
  })
})
