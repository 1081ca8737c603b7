import { expect } from 'chai'
import { createEnvironment } from '../../helpers/process/environment.js'
import { openForSuite } from '../../helpers/suite.js'
import { startBucket } from '../../storage/bucket.js'
import { runDoctor } from './run-doctor.js'

describe('what the doctor says of the bucket', () => {
  const server = openForSuite(startBucket)
  afterEach(() => {
    server.answerWith(undefined)
  })

  const bucket = async (more: Record<string, string> = {}) => {
    const environment = await createEnvironment({
      MEDIA_S3_BUCKET: server.name,
      MEDIA_S3_ENDPOINT: server.endpoint,
      MEDIA_S3_ACCESS_KEY_ID: 'id',
      MEDIA_S3_SECRET_ACCESS_KEY: 'S3cret',
      ...more,
    })
    return (await runDoctor(environment)).Bucket
  }

  it('there is none', async () => {
    expect((await runDoctor(await createEnvironment())).Bucket).to.deep.equal({
      state: 'ok',
      why: 'Media are kept in a folder, because MEDIA_S3_BUCKET is not set.',
    })
  })

  it('it answers, and gets no file', async () => {
    expect(await bucket()).to.include({ state: 'ok' })
    expect([...server.objects.keys()]).to.deep.equal([])
  })

  for (const [status, code, cure] of [
    [404, 'NoSuchBucket', 'Create the bucket, or correct MEDIA_S3_BUCKET.'],
    [403, 'SignatureDoesNotMatch', 'Correct MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY.'],
  ] as const) {
    it(`it refuses with ${code}`, async () => {
      server.answerWith(status, code)
      expect(await bucket()).to.deep.equal({
        state: 'fault',
        why: `Media cannot be read from the bucket media (${code}).`,
        cure,
      })
    })
  }

  it('it does not let the key look for files, which may be intended', async () => {
    server.answerWith(403, 'AccessDenied')
    expect(await bucket()).to.include({ state: 'warning' })
  })

  it('nothing listens at its endpoint', async () => {
    const found = await bucket({ MEDIA_S3_ENDPOINT: 'http://127.0.0.1:1' })
    expect(found).to.include({ state: 'fault' })
    expect(found?.why).to.include('ECONNREFUSED')
    expect(found?.cure).to.include('MEDIA_S3_ENDPOINT')
  })
})
