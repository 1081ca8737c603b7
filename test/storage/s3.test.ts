import { createStorage } from '../../src/storage/create.js'
import { startBucket } from './bucket.js'
import { describeStorage } from './conformance.js'

describeStorage('S3', async () => {
  const bucket = await startBucket()
  const storage = createStorage({
    mediaFolder: '',
    mediaS3: {
      bucket: bucket.name,
      region: 'us-east-1',
      endpoint: bucket.endpoint,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    },
  })
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
