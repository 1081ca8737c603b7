import { expect } from 'chai'
import { listTasks } from '../../../../src/database/operating/tasks.js'
import { getTask } from '../../../../src/domain/operating/tasks.js'
import { connect, createApplication } from '../../../domain/applications/applications.js'
import { deliverWhenDue, receiveForDelivery } from '../../../domain/fixtures.js'
import { goOn } from '../../../domain/operating/tasks.js'
import { until } from '../../../helpers/until.js'
import { newId } from '../../../../src/ids.js'
import { listen, livePathOf } from '../messages/activity/listen.js'
import { redirectOf, describeConsole, wordsAt, wordsOf, type OpenLine } from '../lines/line/line-page.js'
import { KINDS, openEndpoint, type OpenEndpoint } from '../endpoints/endpoint-page.js'
import { expectSentTo, faultOf } from '../support.js'
import { messageOfEvent } from '../../support.js'

const STARTED = '/console/tasks?done=replay-started'

describeConsole('replays and background tasks in the console', (site) => {
  const { context, receiver } = site
  let endpoint: OpenEndpoint
  let line: OpenLine

  beforeEach(async () => {
    endpoint = await openEndpoint(site, KINDS[0], { name: 'Office' })
    ;({ line } = endpoint)
  })

  const tasks = () => wordsAt(line.browser, '/console/tasks')
  const newest = async () => (await listTasks(context.db, line.userId, { limit: 1 }))[0]!
  const miss = async () => {
    const delivery = await receiveForDelivery(context, line)
    await context.db('deliveries').where({ id: delivery.id }).update({ status: 'exhausted' })
    return delivery
  }

  it('one button resends what the server missed, with a progress bar', async () => {
    expect(wordsOf(await endpoint.page())).not.to.include('undelivered event')
    const first = await miss()
    await miss()
    const page = await endpoint.page()
    expect(wordsOf(page)).to.match(/2 undelivered events since \S+ \S+ UTC ?\. Retry/)
    const [, since = ''] = /name="since" value="([^"]+)"/.exec(page) ?? []
    expectSentTo(await endpoint.submit('replay', { since, outcome: 'undelivered', perSecond: '1' }), STARTED)
    expect(await tasks()).to.match(/Event replay for Office 0 of 2 waiting Stop/)

    await goOn(context, await newest(), 1)
    const { text } = await line.browser.get('/console/tasks')
    expect(text).to.match(/<progress aria-label="1 of 2" value="1" max="2"/)
    await goOn(context, await newest())
    expect(await tasks()).to.match(/2 of 2 done/)
    await deliverWhenDue(context, first.id, first.endpoint_id)
    const messageId = await messageOfEvent(context, first.event_id)
    const message = await line.browser.get(`/console/messages/${messageId}`)
    expect(wordsOf(message.text)).to.match(/delivered replayed/)
  })

  it('the list has pages', async () => {
    const { userId, lineId } = line
    const ids = Array.from({ length: 31 }, () => newId())
    await context.db('tasks').insert(
      ids.map((id) => ({
        ...{ id, kind: 'text_list', user_id: userId, line_id: lineId, asked: '{}', status: 'done' },
        ...{ total_count: 1, done_count: 1, ended_at: new Date() },
      })),
    )
    const listedIn = (html: string) =>
      [...html.matchAll(/tasks\/([\w-]+)\/results\.csv/g)].map(([, id]) => id)
    const first = (await line.browser.get('/console/tasks')).text
    expect(listedIn(first)).to.deep.equal(ids.slice(1).reverse())
    const [, path = ''] = /<a href="([^"]+)" rel="next">Older</.exec(first) ?? []
    const second = (await line.browser.get(path)).text
    expect(listedIn(second)).to.deep.equal(ids.slice(0, 1))
    expect(second).to.include('<a href="/console/tasks">Newest</a>').and.not.include('>Older<')
    expect([livePathOf(first), livePathOf(second)]).to.deep.equal(['/console/tasks/live', undefined])

    // What is stopped on an older page leads back to that page, also if it has ended meanwhile.
    const [id = ''] = ids
    await context.db('tasks').where({ id }).update({ status: 'waiting', ended_at: null })
    const { text } = await line.browser.get(path)
    const [, before = ''] = /name="before" value="([^"]+)"/.exec(text) ?? []
    expectSentTo(
      await line.browser.submit(`/console/tasks/${id}/stop`, { before }),
      `${path}&done=task-stopping`,
    )
    await context.db('tasks').where({ id }).update({ status: 'stopped', ended_at: new Date() })
    const late = await line.browser.submit(`/console/tasks/${id}/stop`, { before })
    expect(faultOf(late)).to.equal('This task has already ended')
    expect(listedIn(late.text)).to.deep.equal([id])
  })

  it('a form that is sent twice starts one replay, and one with other fields another', async () => {
    await miss()
    const page = await endpoint.page()
    const keys = [...page.matchAll(/name="key" value="([^"]+)"/g)].map(([, key = '']) => key)
    expect(keys, 'both forms').to.have.length(2)
    const all = async () => (await listTasks(context.db, line.userId, { limit: 9 })).length
    for (const [n, key] of keys.entries()) {
      const fields = { from: '2026-01-01T00:00', zone: 'UTC', outcome: 'any', key }
      const press = () => endpoint.submit('replay', fields)
      for (const answer of await Promise.all([press(), press()])) expectSentTo(answer, STARTED)
      expect(await all()).to.equal(n + 1)
    }
    expectSentTo(
      await endpoint.submit('replay', { from: '2026-02-01T00:00', zone: 'UTC', key: keys[0] ?? '' }),
      STARTED,
    )
    expect(await all()).to.equal(3)
  })

  it('the form counts matching events, or sends them to another URL, and shows errors in place', async () => {
    const missed = await miss()
    const typed = { from: '2026-01-01T00:00', zone: 'Europe/Berlin', outcome: 'any', perSecond: '20' }
    const counted = await endpoint.submit('replay', { ...typed, do: 'count' })
    expect(wordsOf(counted.text)).to.include('1 event matches.')
    expect(counted.text).to.include('value="2026-01-01T00:00"').and.include('value="Europe/Berlin" selected')
    expect(await listTasks(context.db, line.userId, { limit: 1 })).to.deep.equal([])
    expect(faultOf(await endpoint.submit('replay', {}))).to.equal('From must be a date and time')
    expect(faultOf(await endpoint.submit('replay', { ...typed, url: 'http://10.0.0.1/' }))).to.match(
      /^Another URL: /,
    )
    for (const [name, label] of [
      ['outcome', 'Which events'],
      ['type', 'Type'],
    ] as const) {
      const odd = await endpoint.submit('replay', { ...typed, [name]: 'other' })
      expect(faultOf(odd)).to.match(new RegExp(`^${label} must be one of `))
      expect(odd.text).to.include(`<select name="${name}" aria-invalid="true">`)
    }

    expectSentTo(await endpoint.submit('replay', { ...typed, url: `${receiver.url}/staging` }), STARTED)
    await goOn(context, await newest())
    expect(await tasks()).to.include(`Event replay for Office to ${receiver.url}/staging 1 of 1 done`)
    const messageId = await messageOfEvent(context, missed.event_id)
    expect(await wordsAt(line.browser, `/console/messages/${messageId}`)).to.match(
      /Replayed to http\S+\/staging delivered 1 attempt, the last one at .* status 200/,
    )
  })

  it('an application has the same, and more than 500 held events are a background task', async () => {
    const application = await createApplication(context, {
      userId: line.userId,
      webhookUrl: `${receiver.url}/application`,
    })
    await connect(context, application, line)
    const { event_id: eventId } = await miss()
    await context.db('deliveries').where({ event_id: eventId }).update({ status: 'exhausted' })
    const path = `/console/endpoints/${application.endpointId}`
    expect(await wordsAt(line.browser, path)).to.match(/1 undelivered event since/)
    expectSentTo(await line.browser.submit(`${path}/replay`, { since: new Date(0).toISOString() }), STARTED)
    expect(await goOn(context, await newest())).to.include({
      applicationId: application.id,
      doneCount: 1,
    })

    const held = await receiveForDelivery(context, line)
    await context.db.raw(
      `insert into deliveries (id, user_id, line_id, event_id, endpoint_id, status, type, from_number)
       select new_id(), user_id, line_id, event_id, endpoint_id, 'held', type, from_number from deliveries,
         generate_series(1, 501) where id = ?`,
      [held.id],
    )
    const [, location] = redirectOf(await endpoint.submit('send-held-events'))
    expect(location).to.equal('/console/tasks?done=held-sent')
    expect(await tasks()).to.match(/Held events for Office 0 of 501 waiting/)
  })

  it('updates automatically, and its owner can stop a task', async () => {
    await miss()
    await endpoint.submit('replay', { since: new Date(0).toISOString() })
    const { id } = await newest()
    const stream = await listen(site, line, '/console/tasks/live')
    await until('it shows the task', () => stream.text.includes('0 of 1'))
    expectSentTo(await line.browser.submit(`/console/tasks/${id}/stop`), '/console/tasks?done=task-stopping')
    await until('it says so', () => stream.text.includes('Stopping…'))
    expect(await goOn(context, await getTask(context, undefined, id))).to.include({
      status: 'stopped',
    })
    expect(faultOf(await line.browser.submit(`/console/tasks/${id}/stop`))).to.equal(
      'This task has already ended',
    )
    await stream.close()
  })
})
