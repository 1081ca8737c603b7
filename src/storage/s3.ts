import { Readable } from 'node:stream'
import { StorageFailed, StoredFileMissing, type Storage } from './storage.js'

export interface Bucket {
  bucket: string
  region: string
  /** undefined: AWS's own. */
  endpoint: string | undefined
  /** undefined: found where the AWS SDK looks. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

type Client = Awaited<ReturnType<typeof connect>>

/** Objects in a bucket of S3 or of what speaks its protocol. S3 shows an object only when all of it has come. */
export function createS3Storage(settings: Bucket): Storage {
  let connected: Promise<Client> | undefined
  const connection = () => (connected ??= connect(settings))

  return {
    put: async (key, bytes, byteCount) => {
      // The SDK does not look whether its body breaks off: it would wait for the rest, and nobody would hear the error.
      // Listened for at once: the body may break off before there is a connection.
      const brokenOff = new AbortController()
      bytes.once('error', (error) => {
        brokenOff.abort(error)
      })
      try {
        // S3 takes no stream of unknown length; what ends early is refused by it, and there is no object.
        await (await connection()).put(key, bytes, byteCount, brokenOff.signal)
      } catch (error) {
        throw new StorageFailed('write an object', error)
      } finally {
        bytes.destroy()
      }
    },
    open: async (key, range) => {
      try {
        return await (await connection()).get(key, range && `bytes=${range.first}-${range.last}`)
      } catch (error) {
        if (error instanceof Error && error.name === 'NoSuchKey') throw new StoredFileMissing(key)
        throw new StorageFailed('open an object', error)
      }
    },
    remove: async (key) => {
      try {
        await (await connection()).remove(key)
      } catch (error) {
        throw new StorageFailed('remove an object', error)
      }
    },
    close: () => {
      void connected?.then((client) => {
        client.close()
      })
    },
  }
}

const CONNECT_TIMEOUT_MS = 5000
/** Of silence. */
const TIMEOUT_MS = 15_000

/** The AWS SDK takes a third of a second to load, so only who touches a bucket loads it. */
async function connect({ bucket, region, endpoint, credentials }: Bucket) {
  const { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } =
    await import('@aws-sdk/client-s3')
  const client = new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    // Else the SDK sends bodies in AWS's own chunks with a checksum behind them, which other services refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      requestTimeout: TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
    // A body that is a stream cannot be sent twice; who asks for the copy tries again.
    maxAttempts: 1,
    // It would write to the console; what fails is thrown, and logged by who catches it.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  })
  // Access is the bucket's own policy: no ACL is named, since many services know none and AWS has them off.
  const place = (key: string) => ({ Bucket: bucket, Key: key })
  return {
    put: async (key: string, bytes: Readable, byteCount: number, abortSignal: AbortSignal): Promise<void> => {
      const command = new PutObjectCommand({ ...place(key), Body: bytes, ContentLength: byteCount })
      await client.send(command, { abortSignal })
    },
    get: async (key: string, range: string | undefined): Promise<Readable> => {
      const wanted = range === undefined ? {} : { Range: range }
      const { Body: body } = await client.send(new GetObjectCommand({ ...place(key), ...wanted }))
      if (!(body instanceof Readable)) throw new TypeError('the answer has no body')
      return body
    },
    remove: async (key: string): Promise<void> => {
      await client.send(new DeleteObjectCommand(place(key)))
    },
    close: () => {
      client.destroy()
    },
  }
}

function ignore(): void {
  return
}
