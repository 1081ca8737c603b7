import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { readRange } from '../../src/web/input/range.js'

export interface Bucket {
  endpoint: string
  name: string
  /** By key. */
  objects: Map<string, Buffer>
  /** Every request is answered with this error from now on; undefined: as it should be. */
  answerWith(status: number | undefined, code?: string): void
  close(): Promise<void>
}

/**
 * As much of S3's REST API as the storage speaks, with S3's answers (docs.aws.amazon.com/AmazonS3/latest/API): objects
 * of one bucket, addressed by path. Like services other than AWS it takes no body in AWS's own chunks.
 */
export async function startBucket(): Promise<Bucket> {
  const name = 'media'
  const objects = new Map<string, Buffer>()
  let fault: { status: number; code: string } | undefined
  const server = createServer((request, response) => {
    if (fault !== undefined) refuse(response, fault.status, fault.code)
    else void answer(request, response, name, objects)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    name,
    objects,
    answerWith: (status, code = 'InternalError') => {
      fault = status === undefined ? undefined : { status, code }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  bucket: string,
  objects: Map<string, Buffer>,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://bucket')
  const key = decodeURIComponent(pathname.slice(`/${bucket}/`.length))
  const { authorization = '', 'content-encoding': encoding = '', range = '' } = request.headers
  if (!authorization.startsWith('AWS4-HMAC-SHA256 Credential=id/')) {
    refuse(response, 403, 'AccessDenied')
    return
  }
  if (request.method === 'PUT') {
    if (encoding.includes('aws-chunked')) {
      refuse(response, 501, 'NotImplemented')
      return
    }
    // A body that ends before its Content-Length never becomes an object.
    const bytes = await buffer(request).catch(() => undefined)
    if (bytes === undefined) return
    objects.set(key, bytes)
    response.writeHead(200, { ETag: '"etag"' }).end()
  } else if (request.method === 'DELETE') {
    objects.delete(key)
    response.writeHead(204).end()
  } else {
    give(response, objects.get(key), range)
  }
}

function give(response: ServerResponse, bytes: Buffer | undefined, header: string): void {
  if (bytes === undefined) {
    refuse(response, 404, 'NoSuchKey')
    return
  }
  const range = readRange(header, bytes.length)
  const part = range ? bytes.subarray(range.first, range.last + 1) : bytes
  response.writeHead(range ? 206 : 200, { 'Content-Length': part.length }).end(part)
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`)
}
