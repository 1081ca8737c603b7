import { createHash } from 'node:crypto'
import type { CallbackRequest } from '../../carriers/callbacks.js'
import {
  insertUnclearCallback,
  listUnclearCallbacks as selectUnclearCallbacks,
  type UnclearCallback,
} from '../../database/carriers/unclear-callbacks.js'
import { storable } from '../../database/text.js'
import { newId } from '../../ids.js'
import type { Context } from '../context.js'

export type { UnclearCallback }

/**
 * Requests of carriers that are signed but not understood: they have no line, no known state or no id. The carrier gets
 * a success response, so operators find here what it sent. The first 512 KiB of a body are stored; a body with pictures
 * is larger. Each account has up to 100 of them, and each is kept for two weeks.
 */
const MAX_KEPT = 100
export const UNCLEAR_KEPT_DAYS = 14
const MAX_KEPT_BYTES = 512 * 1024
const MAX_WHY_LENGTH = 300
const MAX_QUERY_LENGTH = 4000

/** A request, or what came in a session in its place. */
export type UnclearRequest = Pick<CallbackRequest, 'query' | 'body' | 'header'> & { method: string }

/**
 * Stores a request that is known to be the carrier's. When this resolves, it is stored, and logged unless it says not
 * to.
 */
export async function keepUnclearCallback(
  { db, log }: Context,
  account: { id: string },
  {
    why,
    name,
    request: { method, query, body, header },
    isLogged = true,
  }: { why: string; name: string; request: UnclearRequest; isLogged?: boolean },
): Promise<void> {
  const asked = query.toString()
  await insertUnclearCallback(
    db,
    {
      id: newId(),
      accountId: account.id,
      digest: createHash('sha256').update(`${method} ${name}?${asked}\n`).update(body).digest(),
      name,
      why: storable(why).slice(0, MAX_WHY_LENGTH),
      method,
      query: storable(asked).slice(0, MAX_QUERY_LENGTH),
      contentType: storable(header('Content-Type')).slice(0, 200),
      body: body.subarray(0, MAX_KEPT_BYTES),
    },
    MAX_KEPT,
  )
  if (isLogged) log.warn({ carrierAccountId: account.id, name }, 'callback.unclear')
}

export async function listUnclearCallbacks(
  { db }: Context,
  account: { id: string },
): Promise<UnclearCallback[]> {
  return selectUnclearCallbacks(db, account.id)
}
