/**
 * The facts that Redis reports about itself; null if it does not report them, as in some managed services.
 */
export interface RedisFacts {
  version: string | null
  policy: string | null
  hasAof: boolean | null
  /** True if the last write to the append-only file worked. */
  isAofWritten: boolean | null
  usedBytes: number | null
  /** 0 means no limit. */
  maxBytes: number | null
  /** The machine's memory in bytes. */
  machineBytes: number | null
}

/** Matches errors of commands that a managed Redis may not allow, such as INFO and CLIENT LIST. */
export const IS_REFUSED = /NOPERM|unknown (sub)?command/i

interface CanInform {
  info(section: string): Promise<string>
}

/** @throws Error if Redis does not answer, or refuses */
export async function readRedisFacts(redis: CanInform): Promise<RedisFacts> {
  const sections = await Promise.all(['server', 'memory', 'persistence'].map((name) => redis.info(name)))
  const info = sections.join('\n')
  const text = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? null
  const number = (name: string) => {
    const value = text(name)
    return value === null ? null : Number(value)
  }
  const aof = text('aof_enabled')
  const lastWrite = text('aof_last_write_status')
  return {
    version: text('redis_version'),
    policy: text('maxmemory_policy'),
    hasAof: aof === null ? null : aof === '1',
    isAofWritten: lastWrite === null ? null : lastWrite === 'ok',
    usedBytes: number('used_memory'),
    maxBytes: number('maxmemory'),
    machineBytes: number('total_system_memory'),
  }
}
