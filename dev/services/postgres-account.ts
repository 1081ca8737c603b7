import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'

export interface Account {
  uid: number
  gid: number
}

/**
 * The account that Postgres runs as, because it refuses to run as root. No account is created: an id needs no entry in
 * /etc/passwd, and by convention 65534 owns nothing. A cluster that an ordinary user has made still belongs to that user.
 */
export function postgresAccount(cluster: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = statSync(cluster, { throwIfNoEntry: false })
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : { uid: 65534, gid: 65534 }
}

/** Asks the kernel as that account, because modes, access lists and mounts above the path all play a part. */
export function canReach(path: string, account: Account | undefined): boolean {
  return account === undefined || spawnSync('test', ['-x', path], { ...account, cwd: '/' }).status === 0
}
