import { once } from 'node:events'
import { PassThrough, pipeline, Readable } from 'node:stream'
import type { ZipArchive } from 'archiver'

export interface ExportFile {
  /** Its path in the zip. */
  name: string
  /** Called when it is its turn. The file is left out if there is none any more. */
  open: () => Promise<Readable | undefined> | Readable
  /** True for pictures and recordings, which are compressed already. */
  isCompressed?: boolean
}

/**
 * Makes a zip of files that are opened one by one, each when the one before it is done, and read as fast as the zip is
 * consumed. An error on the way truncates the zip, so that it is not mistaken for a complete one.
 */
export function zipOf(files: AsyncIterable<ExportFile>): Readable {
  // This is Node's own stream, because the package uses a different one.
  const out = new PassThrough()
  fill(files, out).catch((error: unknown) => out.destroy(error as Error))
  return out
}

async function fill(files: AsyncIterable<ExportFile>, out: PassThrough): Promise<void> {
  // The package takes 22 MB and a sixth of a second to load, and zips are rare.
  const { ZipArchive } = await import('archiver')
  const zip = new ZipArchive()
  pipeline(zip, out, () => undefined)
  for await (const file of files) {
    if (out.destroyed) return
    await add(zip, file, out)
  }
  await zip.finalize()
}

/** @throws AbortError if the reader of the zip is gone */
async function add(
  zip: ZipArchive,
  { name, open, isCompressed = false }: ExportFile,
  out: Readable,
): Promise<void> {
  const file = await open()
  if (file === undefined) return
  // The reader may have left while it was opened, and then nothing would close it.
  if (out.destroyed) {
    file.destroy()
    return
  }
  const over = new AbortController()
  const end = () => {
    over.abort()
  }
  out.once('close', end)
  try {
    const { signal } = over
    const failed = once(file, 'error', { signal }).then(([error]) => Promise.reject(error as Error))
    const added = once(zip, 'entry', { signal })
    zip.append(file, { name, store: isCompressed })
    await Promise.race([added, failed])
  } finally {
    out.off('close', end)
    end()
    file.destroy()
  }
}

export function jsonLines(name: string, rows: AsyncIterable<object>): ExportFile {
  return { name, open: () => Readable.from(toLines(rows), { objectMode: false }) }
}

async function* toLines(rows: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`
}

export function json(name: string, value: object): ExportFile {
  return {
    name,
    open: () => Readable.from([`${JSON.stringify(value, null, 2)}\n`], { objectMode: false }),
  }
}
