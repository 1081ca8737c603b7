import { expect } from 'chai'
import { isId, newId } from '../../src/ids.js'
import { freePort } from '../../dev/services/free-port.js'
import { readConfig } from '../../src/config.js'
import { listAudit } from '../../src/domain/operating/audit.js'
import type { Context } from '../../src/domain/context.js'
import { createContext } from '../../src/domain/open-context.js'
import { ago, changeRows, queueMessage, receiveForDelivery } from '../domain/fixtures.js'
import { createPerson } from '../domain/people/people.js'
import { createEnvironment, type Environment } from '../helpers/process/environment.js'
import { createLine, messageBody } from '../helpers/factories.js'
import { memoryLog } from '../helpers/process/log.js'
import { startSession } from '../helpers/web/sessions.js'
import { until } from '../helpers/until.js'
import { requestRaw } from '../helpers/web/raw-request.js'
import { serveApp, type TestWeb, withWeb, describeWeb } from '../helpers/web/web.js'
import { expectAccepted } from './support.js'

const PASSWORD = 'correct horse battery'
const NAMES = ['send-message', 'deliver-event', 'fetch-media', 'maintenance']

const basic = (name: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
const signedIn = basic('operator', PASSWORD)

interface Listed {
  queues: {
    name: string
    readOnlyMode: boolean
    counts: Record<string, number>
    jobs: ListedJob[]
    description?: string
  }[]
}

interface ListedJob {
  id: string
  name: string
  data: object
  externalUrl?: { href: string }
}

/** One of the stores is not there. */
const openAway = async (environment: Environment) =>
  createContext(readConfig(await createEnvironment({ QUEUES_PASSWORD: PASSWORD, ...environment })), {
    process: 'test',
  })

async function session(of: Context, role: 'user' | 'operator'): Promise<Record<string, string>> {
  const { id } = await createPerson(of, { role })
  return { Cookie: `__Host-linehook=${await startSession(of, id)}` }
}

describeWeb('/queues', { environment: { QUEUES_PASSWORD: PASSWORD } }, ({ context, web }) => {
  const get = (path: string, headers: Record<string, string> = signedIn) => web.request(path, { headers })
  const paths = ['/queues', '/queues/', '/queues/api/queues', '/queues/static/anything.js']

  it('accepts no password without QUEUES_PASSWORD', async () => {
    await withWeb({}, async (closed) => {
      for (const path of paths) {
        for (const headers of [{}, signedIn, basic('operator', ''), basic('operator', 'undefined')]) {
          const { status, body } = await closed.web.request(path, { headers })
          expect(status).to.equal(403)
          expect(body).to.have.property(
            'detail',
            'To open the dashboard, sign in to the console as an operator, or set QUEUES_PASSWORD',
          )
        }
      }
    })
  })

  it('asks for the operator password on every path below it', async () => {
    for (const path of paths) {
      for (const headers of [
        {},
        basic('operator', 'wrong password'),
        basic('operator', ''),
        basic('admin', PASSWORD),
        basic('', PASSWORD),
        { Authorization: `Bearer ${PASSWORD}` },
        { Authorization: 'Basic %%%' },
      ]) {
        const answer = await get(path, headers)
        expect(answer.status).to.equal(401)
        expect(answer.headers.get('www-authenticate')).to.match(/^Basic realm=/)
        expect(answer.body).to.have.property('status', 401)
      }
    }
  })

  it('opens with it: the page, its scripts, and the four queues', async () => {
    for (const path of ['/queues', '/queues/', '/queues/queue/send-message']) {
      const page = await get(path)
      expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8'])
      expect(page.text).to.match(/<title>Linehook/)
    }
    const { text: html } = await get('/queues')
    // Until its scripts have drawn it.
    expect(html).to.match(
      /<div id="root"><main class="waiting"><h1>Linehook queues<\/h1>.*<dt>fetch-media<\/dt>/,
    )
    expect(html, 'its look').to.include('"primary":"#5b40c9"').and.to.include('"primary":"#ab9bf7"')
    expect(html).to.match(/<link rel="stylesheet" href="\/assets\/[\w-]+\/fonts\.css">/)
    expect(html).not.to.include('googleapis')
    expect(html, 'nobody finds it who cannot sign in').not.to.include('noindex')
    const scripts = [...html.matchAll(/defer src="([^"]+\.js)"/g)].map(([, path = '']) => path)
    expect(scripts).to.have.length.above(2)
    for (const script of scripts) {
      const path = new URL(script, `${web.url}/queues/`).pathname
      const { status, headers, text } = await get(path, { ...signedIn, 'Accept-Encoding': 'gzip, br' })
      expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/javascript; charset=utf-8'])
      expect(headers.get('content-encoding')).to.equal('br')
      expect(Number(headers.get('content-length'))).to.be.below(text.length / 2)
      expect(headers.get('cache-control')).to.equal('private, max-age=31536000, immutable')
    }
    const words = await get('/queues/static/locales/en-US/messages.json')
    expect([words.status, words.headers.get('cache-control')]).to.deep.equal([200, 'no-store'])
    expect((await get('/queues/static/favicon-32x32.png')).headers.get('content-type')).to.equal('image/png')
    for (const other of ['', 'nothing.js', '../../package.json', '..%2F..%2Fpackage.json', 'js']) {
      expect((await get(`/queues/static/${other}`)).status, other).to.be.within(403, 404)
    }

    const { queues } = (await get('/queues/api/queues')).body as Listed
    expect(queues.map(({ name }) => name)).to.have.members(NAMES)
  })

  describe('by a session in the console', () => {
    it('opens to an operator, also without QUEUES_PASSWORD, and with another password sent along', async () => {
      await withWeb({}, async (passwordless) => {
        for (const [on, headers] of [
          [web, await session(context, 'operator')],
          [web, { ...(await session(context, 'operator')), ...basic('operator', 'wrong password') }],
          [passwordless.web, await session(passwordless.context, 'operator')],
        ] as const) {
          for (const path of ['/queues', '/queues/api/queues', '/queues/queue/send-message']) {
            expect((await on.request(path, { headers })).status).to.equal(200)
          }
        }
      })
    })

    it('stays closed to users, expired sessions and invalid cookies', async () => {
      const over = await session(context, 'operator')
      await context.db('sessions').update({ last_seen_at: context.db.raw(`now() - interval '31 minutes'`) })
      for (const headers of [
        over,
        await session(context, 'user'),
        { ...(await session(context, 'user')), ...basic('admin', PASSWORD) },
        { Cookie: '__Host-linehook=operator' },
      ]) {
        for (const path of paths) {
          const answer = await get(path, headers)
          expect(answer.status).to.equal(401)
          expect(answer.headers.get('www-authenticate')).to.match(/^Basic realm=/)
          expect(answer.body).to.have.property('detail', 'Sign in as operator with QUEUES_PASSWORD')
          expect(answer.headers.getSetCookie()).to.deep.equal([])
        }
      }
    })

    it('accepts changes from its own pages only', async () => {
      await withWeb({ QUEUES_WRITABLE: 'true' }, async (writable) => {
        const headers = await session(writable.context, 'operator')
        const job = await writable.context.queues.sendMessage.add('send-message', { v: 1, id: newId() })
        const cleanFrom = (site: string) =>
          writable.web.request(`/queues/api/queues/send-message/${job.id!}/clean`, {
            method: 'PUT',
            headers: { ...headers, 'Sec-Fetch-Site': site },
          })
        for (const site of ['cross-site', 'same-site']) expect((await cleanFrom(site)).status).to.equal(403)
        expect(await writable.context.queues.sendMessage.getJobState(job.id!)).to.equal('waiting')
        expect((await cleanFrom('same-origin')).status).to.equal(204)
        const [row, ...others] = await listAudit(
          writable.context,
          { actions: ['queue.changed'] },
          { limit: 9 },
        )
        expect(others).to.deep.equal([])
        expect(row).to.deep.include({
          actorKind: 'user',
          address: '127.0.0.1',
          after: { request: `PUT /queues/api/queues/send-message/${job.id!}/clean` },
        })
        expect(row?.actorId).to.be.a('string')
      })
    })

    it('does not extend a session with its automatic polling', async () => {
      const headers = await session(context, 'operator')
      const rows = () =>
        context.db('sessions').orderBy('created_at', 'desc').first<{ id: string; last_seen_at: Date }>()
      const { id } = await rows()
      await changeRows(context, 'sessions', id, { last_seen_at: ago(context, '20 minutes') })
      const before = await rows()
      expect((await get('/queues/api/queues', headers)).status).to.equal(200)
      expect(await rows()).to.deep.equal(before)
      expect((await get('/queues', headers)).status).to.equal(200)
      expect((await rows()).last_seen_at.getTime()).to.be.above(before.last_seen_at.getTime())
    })

    it('is not required if the password is right and Postgres is unavailable', async () => {
      const away = { DATABASE_URL: `postgres://user:pass@127.0.0.1:${await freePort()}/none` }
      await withWeb(
        () => openAway(away),
        async ({ web: awayWeb }) => {
          const cookie = { Cookie: `__Host-linehook=${'x'.repeat(43)}` }
          const ask = (headers: Record<string, string>) => awayWeb.request('/queues', { headers })
          expect((await ask({ ...signedIn, ...cookie })).status).to.equal(200)
          expect((await ask(cookie)).status).to.equal(503)
        },
      )
    })
  })

  describe('to someone guessing the password', () => {
    const TOO_MANY = 'Too many wrong passwords. Wait 15 minutes, or sign in to the console as an operator'
    const forgetGuesses = () =>
      context.redis.del('queues-password:{127.0.0.1}', 'queues-password:{everybody}')
    beforeEach(forgetGuesses)
    after(forgetGuesses)

    const ask = (headers: Record<string, string>) => web.request('/queues', { headers })
    const guess = async (count: number) =>
      Promise.all(
        Array.from({ length: count }, async (_, n) => (await ask(basic('operator', `guess ${n}`))).status),
      )

    it('is closed after ten guesses, even to the right password, and says for how long', async () => {
      expect(await guess(9)).to.deep.equal(Array(9).fill(401))
      for (let n = 0; n < 20; n += 1)
        expect((await ask(signedIn)).status, 'right ones do not count').to.equal(200)
      expect(await guess(1)).to.deep.equal([401])
      for (const headers of [signedIn, basic('operator', 'another guess')]) {
        const answer = await ask(headers)
        expect([answer.status, answer.body]).to.deep.include(429)
        expect(answer.body).to.have.property('detail', TOO_MANY)
        expect(Number(answer.headers.get('retry-after'))).to.be.within(800, 900)
      }
    })

    it('checks at most ten of fifty simultaneous guesses', async () => {
      const statuses = await guess(50)
      expect(statuses.filter((status) => status === 401)).to.have.length(10)
      expect(statuses.filter((status) => status === 429)).to.have.length(40)
    })

    it('is closed to one address behind a proxy, also if the proxy writes the port of each connection', async () => {
      await withWeb({ QUEUES_PASSWORD: PASSWORD, TRUSTED_PROXY_HOPS: '1' }, async ({ web: behind }) => {
        for (const written of [
          (n: number) => `192.0.2.9:${5000 + n}`,
          (n: number) => `[2001:db8::9]:${5000 + n}`,
        ]) {
          const statuses: number[] = []
          for (let n = 0; n < 11; n += 1) {
            const headers = { ...basic('operator', `guess ${n}`), 'X-Forwarded-For': written(n) }
            statuses.push((await behind.request('/queues', { headers })).status)
          }
          expect(statuses).to.deep.equal([...Array<number>(10).fill(401), 429])
        }
      })
    })

    it('is closed to one address whatever addresses it claims to come from', async () => {
      const claiming = (written: (claimed: string) => string) => (n: number) => ({
        ...basic('operator', `guess ${n}`),
        'X-Forwarded-For': written(`203.0.113.${n}`),
      })
      const closes = async (to: TestWeb, headersOf: ReturnType<typeof claiming>) => {
        const statuses: number[] = []
        for (let n = 0; n < 11; n += 1) {
          statuses.push((await to.request('/queues', { headers: headersOf(n) })).status)
        }
        expect(statuses).to.deep.equal([...Array<number>(10).fill(401), 429])
      }
      // A proxy adds the address that it sees behind those that the client has written.
      for (const [hops, written] of [
        ['1', (claimed: string) => `${claimed}, 192.0.2.9`],
        ['2', (claimed: string) => `${claimed}, 192.0.2.9, 198.51.100.1`],
      ] as const) {
        const environment = { QUEUES_PASSWORD: PASSWORD, TRUSTED_PROXY_HOPS: hops }
        await withWeb(environment, ({ web: behind }) => closes(behind, claiming(written)))
      }
      await closes(
        web,
        claiming((claimed) => claimed),
      )
    })

    it('checks at most a hundred guesses of any number of addresses', async () => {
      await withWeb({ QUEUES_PASSWORD: PASSWORD, TRUSTED_PROXY_HOPS: '1' }, async ({ web: behind }) => {
        const statuses = await Promise.all(
          Array.from({ length: 110 }, async (_, n) => {
            const headers = { ...basic('operator', 'guess'), 'X-Forwarded-For': `192.0.2.${n}` }
            return (await behind.request('/queues', { headers })).status
          }),
        )
        expect(statuses.filter((status) => status === 401)).to.have.length(100)
        expect(statuses.filter((status) => status === 429)).to.have.length(10)
      })
    })

    it('still asks for the password, and opens to an operator who is signed in', async () => {
      await guess(11)
      expect((await ask({})).status).to.equal(401)
      const cookie = await session(context, 'operator')
      for (const headers of [cookie, { ...cookie, ...basic('operator', 'wrong') }]) {
        expect((await ask(headers)).status).to.equal(200)
      }
    })
  })

  it('explains each queue and each job, without the number and the text', async () => {
    await withWeb({ QUEUES_PASSWORD: PASSWORD }, async (described) => {
      const line = await createLine(described.context, {
        name: 'Front desk',
        outgoingUrl: 'http://127.0.0.1:9/events',
      })
      const message = await queueMessage(described.context, line, {
        to_number: '+14155550142',
        text: 'a secret',
      })
      const delivery = await receiveForDelivery(described.context, line)
      const { data: gone } = await described.context.queues.sendMessage.add(
        'send-message',
        { v: 1, id: newId() },
        { delay: 60_000 },
      )
      await described.context.queues.sendMessage.add('send-message', { v: 1, id: message }, { delay: 60_000 })
      const jobOf = async (queue: string, id: string) => {
        const { body } = await described.web.request(
          `/queues/api/queues?activeQueue=${queue}&jobsPerPage=50`,
          { headers: signedIn },
        )
        const { queues } = body as Listed
        for (const { description } of queues) expect(description).to.match(/^[A-Z].*\.$/)
        const jobs = queues.find(({ name }) => name === queue)!.jobs
        return jobs.find(({ data }) => (data as { id: string }).id === id)!
      }
      const send = await jobOf('send-message', message)
      expect(send.name).to.equal('to …42 from Front desk: queued')
      expect(JSON.stringify(send)).not.to.match(/4155550142|a secret/)
      expect(send.externalUrl!.href).to.equal(`/console/search?q=${message}`)
      expect((await jobOf('send-message', gone.id)).name).to.equal('send-message')
      const deliver = await until('the delivery has a job', () => jobOf('deliver-event', delivery.id))
      expect(deliver.name).to.equal('event from Front desk to 127.0.0.1:9: pending')
      const alone = (
        await described.web.request(`/queues/api/queues/send-message/${send.id}`, { headers: signedIn })
      ).body as { job: ListedJob }
      expect(alone.job.name).to.equal(send.name)
    })
  })

  it('shows jobs that contain only IDs', async () => {
    const line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/events' })
    const text = 'a text that is nobody’s business'
    expectAccepted(await web.post(line.webhookPath, messageBody({ toNumber: '+15005550177', text })))
    await web.post('/simulator/inbound', { fromNumber: '+15005550178', toNumber: line.number, text })

    for (const name of ['send-message', 'deliver-event']) {
      const answer = await until(`${name} has a job`, async () => {
        const found = await get(`/queues/api/queues?activeQueue=${name}`)
        const queue = (found.body as Listed).queues.find((each) => each.name === name)
        return queue?.jobs.length === 1 && { text: found.text, job: queue.jobs[0]! }
      })
      const { v, ...ids } = answer.job.data as Record<string, unknown>
      expect(v).to.equal(1)
      for (const id of Object.values(ids)) expect(isId(id)).to.be.true
      for (const secret of [text, '500555017', line.number, line.token])
        expect(answer.text).not.to.include(secret)
    }
  })

  describe('changes', () => {
    const changes = (id: string): [method: string, path: string, body?: object][] => [
      ['PUT', `/send-message/${id}/retry`],
      ['PUT', `/send-message/${id}/clean`],
      ['PUT', `/send-message/${id}/promote`],
      ['PATCH', `/send-message/${id}/update-data`, { jobData: { v: 1, id: newId() } }],
      ['PATCH', `/send-message/${id}/delay`, { runAt: Date.now() + 1000 }],
      ['PATCH', `/send-message/${id}/priority`, { priority: 5 }],
      ['PUT', `/send-message/${id}/remove-unprocessed-children`],
      ['POST', '/send-message/add', { name: 'send-message', data: { v: 1, id: newId() }, options: {} }],
      ['PUT', '/send-message/retry/failed'],
      ['PUT', '/send-message/promote'],
      ['PUT', '/send-message/clean/wait'],
      ['PUT', '/send-message/clean/delayed'],
      ['PUT', '/send-message/pause'],
      ['PUT', '/send-message/resume'],
      ['PUT', '/send-message/concurrency', { concurrency: 1 }],
      ['PUT', '/send-message/rate-limit', { max: 1, duration: 1000 }],
      ['PUT', '/send-message/empty'],
      ['PUT', '/send-message/obliterate', { force: true }],
      ['PUT', '/maintenance/job-schedulers/keep-house/remove'],
      ['PUT', '/maintenance/job-schedulers/keep-house/run'],
      ['PATCH', '/maintenance/job-schedulers/keep-house', { every: 1000 }],
      ['PUT', '/pause'],
      ['PUT', '/resume'],
    ]

    const change = (
      on: TestWeb,
      who: Record<string, string>,
      method: string,
      path: string,
      body: object = {},
    ) =>
      on.request(`/queues/api/queues${path}`, {
        method,
        headers: { ...who, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })

    /** Everything in Redis: what the dashboard may not change includes what it does not show. */
    /** All but what goes away by itself, such as the count of a minute's requests. */
    async function dump({ redis }: Context): Promise<Record<string, string>> {
      const found = (await redis.keys('*')).sort()
      const times = await Promise.all(found.map((key) => redis.pttl(key)))
      const keys = found.filter((_, n) => times[n] === -1)
      const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)))
      return Object.fromEntries(keys.map((key, n) => [key, values[n]!.toString('base64')]))
    }

    const addJob = async ({ queues }: Context, delay = 0): Promise<string> => {
      const job = await queues.sendMessage.add(
        'send-message',
        { v: 1, id: newId() },
        { delay, jobId: newId() },
      )
      return job.id!
    }

    it('are all refused by default', async () => {
      const id = await addJob(context, 3_600_000)
      await context.queues.maintenance.upsertJobScheduler(
        'keep-house',
        { every: 3_600_000 },
        { name: 'keep-house', data: { v: 1 } },
      )
      const before = await dump(context)
      const operator = await session(context, 'operator')
      for (const [method, path, body] of changes(id)) {
        const { status } = await change(web, operator, method, path, body)
        // The two for all queues pass over those that may not be changed.
        expect(status, `${method} ${path}`).to.equal(/^\/(pause|resume)$/.test(path) ? 200 : 405)
        expect(await dump(context), `${method} ${path}`).to.deep.equal(before)
      }
      const { queues } = (await get('/queues/api/queues')).body as Listed
      expect(queues.map(({ readOnlyMode }) => readOnlyMode)).to.deep.equal([true, true, true, true])
    })

    it('are allowed with QUEUES_WRITABLE=true to an operator who is signed in, but not with the password', async () => {
      await withWeb({ QUEUES_PASSWORD: PASSWORD, QUEUES_WRITABLE: 'true' }, async (writable) => {
        const operator = await session(writable.context, 'operator')
        const { sendMessage } = writable.context.queues
        const [delayed, waiting] = [await addJob(writable.context, 3_600_000), await addJob(writable.context)]
        const before = await dump(writable.context)
        for (const [method, path, body] of changes(delayed)) {
          const refused = await change(writable.web, signedIn, method, path, body)
          expect([refused.status, refused.body]).to.deep.include(403)
          expect((refused.body as { detail: string }).detail).to.match(/^QUEUES_PASSWORD is read-only/)
        }
        expect(await dump(writable.context)).to.deep.equal(before)
        const promoted = await change(writable.web, operator, 'PUT', `/send-message/${delayed}/promote`)
        expect(promoted.status).to.equal(204)
        expect(await sendMessage.getJobState(delayed)).to.equal('waiting')
        const cleaned = await change(writable.web, operator, 'PUT', `/send-message/${waiting}/clean`)
        expect(cleaned.status).to.equal(204)
        expect(await sendMessage.getJobState(waiting)).to.equal('unknown')
        const rows = await listAudit(writable.context, { actions: ['queue.changed'] }, { limit: 9 })
        expect(rows.map(({ actorKind }) => actorKind)).to.deep.equal(['user', 'user'])
      })
    })
  })

  it('answers an operator’s bad requests with 400', async () => {
    const json = { ...(await session(context, 'operator')), 'Content-Type': 'application/json' }
    for (const body of ['{"a', '[', '\0']) {
      const answer = await web.post('/queues/api/queues/send-message/add', body, json)
      expect([answer.status, (answer.body as { status: number }).status]).to.deep.equal([400, 400])
    }
    expect((await get('/queues/api/queues/none/1')).status).to.equal(404)
    expect((await get('/queues/api/queues/send-message/1')).status).to.equal(404)
    expect((await get('/queues/nothing')).status).to.equal(404)
  })

  it('answers methods that no page and no form has with 405', async () => {
    const headers = await session(context, 'operator')
    for (const path of ['/queues', '/queues/api/queues']) {
      for (const method of ['TRACE', 'PROPFIND', 'PURGE', 'DELETE']) {
        const answer = await requestRaw(web.port, path, { method, headers })
        expect([answer.status, answer.headers.allow], method).to.deep.include(405)
        expect(answer.headers.allow).to.match(/^HEAD, GET\b/)
        expect(answer.headers.allow).not.to.include('TRACE')
      }
    }
  })

  it('quickly reports that Redis is unavailable, and logs why', async () => {
    const away = await openAway({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` })
    const { log, lines } = memoryLog()
    const awayWeb = await serveApp({ ...away, log })
    try {
      const answer = await awayWeb.request('/queues/api/queues', {
        headers: signedIn,
        signal: AbortSignal.timeout(20_000),
      })
      expect(answer.status).to.be.within(500, 503)
      expect(answer.text).not.to.match(/node_modules| at /)
      expect(lines.map(({ msg }) => msg)).to.include('request.answer_broken')
    } finally {
      await awayWeb.close()
      await away.close()
    }
  })
})
