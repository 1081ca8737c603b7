import { expect } from 'chai'
import { describeContext } from '../../helpers/context.js'
import { newId } from '../../../src/ids.js'
import { createPerson } from '../../domain/people/people.js'
import { createLine, lineForEachTest, messageBody } from '../../helpers/factories.js'
import { openForEachTest } from '../../helpers/suite.js'
import { startSession } from '../../helpers/web/sessions.js'
import { until } from '../../helpers/until.js'
import { serveApp } from '../../helpers/web/web.js'
import { expectAccepted } from '../support.js'
import { hear, type Heard } from '../../helpers/web/hear.js'

const MAX_STREAMS = 200
const MAX_STREAMS_OF_USER = 10

// Hundreds of streams at once ask for a connection, of which there are few.
describeContext('a live piece of a page', { acquireTimeoutMs: 60_000 }, (context) => {
  const web = openForEachTest(() => serveApp(context))
  const line = lineForEachTest(context)
  let path: string
  const open: Heard[] = []

  beforeEach(() => {
    path = `/console/lines/${line.lineId}/limits/live`
  })

  afterEach(() => Promise.all(open.splice(0).map((heard) => heard.close())))

  const cookieOf = async (userId: string) => `__Host-linehook=${await startSession(context, userId)}`

  const listen = async (cookie: string, of = path): Promise<Heard> => {
    const heard = await hear(web.url + of, { Cookie: cookie })
    open.push(heard)
    return heard
  }
  /** As the owner of the line, until the first event has come. */
  const hearFirst = async (): Promise<Heard> => {
    const heard = await listen(await cookieOf(line.userId))
    await until('the first event', () => heard.text !== '')
    return heard
  }
  const eventsOf = ({ text }: Heard) => text.split('\n\n').filter((each) => each.startsWith('data: '))

  it('comes at once and when it has changed, and is not kept anywhere', async () => {
    const heard = await listen(await cookieOf(line.userId))
    expect([heard.status, heard.headers.get('cache-control')]).to.deep.equal([200, 'no-store'])
    expect(heard.headers.get('content-type')).to.match(/^text\/event-stream\b/)
    await until('the first event', () => heard.text.includes('0 of 30 in the last 60 s in total'))
    expectAccepted(await web.post(line.webhookPath, messageBody()))
    await until('the change', () => heard.text.includes('1 of 30 in the last 60 s in total'))
    for (const event of eventsOf(heard)) expect(event).to.match(/^(data: .*\n?)+$/)
  })

  it('says nothing while nothing changes', async () => {
    const heard = await listen(await cookieOf(line.userId))
    // By the time that the later one has shown three changes, this one has looked again too.
    const other = await createLine(context, { userId: line.userId, messagesPerNumberPerMinute: 1 })
    const later = await listen(await cookieOf(line.userId), `/console/lines/${other.lineId}/limits/live`)
    await until('the first events', () => eventsOf(heard).length > 0 && eventsOf(later).length > 0)
    expectAccepted(await web.post(other.webhookPath, messageBody()))
    await until('the other line’s change', () => eventsOf(later).length > 1)
    await until('a countdown of the other line', () => eventsOf(later).length > 3)
    expect(eventsOf(heard)).to.have.length(1)
  })

  it('ends with the session', async () => {
    const heard = await hearFirst()
    await context.db('sessions').where({ user_id: line.userId }).delete()
    await until('the end', () => heard.isOver)
  })

  it('is refused to a page of another session', async () => {
    const cookie = await cookieOf(line.userId)
    const { id } = await context.db('sessions').where({ user_id: line.userId }).first<{ id: string }>('id')
    const statuses = async (session: string) =>
      [
        await listen(cookie, `${path}?session=${session}`),
        await listen(cookie, `/console/live?${new URLSearchParams({ session, at: path }).toString()}`),
      ].map(({ status }) => status)
    expect(await statuses(id)).to.deep.equal([200, 200])
    expect(await statuses(newId())).to.deep.equal([401, 401])
  })

  it('does not keep a session alive that nobody uses', async () => {
    const cookie = await cookieOf(line.userId)
    const row = () => context.db('sessions').where({ user_id: line.userId })
    await row().update({ last_seen_at: context.db.raw(`now() - interval '29 minutes'`) })
    const seenAt = (await row().first<{ last_seen_at: Date }>()).last_seen_at
    const heard = await listen(cookie)
    await until('the first event', () => heard.text !== '')
    expectAccepted(await web.post(line.webhookPath, messageBody()))
    await until('another one', () => eventsOf(heard).length > 1)
    expect((await row().first<{ last_seen_at: Date }>()).last_seen_at).to.deep.equal(seenAt)
    await row().update({ last_seen_at: context.db.raw(`now() - interval '31 minutes'`) })
    await until('the end', () => heard.isOver)
  })

  it('is closed when the process stops', async () => {
    const heard = await hearFirst()
    const drained = web.drain().then(() => 'drained')
    await until('the end of the stream', () => heard.isOver, 15_000)
    expect(await drained).to.equal('drained')
  })

  it('ends quietly when what it shows is gone', async () => {
    const stranger = await createLine(context)
    const heard = await hearFirst()
    await context.db('lines').where({ id: line.lineId }).update({ user_id: stranger.userId })
    await until('the end', () => heard.isOver)
  })

  describe('in the one stream of a browser', () => {
    interface Told {
      at: string
      is?: string
      changes?: (string | number[])[]
      gone?: string
    }
    const told = ({ text }: Heard, at: string) =>
      text
        .split('\n\n')
        .slice(0, -1)
        .filter((each) => each.startsWith('data: '))
        .map((each) => JSON.parse(each.slice('data: '.length)) as Told)
        .filter((each) => each.at === at)
    const pathOfAll = (...asked: (readonly [at: string, has?: string])[]) =>
      `/console/live?${new URLSearchParams([
        ...asked.map(([at]) => ['at', at]),
        ...asked.map(([, has = '']) => ['has', has]),
      ]).toString()}`
    const OVERVIEW = '/console/overview/live'

    it('sends what changed, and nothing of what the browser has', async () => {
      const operator = await createPerson(context, { role: 'operator' })
      const own = await createLine(context, { userId: operator.id, messagesPerNumberPerMinute: 1 })
      const limits = `/console/lines/${own.lineId}/limits/live`
      const cookie = await cookieOf(operator.id)
      const heard = await listen(cookie, pathOfAll([limits], [OVERVIEW]))
      await until('both have begun', () => told(heard, limits).length > 0 && told(heard, OVERVIEW).length > 0)
      expectAccepted(await web.post(own.webhookPath, messageBody()))
      await until('five changes of the countdown', () => told(heard, limits).length > 5)
      const [whole, ...changes] = told(heard, OVERVIEW).map((each) => JSON.stringify(each).length)
      // The first piece is some 20 kB, and came again every second.
      expect(changes.reduce((sum, length) => sum + length, 0)).to.be.lessThan(whole! / 2)
      const { is } = told(heard, OVERVIEW).at(-1)!
      const again = await listen(cookie, pathOfAll([OVERVIEW, is], [limits, 'old']))
      await until('it has begun', () => told(again, OVERVIEW).length > 0 && told(again, limits).length > 0)
      expect(told(again, limits)[0]!.changes).not.to.be.empty
      const first = told(again, OVERVIEW)[0]!
      expect(first.is !== is || first.changes!.length === 0).to.equal(true)
    })

    it('says what is not there, for the others’ sake in the stream', async () => {
      const stranger = await createLine(context)
      const theirs = `/console/lines/${stranger.lineId}/limits/live`
      const wrong = [
        '/console/audit.csv',
        '//elsewhere.example/console/live',
        '//',
        'http://[',
        'http://x:99999/',
      ]
      const asked = [path, theirs, OVERVIEW, ...wrong, path]
      const heard = await listen(await cookieOf(line.userId), pathOfAll(...asked.map((at) => [at] as const)))
      await until('the first events', () => told(heard, path).length > 0)
      expect(told(heard, path)).to.have.length(1)
      for (const at of asked.slice(1, -1)) expect(told(heard, at)[0], at).to.have.property('gone')
      await context.db('lines').where({ id: line.lineId }).update({ user_id: stranger.userId })
      await until('the end', () => heard.isOver)
      expect(told(heard, path).at(-1)).to.have.property('gone')
    })

    it('looks up no more pieces than a browser may have, found or not', async () => {
      const strangers = Array.from({ length: 30 }, () => `/console/messages/${newId()}/live`)
      const asked = [...strangers, path].map((at) => [at] as const)
      const heard = await listen(await cookieOf(line.userId), pathOfAll(...asked))
      await until('the stream ends, because nothing is left in it', () => heard.isOver)
      const reasons = asked.map(([at]) => told(heard, at)[0]!.gone)
      expect(reasons.slice(24).filter((each) => each?.includes('Too many pages'))).to.have.length(7)
      expect(reasons.slice(0, 24).filter((each) => each?.includes('Too many pages'))).to.be.empty
    })
  })

  it('is answered 429 when its user has ten open, in any session, and again when one has left', async () => {
    const cookies = [await cookieOf(line.userId), await cookieOf(line.userId)]
    const heard: Heard[] = []
    for (let n = 0; n < MAX_STREAMS_OF_USER; n += 1) heard.push(await listen(cookies[n % 2]!))
    expect(new Set(heard.map(({ status }) => status))).to.deep.equal(new Set([200]))
    for (const cookie of cookies) {
      const refused = await listen(cookie)
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '10'])
    }
    const other = await createLine(context)
    const theirs = await listen(await cookieOf(other.userId), `/console/lines/${other.lineId}/limits/live`)
    expect(theirs.status).to.equal(200)
    await heard[0]!.close()
    await until('there is room', async () => (await listen(cookies[0]!)).status === 200)
    expect((await listen(cookies[0]!)).status).to.equal(429)
  })

  it('is answered 503 when too many are open, and again when some have left', async () => {
    const userCount = MAX_STREAMS / MAX_STREAMS_OF_USER
    const users = await Promise.all(
      Array.from({ length: userCount + 1 }, async () => {
        const { userId, lineId } = await createLine(context)
        return [await cookieOf(userId), `/console/lines/${lineId}/limits/live`] as const
      }),
    )
    const [spare, ...others] = users
    const heard = await Promise.all(
      others.flatMap((user) => Array.from({ length: MAX_STREAMS_OF_USER }, () => listen(...user))),
    )
    expect(new Set(heard.map(({ status }) => status))).to.deep.equal(new Set([200]))
    const refused = await listen(...spare!)
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '10'])
    await Promise.all(heard.map((each) => each.close()))
    await until('there is room', async () => (await listen(...spare!)).status === 200)
  })
})
