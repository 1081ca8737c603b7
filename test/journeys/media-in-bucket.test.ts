import { expect } from 'chai'
import { freePort } from '../../dev/services/free-port.js'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import type { Context } from '../../src/domain/context.js'
import { MEDIA } from '../domain/media-samples.js'
import { createLine } from '../helpers/factories.js'
import { startProcess, startWeb, stopProcesses } from '../helpers/process/processes.js'
import { startStandIn, type StandIn } from '../helpers/services/stand-in.js'
import { until } from '../helpers/until.js'
import { startBucket, type Bucket } from '../storage/bucket.js'
import { createInstallation } from './support/steps.js'

const PNG = MEDIA.picture.png!

/** The client for S3 is the only package of a built process that is loaded when somebody needs it. */
describe('media in a bucket', function () {
  this.timeout(60_000)

  let context: Context
  let bucket: Bucket
  let host: StandIn
  let url: string
  let token: string
  let lineId: string

  before(async () => {
    bucket = await startBucket()
    host = await startStandIn()
    const port = await freePort()
    const installation = await createInstallation({
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      MEDIA_S3_BUCKET: bucket.name,
      MEDIA_S3_ENDPOINT: bucket.endpoint,
      MEDIA_S3_ACCESS_KEY_ID: 'id',
      MEDIA_S3_SECRET_ACCESS_KEY: 'secret',
    })
    context = installation.context
    const line = await createLine(context)
    lineId = line.lineId
    token = (await createApiToken(context, line.userId, 'journey')).token
    const [web] = await Promise.all([
      startWeb(installation.environment),
      startProcess('fetch-media', installation.environment),
    ])
    url = web.url
  })
  after(async () => {
    await stopProcesses()
    await host.close()
    await bucket.close()
    await context.close()
  })

  const ask = async <Answer>(path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(url + path, { ...init, headers: { Authorization: `Bearer ${token}` } })
    return (await response.json()) as Answer
  }

  it('fetch-media puts the copy there, and web serves it, whole and in part', async () => {
    const { id } = await ask<{ id: string }>('/v1/messages', {
      method: 'POST',
      body: JSON.stringify({ lineId, toNumber: '+15005550199', mediaUrl: host.give(PNG) }),
    })
    const media = await until('the copy is stored', async () => {
      const seen = await ask<{ media: { status: string; url: string } }>(`/v1/messages/${id}`)
      return seen.media.status === 'stored' && seen.media
    })
    expect([...bucket.objects.values()]).to.deep.equal([PNG])
    const whole = await fetch(media.url)
    expect(Buffer.from(await whole.arrayBuffer()).equals(PNG)).to.equal(true)
    const part = await fetch(media.url, { headers: { Range: 'bytes=1-3' } })
    expect(part.status).to.equal(206)
    expect(await part.text()).to.equal('PNG')
  })
})
