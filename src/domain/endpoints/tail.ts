import {
  listMessagesById,
  listNewAttempts,
  listNewDeliveries,
  listNewMessages,
  OVERLAP_MS,
  readNow,
  type TailedMessage,
} from '../../database/endpoints/tail.js'
import { findLineNames } from '../../database/lines/lines.js'
import { lowestIdAt } from '../../ids.js'
import type { Context } from '../context.js'
import { stepOfAttempt, stepOfDelivery, stepsOfMessage, type Step } from './tail/steps.js'

export interface Tail {
  /** Returns the steps since the last call, oldest first. The first call returns the last few steps before it. */
  next(): Promise<{ steps: Step[]; isMissingSome: boolean }>
}

export interface TailOptions {
  lineId?: string
  /** If set, only steps to these states are reported. */
  states?: readonly string[]
  /** The number of steps before the first call that are reported. */
  last: number
}

/**
 * Follows what happens on all lines, or on one, by polling Postgres: new rows, unfinished messages and delivery
 * attempts, each by their ids. So each query is bounded, whatever the tables hold, and nothing is written for
 * readers.
 */
export function createTail({ db }: Pick<Context, 'db'>, { lineId, states, last }: TailOptions): Tail {
  const known = new Map<string, TailedMessage>()
  const told = new Set<string>()
  const names = new Map<string, string>()
  /** Undefined before the first call. */
  let lookedAt: Date | undefined

  return {
    next: async () => {
      const now = await readNow(db)
      const isFirst = lookedAt === undefined
      const fromId = lowestIdAt((lookedAt ?? now).getTime() - (isFirst ? FIRST_LOOK_MS : OVERLAP_MS))
      const span = { fromId, lineId, limit: AT_ONCE }
      const [created, changed, deliveries, attempts] = [
        await listNewMessages(db, span),
        await listMessagesById(db, unfinishedIds(known)),
        await listNewDeliveries(db, span),
        await listNewAttempts(db, span),
      ]
      await readNames(
        db,
        names,
        [...created, ...changed, ...deliveries, ...attempts].map((row) => row.lineId),
      )
      // Nothing fails from here on, so everything that was read is reported.
      const isMissingSome =
        !isFirst && [created, deliveries, attempts].some((rows) => isCut(rows, told, known))
      const all = [
        ...[...created, ...changed].flatMap((message) => stepsOfMessage(known, message, { now, isFirst })),
        ...deliveries.filter(({ id }) => isNew(told, id)).map(stepOfDelivery),
        ...attempts.filter(({ id }) => isNew(told, id)).map(stepOfAttempt),
      ].sort((a, b) => a.at.getTime() - b.at.getTime())
      lookedAt = now
      forget(known, told, lowestIdAt(now.getTime() - OVERLAP_MS))
      const wanted = all.filter(({ state }) => states?.includes(state) ?? true)
      const shown = isFirst ? lastOf(wanted, last) : wanted
      return {
        steps: shown.map((step) => ({ ...step, lineName: names.get(step.lineId) ?? '' })),
        isMissingSome,
      }
    },
  }
}

/** The rows of one kind that are read in one query. */
const AT_ONCE = 2000
/** The number of newest unfinished messages that are followed. */
const MAX_UNFINISHED = 1000
/** Unfinished messages that are older are not followed. */
const FIRST_LOOK_MS = 900_000

const FINAL = ['delivered', 'failed', 'received']

function unfinishedIds(known: ReadonlyMap<string, TailedMessage>): string[] {
  return [...known.values()].filter(({ status }) => !FINAL.includes(status)).map(({ id }) => id)
}

/** True if the answer is full and its oldest row was not in the previous one: some between may be missing. */
function isCut(
  rows: readonly { id: string }[],
  told: ReadonlySet<string>,
  known: ReadonlyMap<string, unknown>,
): boolean {
  const oldest = rows.at(-1)
  return oldest !== undefined && rows.length === AT_ONCE && !told.has(oldest.id) && !known.has(oldest.id)
}

function isNew(told: Set<string>, id: string): boolean {
  const isNew = !told.has(id)
  told.add(id)
  return isNew
}

/** Remembers what the next query may return again, and the newest unfinished messages. */
function forget(known: Map<string, TailedMessage>, told: Set<string>, fromId: string): void {
  for (const id of told) if (id < fromId) told.delete(id)
  const old = [...known.values()].filter(({ id }) => id < fromId)
  for (const { id, status } of old) if (FINAL.includes(status)) known.delete(id)
  const unfinished = unfinishedIds(known).sort()
  for (const id of unfinished.slice(0, Math.max(0, unfinished.length - MAX_UNFINISHED))) {
    if (id < fromId) known.delete(id)
  }
}

function lastOf<T>(all: readonly T[], count: number): T[] {
  return count === 0 ? [] : all.slice(-count)
}

async function readNames(
  db: Context['db'],
  names: Map<string, string>,
  lineIds: readonly string[],
): Promise<void> {
  const unknown = [...new Set(lineIds)].filter((id) => !names.has(id))
  if (unknown.length === 0) return
  for (const [id, name] of await findLineNames(db, unknown)) names.set(id, name)
}
