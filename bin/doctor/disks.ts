import { statfs } from 'node:fs/promises'
import { resolve } from 'node:path'
import { DATA_FOLDER } from '../../dev/embedded.js'
import { fault, ok, warning, type Check, type Finding } from './check.js'
import { placeOf } from './place.js'
import { postgres } from './postgres.js'
import { redisServer } from './redis.js'
import type { Subject } from './subject.js'

const WARNING_SHARE = 0.1
const WARNING_BYTES = 2e9
const FAULT_SHARE = 0.02
const FAULT_BYTES = 2e8

export interface Disk {
  folder: string
  freeBytes: number
  /** Of the bytes or of the files that it can hold, whichever is less. */
  freeShare: number
}

export const disks: Check = {
  name: 'Disks',
  after: [postgres.name, redisServer.name],
  look: async (subject, works) => {
    const { config } = subject
    const folders = [
      DATA_FOLDER,
      ...(config.mediaS3 === undefined ? [resolve(config.mediaFolder)] : []),
      ...(works(postgres.name) ? await postgresFolder(subject) : []),
      ...(works(redisServer.name) ? await redisFolder(subject) : []),
    ]
    const found = await Promise.all([...new Set(folders)].map(measure))
    return judgeDisks(found.filter((each) => each !== undefined))
  },
}

export function judgeDisks(all: readonly Disk[]): Finding {
  if (all.length === 0) return ok('No data of the service are on this machine, as far as can be seen.')
  const sorted = [...all].sort((a, b) => a.freeShare - b.freeShare)
  const words = (disks: readonly Disk[]) =>
    `${disks.map(({ folder, freeBytes, freeShare }) => `${readableBytes(freeBytes)} (${Math.floor(freeShare * 100)} %) free at ${folder}`).join(', ')}.`
  const cure =
    'Make room, or move the folder to a larger disk: a full one stops Postgres, Redis or the copying of media.'
  const full = sorted.filter(({ freeBytes, freeShare }) => freeBytes < FAULT_BYTES || freeShare < FAULT_SHARE)
  if (full.length > 0) return fault(words(full), cure)
  const scarce = sorted.filter(
    ({ freeBytes, freeShare }) => freeBytes < WARNING_BYTES || freeShare < WARNING_SHARE,
  )
  return scarce.length > 0 ? warning(words(scarce), cure) : ok(words(sorted))
}

/** undefined: there is no such folder, or it may not be seen. */
async function measure(folder: string): Promise<Disk | undefined> {
  try {
    const { bavail, blocks, bsize, ffree, files } = await statfs(folder)
    // Some file systems have no fixed number of files.
    const freeFiles = files === 0 ? 1 : ffree / files
    return {
      folder,
      freeBytes: bavail * bsize,
      freeShare: Math.min(blocks === 0 ? 1 : bavail / blocks, freeFiles),
    }
  } catch {
    return undefined
  }
}

/** Where it keeps its data, if it is on this machine and tells it. */
async function postgresFolder({ config, db }: Subject): Promise<string[]> {
  if (placeOf(config.databaseUrl, 0)?.isLocal !== true) return []
  const asked = db.raw<{ rows: { folder: string }[] }>(`select current_setting('data_directory') as folder`)
  const { rows } = await asked.catch(() => ({ rows: [] }))
  return rows.map(({ folder }) => folder)
}

async function redisFolder({ config, redis }: Subject): Promise<string[]> {
  if (placeOf(config.redisUrl, 0)?.isLocal !== true) return []
  const told = (await redis.config('GET', 'dir').catch(() => [])) as string[]
  return told.slice(1, 2)
}

function readableBytes(count: number): string {
  return count < 1e9 ? `${Math.floor(count / 1e6)} MB` : `${(count / 1e9).toFixed(1)} GB`
}
