import { Readable } from 'node:stream'
import { StorageFailed, StoredFileMissing, type Storage } from './storage.js'

export interface Bucket {
  bucket: string
  region: string
  /** undefined means AWS's endpoint. */
  endpoint: string | undefined
  /** If undefined, they are taken from where the AWS SDK looks. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

type Client = Awaited<ReturnType<typeof connect>>

/** Objects in a bucket of S3, or of a service with its protocol. S3 shows an object only when it is complete. */
export function createS3Storage(settings: Bucket): Storage {
  let connected: Promise<Client> | undefined
  const connection = () => (connected ??= connect(settings))

  return {
    put: async (key, bytes, byteCount) => {
      // The SDK does not notice if its body breaks off: it would wait for the rest, and the error would be lost. The
      // listener is added immediately, because the body may break off before there is a connection.
      const brokenOff = new AbortController()
      bytes.once('error', (error) => {
        brokenOff.abort(error)
      })
      try {
        // S3 takes no stream of unknown length. It refuses a body that ends early, and creates no object.
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

/** A host that does not take a connection by then is down. The attempt to copy is repeated. */
const CONNECT_TIMEOUT_MS = 5000
/**
 * A request ends when S3 has been silent for this long. While one hangs, it takes one of the slots of `fetch-media`.
 */
const TIMEOUT_MS = 15_000

/** The AWS SDK takes a third of a second to load, so it is loaded only when a bucket is used. */
async function connect({ bucket, region, endpoint, credentials }: Bucket) {
  const { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } =
    await import('@aws-sdk/client-s3')
  const client = new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    // By default the SDK sends bodies in AWS's own chunks with a checksum at the end, which other services refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      requestTimeout: TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
    // A stream cannot be sent twice. The caller copies again instead.
    maxAttempts: 1,
    // The SDK would write to the console. Its errors are thrown, and the caller logs them.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  })
  // We name no ACL, because many services know none and AWS has them off. The bucket's own policy decides on access.
  const place = (key: string) => ({ Bucket: bucket, Key: key })
  return {
    put: async (key: string, bytes: Readable, byteCount: number, abortSignal: AbortSignal): Promise<void> => {
      const command = new PutObjectCommand({ ...place(key), Body: bytes, ContentLength: byteCount })
      await client.send(command, { abortSignal })
    },
    get: async (key: string, range: string | undefined): Promise<Readable> => {
      const wanted = range === undefined ? {} : { Range: range }
      const { Body: body } = await client.send(new GetObjectCommand({ ...place(key), ...wanted }))
      if (!(body instanceof Readable)) throw new TypeError('the response has no body')
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
