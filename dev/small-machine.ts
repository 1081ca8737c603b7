import { totalmem } from 'node:os'

const SMALL_BELOW_BYTES = 1024 ** 3

/**
 * Why all workers are to run in one process; undefined: each runs in its own.
 *
 * @param asked what the person who starts them said about it, if anything
 * @param memoryBytes what the machine has, or the container may use
 */
export function reasonForSmall(
  asked: boolean | undefined,
  memoryBytes = availableBytes(),
): string | undefined {
  if (asked !== undefined) return asked ? 'that is what --small asks for' : undefined
  return memoryBytes < SMALL_BELOW_BYTES ? 'there is less than 1 GiB of memory' : undefined
}

/** 0 is what Node says without a limit, or a number larger than the memory. */
export function availableBytes(limitBytes = process.constrainedMemory(), machineBytes = totalmem()): number {
  return limitBytes > 0 ? Math.min(limitBytes, machineBytes) : machineBytes
}
