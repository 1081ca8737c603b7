import type { Store } from '../../chaos/stores.js'
import { startWatchedRedis } from '../helpers/services/sentinels.js'

/** A Redis with two replicas and three Sentinels. `kill` ends the master; `start` waits for the one that replaces it. */
export async function startRedisTrio(folder: string): Promise<Store> {
  const watched = await startWatchedRedis(folder, { replicas: 2, sentinels: 3 })
  const notHere = () => {
    throw new Error('nobody freezes a trio')
  }
  return {
    url: watched.url,
    sentinels: watched.sentinels,
    port: await watched.masterPort(),
    kill: () => watched.killMaster(),
    start: () => watched.whenReplaced(),
    stop: () => watched.stop(),
    freeze: notHere,
    pids: notHere,
    wake: notHere,
  }
}
