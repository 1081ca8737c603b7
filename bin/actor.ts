import { hostname, userInfo } from 'node:os'
import { hasCode } from '../src/errors.js'
import type { Actor } from '../src/domain/operating/audit/actor.js'

/** The actor for a command: the user's account on this machine. */
export function commandLineActor(): Actor {
  return {
    kind: 'command_line',
    userId: null,
    credentialId: null,
    address: `${accountName()}@${hostname()}`,
  }
}

/** In a container the process's account may have no name. */
function accountName(): string {
  try {
    return userInfo().username
  } catch (error) {
    if (!hasCode(error, 'ERR_SYSTEM_ERROR', 'ENOENT')) throw error
    return String(process.getuid?.() ?? 'unknown')
  }
}
