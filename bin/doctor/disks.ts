import { DATA_FOLDER } from '../../dev/services/embedded.js'
import { readDisks, moodOfDisk, type Disk, type Folder } from '../../src/domain/operating/overview/disks.js'
import { describeBytes } from '../../src/domain/operating/overview/figures.js'
import { fault, ok, warning, type Check, type Finding } from './check.js'
import { placeOf } from './place.js'
import { postgres } from './postgres.js'
import { redisServer } from './redis.js'
import type { Subject } from './subject.js'

export const disks: Check = {
  name: 'Disks',
  after: [postgres.name, redisServer.name],
  look: async (subject, works) => {
    const { config } = subject
    return judgeDisks(
      await readDisks([
        { of: 'the service', folder: DATA_FOLDER },
        ...(config.mediaS3 === undefined
          ? [{ of: 'media', folder: config.mediaFolder, isMadeLater: true }]
          : []),
        ...(works(postgres.name) ? await postgresFolder(subject) : []),
        ...(works(redisServer.name) ? await redisFolder(subject) : []),
      ]),
    )
  },
}

export function judgeDisks(all: readonly Disk[]): Finding {
  if (all.length === 0) return ok('The service appears to store no data on this machine.')
  const sorted = [...all].sort((a, b) => a.freeShare - b.freeShare)
  const words = (disks: readonly Disk[]) => `${disks.map(wordsOf).join(', ')}.`
  const cure =
    'Free up space, or move the folder to a larger disk. A full disk stops Postgres, Redis or the copying of media.'
  const full = sorted.filter((disk) => moodOfDisk(disk) === 'bad')
  if (full.length > 0) return fault(words(full), cure)
  const scarce = sorted.filter((disk) => moodOfDisk(disk) !== undefined)
  return scarce.length > 0 ? warning(words(scarce), cure) : ok(words(sorted))
}

function wordsOf({ of, folder, freeBytes, freeShare }: Disk): string {
  return `${describeBytes(freeBytes)} (${Math.floor(freeShare * 100)}%) free for ${of} at ${folder}`
}

/** The folder where Postgres keeps its data, if it is on this machine and reports it. */
async function postgresFolder({ config, db }: Subject): Promise<Folder[]> {
  if (placeOf(config.databaseUrl, 0)?.isLocal !== true) return []
  const asked = db.raw<{ rows: { folder: string }[] }>(`select current_setting('data_directory') as folder`)
  const { rows } = await asked.catch(() => ({ rows: [] }))
  return rows.map(({ folder }) => ({ of: 'Postgres', folder }))
}

async function redisFolder({ config, redis }: Subject): Promise<Folder[]> {
  if (placeOf(config.redisUrl, 0)?.isLocal !== true) return []
  const told = (await redis.config('GET', 'dir').catch(() => [])) as string[]
  return told.slice(1, 2).map((folder) => ({ of: 'Redis', folder }))
}
