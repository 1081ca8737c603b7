import { expect } from 'chai'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import { freePort } from '../../dev/services/free-port.js'
import { MEDIA } from '../domain/media-samples.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { HOSTILITIES, startHostileServer } from '../helpers/services/hostile-servers.js'
import { startProcess } from '../helpers/process/processes.js'
import { startStandIn } from '../helpers/services/stand-in.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { startBucket, type Bucket } from '../storage/bucket.js'
import { describeInstallation, type Installation } from './support/installation.js'

const PNG = MEDIA.picture.png!
const FRIEND = '+15005550199'

/** In a bucket: the client for S3 is the only package of a built process that is loaded when somebody needs it. */
describe('sending and receiving media', () => {
  const bucket = openForSuite(startBucket)
  const SETUP = {
    processes: ['fetch-media', 'web'],
    workers: ['send-message', 'deliver-event', 'maintenance'],
    environment: async () => {
      const port = String(await freePort())
      return {
        ...{ PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` },
        ...{ MEDIA_S3_BUCKET: bucket.name, MEDIA_S3_ENDPOINT: bucket.endpoint },
        ...{ MEDIA_S3_ACCESS_KEY_ID: 'id', MEDIA_S3_SECRET_ACCESS_KEY: 'secret' },
      }
    },
  } as const

  describeInstallation('with all processes running', SETUP, (installation) => {
    describeMedia(installation, bucket)
  })
})

function describeMedia({ environment, context, receiver, running }: Installation, bucket: Bucket): void {
  const host = openForSuite(startStandIn)
  let line: TestLine
  let token: string

  before(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
    token = (await createApiToken(context, line.userId, 'journey')).token
  })

  const post = async (path: string, body: object) => {
    const response = await fetch(running.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    return (await response.json()) as Record<string, string>
  }
  const get = async (path: string): Promise<unknown> =>
    (await fetch(running.url + path, { headers: { Authorization: `Bearer ${token}` } })).json()
  const bytesAt = async (hosted: string) => {
    const response = await fetch(hosted)
    expect(response.status).to.equal(200)
    return Buffer.from(await response.arrayBuffer())
  }

  it('a picture posted by a program is sent as the URL of our copy, which serves the bytes', async () => {
    const mediaUrl = host.give(PNG)
    const { id } = await post('/v1/messages', { lineId: line.lineId, toNumber: FRIEND, text: '', mediaUrl })
    const taken = await until('the carrier has it', async () => {
      const outbox = (await get(`/simulator/outbox?toNumber=${encodeURIComponent(FRIEND)}`)) as {
        messageId: string
        mediaUrl: string
      }[]
      return outbox.find(({ messageId }) => messageId === id)
    })
    expect(taken.mediaUrl).to.match(/\/media\/[\w-]{43}$/)
    expect((await bytesAt(taken.mediaUrl)).equals(PNG)).to.be.true
    expect([...bucket.objects.values()]).to.deep.equal([PNG])
    const part = await fetch(taken.mediaUrl, { headers: { Range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).to.deep.equal([206, 'PNG'])
    const message = (await get(`/v1/messages/${id}`)) as { mediaUrl: string; media: object[] }
    expect(message.mediaUrl).to.equal(mediaUrl)
    expect(message.media).to.have.length(1)
    expect(message.media[0]).to.include({ status: 'stored', url: taken.mediaUrl, byteCount: PNG.length })
  })

  it('a message whose media URL is a web page fails with the reason', async () => {
    const mediaUrl = host.give(Buffer.from('<!doctype html><script>alert(1)</script>'))
    const { id } = await post('/v1/messages', { lineId: line.lineId, toNumber: FRIEND, mediaUrl })
    const message = await until('it has failed', async () => {
      const seen = (await get(`/v1/messages/${id}`)) as { status: string; error: string }
      return seen.status === 'failed' && seen
    })
    expect(message.error).to.equal('media_type')
  })

  it('servers that close early, lie or send byte by byte crash no process: every message gets an outcome, and other copies are complete', async () => {
    const server = await startHostileServer()
    const hostile = async (behave: (typeof HOSTILITIES)[number][1]) => {
      server.behave(behave)
      const { id } = await post('/v1/messages', {
        lineId: line.lineId,
        toNumber: '+15005550198',
        mediaUrl: `${server.origin}/picture`,
      })
      await until('it is asked for', async () => {
        const row = await context.db('media').where({ message_id: id }).first<{ attempt_count: number }>()
        return row.attempt_count > 0
      })
      return id ?? ''
    }
    await context
      .db('lines')
      .where({ id: line.lineId })
      .update({ messages_per_number_per_minute: 1000, messages_per_minute: 1000 })
    const ids: string[] = []
    const bystander = post('/v1/messages', {
      lineId: line.lineId,
      toNumber: FRIEND,
      mediaUrl: host.give(PNG),
    })
    for (const [, behave] of HOSTILITIES.filter(([what]) => /^(answers|closes|resets|cuts)/.test(what))) {
      ids.push(await hostile(behave))
    }
    const rows = await until('all have an outcome', async () => {
      const found = await context
        .db('media')
        .whereIn('message_id', ids)
        .select<{ status: string; failure: string | null; crash_count: number; attempt_count: number }[]>('*')
      return found.every(({ status, failure }) => status === 'stored' || failure !== null) && found
    })
    for (const row of rows) {
      expect(row.crash_count).to.equal(0)
      expect(row.failure).to.match(/^media_(reset|bad_response|network|type|truncated)$/)
    }
    expect(running.processes[0]?.isRunning()).to.be.true
    const message = await until('the bystander is stored', async () => {
      const seen = (await get(`/v1/messages/${(await bystander).id}`)) as { media: { status: string }[] }
      return seen.media[0]?.status === 'stored' && seen
    })
    expect(message.media[0]).to.include({ byteCount: PNG.length })
    await server.close()
  })

  it('a received picture becomes one event with our URL, although the worker is killed partway', async () => {
    let asked = 0
    const mediaUrl = host.serve((_request, response) => {
      asked += 1
      // The first time it never comes.
      if (asked > 1) response.end(PNG)
    })
    await post('/simulator/inbound', { fromNumber: FRIEND, toNumber: line.number, mediaUrl })
    await until('it is asked for', () => asked === 1)
    await running.processes[0]?.kill('SIGKILL')
    await context
      .db('media')
      .where({ status: 'fetching' })
      .update({ lease_until: context.db.raw(`now() - interval '1 second'`) })
    await startProcess('fetch-media', environment)
    const event = await until(
      'the event is delivered',
      () => receiver.requests.map(({ body }) => JSON.parse(body) as { type: string; payload: string })[0],
    )
    expect(event.type).to.equal('inboundMedia')
    expect((await bytesAt(event.payload)).equals(PNG)).to.be.true
    expect(receiver.requests).to.have.length(1)
    expect(asked).to.equal(2)
  })
}
