import type { Installation } from './installation.js'
import type { Running } from './processes.js'
import { cpuSecondsOf, cpuSecondsOfFamily, parentOf } from './usage.js'

/** The seconds of processor time of each process since `watchProcessor`, by its name; Postgres and Redis are the last. */
export type ProcessorTimes = () => ReadonlyMap<string, number>

/** Watches the processor time of some processes, and of the installation's Postgres and Redis. */
export async function watchProcessor(
  installation: Installation,
  processes: readonly Running[],
): Promise<ProcessorTimes> {
  const { rows } = await installation.sql.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postgres = parentOf(rows[0]?.pid ?? 0)
  const server = await installation.prepare(({ redis }) => redis.info('server'))
  const redis = Number(/^process_id:(\d+)/m.exec(server)?.[1])
  const look = (): [name: string, seconds: number][] => [
    ...processes.map(({ name, pid }): [string, number] => [name, cpuSecondsOf(pid)]),
    ['Postgres', cpuSecondsOfFamily(postgres)],
    ['Redis', cpuSecondsOf(redis)],
  ]
  const before = new Map(look())
  return () => new Map(look().map(([name, seconds]) => [name, seconds - (before.get(name) ?? NaN)]))
}
