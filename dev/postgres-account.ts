import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'

export interface Account {
  uid: number
  gid: number
}

/**
 * Postgres refuses to run as root. No account is created for it: the ids need no entry in /etc/passwd, and 65534
 * owns nothing by convention. A cluster made by an ordinary user goes on belonging to that user.
 */
export function postgresAccount(cluster: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = statSync(cluster, { throwIfNoEntry: false })
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : { uid: 65534, gid: 65534 }
}

/** Asks the kernel, as that account: modes, access lists and mounts above the path all have a say. */
export function canReach(path: string, account: Account | undefined): boolean {
  return account === undefined || spawnSync('test', ['-x', path], { ...account, cwd: '/' }).status === 0
}
