/**
 * Tells which idle connections of a pool may be lent. Connections that are in use are left alone.
 *
 * Those that have received nothing since a statement was sent on one that turned out dead may be dead too: a load
 * balancer or NAT that lost one has lost the others. All connections from before a failover must be replaced, because
 * the old server may still respond, read-only.
 */
export interface ConnectionTrust {
  /** Something was received on it. */
  noteAnswer(connection: object): void
  /** It was closed here, because a statement that was sent then got no answer. */
  noteDead(connection: object, sentAt: number): void
  /** Its server has said that it is read-only. It still answers the rollback that follows. */
  noteOtherServer(connection: object): void
  /**
   * True for one that was closed here. Statements that are still sent on it, such as the rollback of its transaction,
   * must fail with the same error.
   */
  isDead(connection: object): boolean
  mayBeLent(connection: object): boolean
}

export function createConnectionTrust(now = () => performance.now()): ConnectionTrust {
  const heardAt = new WeakMap<object, number>()
  const dead = new WeakSet<object>()
  const ofAnotherServer = new WeakSet<object>()
  let distrustedAt = -1

  function distrustSince(at: number): void {
    distrustedAt = Math.max(distrustedAt, at)
  }

  return {
    noteAnswer: (connection) => {
      heardAt.set(connection, now())
    },
    noteDead: (connection, sentAt) => {
      dead.add(connection)
      distrustSince(sentAt)
    },
    noteOtherServer: (connection) => {
      ofAnotherServer.add(connection)
      distrustSince(now())
    },
    isDead: (connection) => dead.has(connection),
    mayBeLent: (connection) => {
      // A connection that was never used has just been opened.
      const isTrusted = (heardAt.get(connection) ?? Infinity) > distrustedAt
      return isTrusted && !ofAnotherServer.has(connection)
    },
  }
}
