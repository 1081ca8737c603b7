import { cpuSecondsOf, cpuSecondsOfFamily } from './usage.js'

/** The process ids of the Postgres and the Redis of a run. */
export interface ServerPids {
  postgres: number
  redis: number
}

/** The seconds of processor time of each process since `watchProcessor`, by its name; Postgres and Redis are the last. */
export type ProcessorTimes = () => ReadonlyMap<string, number>

/** Watches the processor time of some processes, and of the Postgres and the Redis that they use. */
export function watchProcessor(
  { postgres, redis }: ServerPids,
  processes: readonly { name: string; pid: number }[],
): ProcessorTimes {
  const look = (): [name: string, seconds: number][] => [
    ...processes.map(({ name, pid }): [string, number] => [name, cpuSecondsOf(pid)]),
    ['Postgres', cpuSecondsOfFamily(postgres)],
    ['Redis', cpuSecondsOf(redis)],
  ]
  const before = new Map(look())
  return () => new Map(look().map(([name, seconds]) => [name, seconds - (before.get(name) ?? NaN)]))
}
