import { oldestNode } from '../../src/config/version.js'
import { fault, ok, warning, type Check, type Finding } from './check.js'

/**
 * The dates on which releases get their last security fixes: https://github.com/nodejs/release#end-of-life-releases
 */
const END_OF_LIFE: Record<number, string> = {
  18: '2025-04-30',
  19: '2023-06-01',
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
}
const RECOMMENDED = 24

export const node: Check = {
  name: 'Node',
  look: () => judgeNode(process.versions.node, oldestNode() ?? '0', new Date()),
}

/** @param oldest the first version that is supported, such as `20.19` */
export function judgeNode(version: string, oldest: string, now: Date): Finding {
  const cure = `Use Node ${RECOMMENDED}.`
  if (isBefore(version, oldest))
    return fault(`Node ${version} is older than ${oldest}, the oldest supported version.`, cure)
  const end = END_OF_LIFE[Number.parseInt(version)]
  if (end !== undefined && now >= new Date(end)) {
    return warning(`Node ${version} has had no security fixes since ${end}.`, cure)
  }
  return ok(`Node ${version}${end === undefined ? '' : ` gets security fixes until ${end}`}.`)
}

function isBefore(version: string, other: string): boolean {
  const [a, b] = [version, other].map((each) => each.split('.').map(Number))
  for (const n of [0, 1, 2]) {
    const difference = (a?.[n] ?? 0) - (b?.[n] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}
