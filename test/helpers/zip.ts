import { buffer } from 'node:stream/consumers'
import { fromBuffer, type Entry, type ZipFile } from 'yauzl'

/** Reads a zip by another package than the one that makes them: the bytes of each file, in order. */
export async function readZip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, opened) => {
      if (error === null) resolve(opened)
      else reject(error)
    })
  })
  const files = new Map<string, Buffer>()
  return new Promise((resolve, reject) => {
    zip.once('error', reject)
    zip.once('end', () => {
      resolve(files)
    })
    zip.on('entry', (entry: Entry) => {
      zip.openReadStream(entry, (error, stream) => {
        if (error !== null) {
          reject(error)
          return
        }
        buffer(stream).then((content) => {
          files.set(entry.fileName, content)
          zip.readEntry()
        }, reject)
      })
    })
    zip.readEntry()
  })
}

/** The rows of a file of JSON lines. */
export function rowsOf(files: ReadonlyMap<string, Buffer>, name: string): Record<string, unknown>[] {
  const file = files.get(name)
  if (file === undefined) throw new Error(`the zip has no ${name}: ${[...files.keys()].join(', ')}`)
  return file
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
