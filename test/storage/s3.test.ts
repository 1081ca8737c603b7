import { createStorage } from '../../src/storage/create.js'
import { startBucket, type Bucket } from './bucket.js'
import { describeStorage } from './conformance.js'

const storageIn = (bucket: Bucket) =>
  createStorage({
    mediaFolder: '',
    mediaS3: {
      bucket: bucket.name,
      region: 'us-east-1',
      endpoint: bucket.endpoint,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    },
  })

describeStorage('S3', async () => {
  const bucket = await startBucket()
  const storage = storageIn(bucket)
  return {
    storage,
    keys: () => Promise.resolve([...bucket.objects.keys()]),
    breakDown: () => {
      bucket.answerWith(500)
      return Promise.resolve()
    },
    close: async () => {
      storage.close()
      await bucket.close()
    },
  }
})

it('a service that answers 404 when there is no file to remove, as Google Cloud Storage does', async () => {
  const bucket = await startBucket()
  const storage = storageIn(bucket)
  bucket.answerWith(404, 'NoSuchKey')
  try {
    await storage.remove('01/a-1')
  } finally {
    storage.close()
    await bucket.close()
  }
})
