import {
  countSealedByKey,
  listSealed,
  placeOf,
  replaceSealed,
  SEALED_COLUMNS,
  type SealedColumn,
} from '../../database/operating/sealed-columns.js'
import { keyName, SecretUnreadable } from '../../secrets.js'
import type { Context } from '../context.js'
import { FIRST_ID } from '../../ids.js'

const BATCH = 500

export interface SealedCounts {
  /** The number sealed under the first key of ENCRYPTION_KEY. */
  current: number
  /** The number under one of its other keys, which must stay until `resealSecrets` has run. */
  retired: number
  /** The number under keys that it does not have: these cannot be opened. */
  lost: number
}

export async function countSealed({ db, config }: Pick<Context, 'db' | 'config'>): Promise<SealedCounts> {
  const names = config.encryptionKeys.map(keyName)
  const counts: SealedCounts = { current: 0, retired: 0, lost: 0 }
  for (const [name, count] of await countSealedByKey(db)) {
    const place = names.indexOf(name)
    counts[place === 0 ? 'current' : place > 0 ? 'retired' : 'lost'] += count
  }
  return counts
}

/** Says, for people, how many secrets none of the keys opens; undefined if there are none. */
export function lostSecrets({
  current,
  retired,
  lost,
}: SealedCounts): { why: string; cure: string } | undefined {
  if (lost === 0) return undefined
  return {
    why: `${lost} of ${current + retired + lost} secrets are encrypted with a key that is not in ENCRYPTION_KEY.`,
    cure: 'Add that key after the first one, separated by a comma. If you no longer have it, enter these secrets again.',
  }
}

export interface Resealed {
  resealedCount: number
  /** The number that were already under the first key. */
  currentCount: number
  /** The places of the values that none of the keys opens, as `secrets.ts` names them. */
  unreadable: string[]
}

/**
 * Puts every secret at rest under the first key of ENCRYPTION_KEY, so that the others can be removed from it. It may
 * run alongside the processes, and be interrupted and run again: each row is changed separately, and only if nobody
 * else has changed it in the meantime. Values that others write are under the first key anyway.
 */
export async function resealSecrets({ db, secrets }: Pick<Context, 'db' | 'secrets'>): Promise<Resealed> {
  const done: Resealed = { resealedCount: 0, currentCount: 0, unreadable: [] }
  for (const which of Object.keys(SEALED_COLUMNS) as SealedColumn[]) {
    for (let after = FIRST_ID; ;) {
      const rows = await listSealed(db, which, after, BATCH)
      for (const { id, sealed } of rows) {
        const place = placeOf(which, id)
        const fresh = attempt(() => secrets.reseal(sealed, place))
        if (fresh === 'unreadable') done.unreadable.push(place)
        else if (fresh === undefined) done.currentCount += 1
        else if (await replaceSealed(db, which, id, sealed, fresh)) done.resealedCount += 1
        else done.currentCount += 1
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < BATCH) break
      after = last.id
    }
  }
  return done
}

function attempt<Value>(work: () => Value): Value | 'unreadable' {
  try {
    return work()
  } catch (error) {
    if (error instanceof SecretUnreadable) return 'unreadable'
    throw error
  }
}
