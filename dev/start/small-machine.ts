import { totalmem } from 'node:os'

/**
 * At rest, all processes take some 530 MB, and 220 MB with one process for all workers (docs/performance.md). On a
 * machine with less than a GiB, too little would be left for Postgres, Redis and load.
 */
const SMALL_BELOW_BYTES = 1024 ** 3

/**
 * The reason why all workers run in one process, or undefined if each runs in a separate one.
 *
 * @param asked true if the user asked for one process, false for several; undefined if the user did not say
 * @param memoryBytes the memory that the machine has, or that the container may use
 */
export function reasonForSmall(
  asked: boolean | undefined,
  memoryBytes = availableBytes(),
): string | undefined {
  if (asked !== undefined) return asked ? '--small was given' : undefined
  return memoryBytes < SMALL_BELOW_BYTES ? 'there is less than 1 GiB of memory' : undefined
}

/** Without a limit Node says 0, or a number that is larger than the memory. */
export function availableBytes(limitBytes = process.constrainedMemory(), machineBytes = totalmem()): number {
  return limitBytes > 0 ? Math.min(limitBytes, machineBytes) : machineBytes
}
