import { freePort } from '../../dev/services/free-port.js'
import type { Bench } from '../harness/bench.js'
import { endChild, firstWord, startOwn } from '../harness/processes.js'

/** The names of the yardsticks in the table. */
export const BARE_KOA = 'bare Koa'
export const UPDATE_JOBS = 'BullMQ job with one UPDATE'
export const POST_JOBS = 'BullMQ job that signs and POSTs'
export const INSERTS = 'plain inserts'
export const PLAIN_SERVICE = 'plain service'
export const PLAIN_SMPP = 'plain client, an insert and an update each'

export async function startBareKoa(): Promise<{ url: string; close: () => Promise<void> }> {
  const port = await freePort()
  const child = startOwn('yardsticks/bare-koa.ts', [String(port)])
  await firstWord(child)
  return { url: `http://127.0.0.1:${port}`, close: () => endChild(child) }
}

export interface PlainService {
  url: string
  processes: { name: string; pid: number }[]
  close: () => Promise<void>
}

/**
 * Starts the least that a service on this stack does between an event's request and its endpoint: Koa, one INSERT, one
 * job, one SELECT, one POST, one UPDATE.
 *
 * @param endpointUrl gets all events
 */
export async function startPlainService({ bare }: Bench, endpointUrl: string): Promise<PlainService> {
  const port = await freePort()
  const web = startOwn('yardsticks/plain-web.ts', [String(port), bare.databaseUrl, bare.redisUrl])
  const worker = startOwn('yardsticks/plain-worker.ts', [endpointUrl, bare.databaseUrl, bare.redisUrl])
  await Promise.all([firstWord(web), firstWord(worker)])
  return {
    url: `http://127.0.0.1:${port}`,
    processes: [
      { name: 'web', pid: web.pid ?? 0 },
      { name: 'worker', pid: worker.pid ?? 0 },
    ],
    close: async () => {
      await Promise.all([endChild(web), endChild(worker)])
    },
  }
}

export function measureUpdateJobs({ bare }: Bench, jobs: number): Promise<number> {
  return perSecondOf('yardsticks/update-jobs.ts', [bare.redisUrl, bare.databaseUrl, String(jobs)])
}

export function measurePostJobs({ bare }: Bench, url: string, jobs: number): Promise<number> {
  return perSecondOf('yardsticks/post-jobs.ts', [bare.redisUrl, url, String(jobs)])
}

export function measureInserts({ bare }: Bench, rows: number): Promise<number> {
  return perSecondOf('yardsticks/inserts.ts', [bare.databaseUrl, String(rows)])
}

/** @param port of an SMSC */
export function measurePlainSmpp({ bare }: Bench, port: number, texts: number): Promise<number> {
  return perSecondOf('yardsticks/plain-smpp.ts', [String(port), bare.databaseUrl, String(texts)])
}

async function perSecondOf(file: string, args: readonly string[]): Promise<number> {
  const child = startOwn(file, args)
  try {
    return await firstWord<number>(child)
  } finally {
    await endChild(child)
  }
}
