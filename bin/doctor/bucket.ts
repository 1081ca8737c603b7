import { createS3Storage } from '../../src/storage/s3.js'
import { StorageFailed, StoredFileMissing } from '../../src/storage/storage.js'
import { fault, ok, warning, type Check, type Finding } from './check.js'

/** A person waits for the answer. */
const LIMITS = { connectMs: 3000, silentMs: 4000, silentWhileSendingMs: 4000, slowestBytesPerMs: 50 }

/** Looks for a file that does not exist, and writes none. */
export const bucket: Check = {
  name: 'Bucket',
  look: async ({ config: { mediaS3 } }) => {
    if (mediaS3 === undefined) return ok('Media are kept in a folder, because MEDIA_S3_BUCKET is not set.')
    const storage = createS3Storage(mediaS3, LIMITS)
    try {
      const found = await storage.open('trial/none')
      found.destroy()
      return works(mediaS3.bucket)
    } catch (error) {
      if (error instanceof StoredFileMissing) return works(mediaS3.bucket)
      if (error instanceof StorageFailed) return judge(mediaS3.bucket, error)
      throw error
    } finally {
      storage.close()
    }
  },
}

function works(name: string): Finding {
  return ok(
    `The bucket ${name} answers and accepts the key. Writing to it was not tested; the overview in the console does that.`,
  )
}

function judge(name: string, { reason }: StorageFailed): Finding {
  if (reason === 'AccessDenied') {
    return warning(
      `The bucket ${name} did not say whether it has a file (AccessDenied).`,
      'Give the key the permission s3:ListBucket, or see under Storage in the overview whether writing works.',
    )
  }
  return fault(
    `Media cannot be read from the bucket ${name} (${reason}).`,
    CURES[reason] ??
      'Correct MEDIA_S3_ENDPOINT and MEDIA_S3_REGION, or check that the server is running and accepts this machine.',
  )
}

const KEY = 'Correct MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY.'
const CURES: Partial<Record<string, string>> = {
  NoSuchBucket: 'Create the bucket, or correct MEDIA_S3_BUCKET.',
  InvalidAccessKeyId: KEY,
  SignatureDoesNotMatch: KEY,
  CredentialsProviderError: `${KEY} Without them, this machine needs a role or a profile of AWS.`,
}
