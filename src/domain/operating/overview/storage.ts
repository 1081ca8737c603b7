import { Readable } from 'node:stream'
import { newId } from '../../../ids.js'
import { StorageFailed } from '../../../storage/storage.js'
import type { Context } from '../../context.js'
import { readDisks, moodOfDisk, type Disk } from './disks.js'
import { describeBytes } from './figures.js'
import { serviceView, type ServiceFault, type ServiceView } from './service.js'

/** Tests are this rare because a bucket charges for each write. */
const TRIED_EVERY_MS = 60_000

/** The result of the last test: undefined if it worked, otherwise the storage's error. */
interface Trial {
  at: number
  fault: string | undefined
}

const trials = new WeakMap<Context['storage'], Trial>()

/**
 * Checks whether media can be stored, and how full this machine's disks are.
 *
 * @param options.postgresFolder the folder of Postgres's files, if that is on this machine
 * @param options.writes true to test with a tiny file, which is removed immediately
 */
export async function viewStorage(
  context: Pick<Context, 'storage' | 'config'>,
  { postgresFolder, writes }: { postgresFolder: string | undefined; writes: boolean },
): Promise<ServiceView> {
  const { mediaFolder, mediaS3 } = context.config
  const disks = await readDisks([
    ...(mediaS3 === undefined ? [{ of: 'media', folder: mediaFolder, isMadeLater: true }] : []),
    ...(postgresFolder === undefined ? [] : [{ of: 'Postgres', folder: postgresFolder }]),
  ])
  const fault = writes ? await tryStorage(context.storage) : undefined
  return judgeStorage({
    place: mediaS3 === undefined ? 'A folder' : `The bucket ${mediaS3.bucket}`,
    disks,
    fault,
    writes,
  })
}

export function judgeStorage(found: {
  place: string
  disks: readonly Disk[]
  fault: string | undefined
  writes: boolean
}): ServiceView {
  const faults: ServiceFault[] = found.disks.flatMap((disk) => {
    const { of, freeBytes } = disk
    const mood = moodOfDisk(disk)
    return mood === undefined
      ? []
      : [
          {
            mood,
            text: `The disk of ${of} has only ${describeBytes(freeBytes)} left. Free up space or use a larger disk.`,
          },
        ]
  })
  if (found.fault !== undefined) {
    faults.push({ mood: 'bad', text: `Media cannot be stored: ${found.fault}` })
  }
  return serviceView(faults, [
    ['Media', found.place],
    ['Writing', found.fault !== undefined ? 'Fails' : found.writes ? 'Works' : 'Not tested'],
    ...found.disks.map(({ of, freeBytes, totalBytes }): [string, string] => [
      `Disk of ${of}`,
      `${describeBytes(freeBytes)} of ${describeBytes(totalBytes)} free`,
    ]),
  ])
}

async function tryStorage(storage: Context['storage']): Promise<string | undefined> {
  const last = trials.get(storage)
  if (last !== undefined && performance.now() - last.at < TRIED_EVERY_MS) return last.fault
  const fault = await tryOnce(storage)
  trials.set(storage, { at: performance.now(), fault })
  return fault
}

async function tryOnce(storage: Context['storage']): Promise<string | undefined> {
  const key = `trial/${newId()}`
  const bytes = Buffer.from('Linehook tests whether it can write here.\n')
  try {
    await storage.put(key, Readable.from([bytes]), bytes.length)
    await storage.remove(key)
    return undefined
  } catch (error) {
    if (!(error instanceof StorageFailed)) throw error
    return `${error.message} (${error.reason}).`
  }
}
