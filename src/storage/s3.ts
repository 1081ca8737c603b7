import { Readable } from 'node:stream'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
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

interface Limits {
  /** A host that has not accepted a connection by then is down. The attempt to copy is repeated. */
  connectMs: number
  /**
   * A request ends when the bucket has been silent for this long, or when its answer has not begun by then, even if it
   * sends a byte now and then. While one hangs, it takes one of the slots of `fetch-media`.
   */
  silentMs: number
  /**
   * The same while a file is sent. It is longer, because the system has taken the last megabytes from us before a
   * slow bucket gets them, and there is nothing to see of that.
   */
  silentWhileSendingMs: number
  /** A file may take `silentMs` plus the time that a bucket with this throughput needs. */
  slowestBytesPerMs: number
}

const LIMITS: Limits = {
  connectMs: 5000,
  silentMs: 15_000,
  silentWhileSendingMs: 60_000,
  slowestBytesPerMs: 50,
}

/**
 * Objects in a bucket of S3, or of a service with its protocol. S3 shows an object only when it is complete.
 *
 * @param limits only tests give others
 */
export function createS3Storage(settings: Bucket, limits: Limits = LIMITS): Storage {
  let connected: Promise<Client> | undefined
  const connection = () => (connected ??= connect(settings, limits))

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
        if (isMissing(error)) throw new StoredFileMissing(key)
        throw new StorageFailed('open an object', error)
      }
    },
    remove: async (key) => {
      try {
        await (await connection()).remove(key)
      } catch (error) {
        // S3 does not say; other services do.
        if (isMissing(error)) return
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

function isMissing(error: unknown): boolean {
  return error instanceof Error && error.name === 'NoSuchKey'
}

/** The AWS SDK takes a third of a second to load, so it is loaded only when a bucket is used. */
async function connect({ bucket, region, endpoint, credentials }: Bucket, limits: Limits) {
  const { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } =
    await import('@aws-sdk/client-s3')
  const clientWith = (
    more: Pick<S3ClientConfig, 'credentials' | 'maxAttempts'> & { socketTimeout: number },
  ) =>
    new S3Client({
      region,
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      ...(more.credentials === undefined ? {} : { credentials: more.credentials }),
      // By default the SDK sends bodies in AWS's own chunks with a checksum at the end, which other services refuse.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // The SDK's `requestTimeout` is for all requests, whatever their size, and does not count the answer's body.
      requestHandler: { connectionTimeout: limits.connectMs, socketTimeout: more.socketTimeout },
      maxAttempts: more.maxAttempts ?? 3,
      // The SDK would write to the console. Its errors are thrown, and the caller logs them.
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    })
  // What it does can be repeated: a bucket may close a kept connection just as a request is sent on it.
  const client = clientWith({ ...(credentials && { credentials }), socketTimeout: limits.silentMs })
  // A client has one time-out for silence. This one shares what the other has found out about credentials.
  const sender = clientWith({
    credentials: client.config.credentials,
    socketTimeout: limits.silentWhileSendingMs,
    // A stream cannot be sent twice. The caller copies again instead.
    maxAttempts: 1,
  })
  // We name no ACL, because many services know none and AWS has them off. The bucket's own policy decides on access.
  const place = (key: string) => ({ Bucket: bucket, Key: key })
  return {
    put: async (key: string, bytes: Readable, byteCount: number, brokenOff: AbortSignal): Promise<void> => {
      const command = new PutObjectCommand({ ...place(key), Body: bytes, ContentLength: byteCount })
      await within(limits.silentMs + Math.round(byteCount / limits.slowestBytesPerMs), (late) =>
        sender.send(command, { abortSignal: AbortSignal.any([brokenOff, late]) }),
      )
    },
    get: async (key: string, range: string | undefined): Promise<Readable> => {
      const command = new GetObjectCommand({
        ...place(key),
        ...(range === undefined ? {} : { Range: range }),
      })
      const { Body: body } = await within(limits.silentMs, (abortSignal) =>
        client.send(command, { abortSignal }),
      )
      if (!(body instanceof Readable)) throw new TypeError('the response has no body')
      return body
    },
    remove: async (key: string): Promise<void> => {
      const command = new DeleteObjectCommand(place(key))
      await within(limits.silentMs, (abortSignal) => client.send(command, { abortSignal }))
    },
    close: () => {
      client.destroy()
      sender.destroy()
    },
  }
}

/** @throws DOMException named TimeoutError if the request has not resolved by then */
async function within<T>(ms: number, request: (late: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  // The SDK does not notice every end of a request: after a 101 it would wait forever, even for the signal.
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new DOMException(`The bucket did not answer within ${ms} ms`, 'TimeoutError')
      reject(error)
      late.abort(error)
    }, ms)
  })
  const asked = request(late.signal)
  // If the time is over first, nothing else handles this error.
  asked.catch(() => undefined)
  try {
    return await Promise.race([asked, over])
  } finally {
    clearTimeout(timer)
  }
}

function ignore(): void {
  return
}
