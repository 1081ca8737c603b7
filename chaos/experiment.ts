import { writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Fault } from './fault.js'
import { whenFlowing } from './flowing.js'
import { install, type Installation } from './installation.js'
import { isAcknowledged, type Ledger } from './ledger.js'
import { startLoad, type Load } from './load/load.js'
import { seeded } from './random.js'
import {
  findLost,
  findOutOfOrder,
  findUnheard,
  scoreOf,
  type Evidence,
  type Goodput,
  type OutOfOrder,
  type Score,
} from './score.js'

/** The load runs for so long before the fault, and after it. */
const BEFORE_MS = 2000
const AFTER_MS = 5000
/** A message that is not where it belongs by then is lost. How soon it should be there is a goal of its own. */
const DRAIN_MS = 180_000
const LOOK_EVERY_MS = 500

export interface Result {
  fault: string
  seed: number
  score: Score
  /** How long the fault itself lasted. */
  faultMs: number
  /** What was done, in its order. */
  story: string[]
  /** The first lost messages, with what their rows say. */
  lost: { id: string; status: string }[]
  /** The first messages that came out of order. */
  outOfOrder: OutOfOrder[]
  tookMs: number
  /** The machine's load at the end. If it is far above the number of cores, the times show the machine. */
  load: number
}

/** Runs one fault with one seed, on an installation of its own. */
export async function experiment(
  fault: Fault,
  seed: number,
  { folder, template, say }: { folder: string; template: string; say: (line: string) => void },
): Promise<Result> {
  const startedAt = performance.now()
  const name = `${fault.name}-${seed}`
  const installation = await install(join(folder, name), template, fault.layout ?? {})
  let load: Load | undefined
  try {
    const story: string[] = []
    const beginning = performance.now()
    const tell = (what: string) => {
      story.push(`${((performance.now() - beginning) / 1000).toFixed(1)} s: ${what}`)
      say(`${fault.name} (seed ${seed}): ${what}`)
    }
    const ledger: Ledger = { texts: [], inbound: [] }
    load = startLoad(installation, ledger, fault.load ?? 'usual')
    if (fault.fromTheBeginning !== true) {
      await whenFlowing(installation, ledger)
      await sleep(BEFORE_MS)
    }
    const hurtAt = now()
    let goodput: Goodput | undefined
    const noteGoodput = (noted: Goodput) => {
      goodput = noted
    }
    const random = seeded(`${fault.name} ${seed}`)
    const work: Promise<unknown>[] = []
    const meanwhile = (each: Promise<unknown>) => work.push(each)
    await fault.inflict({ ...installation, load, ledger, meanwhile, noteGoodput, random, say: tell })
    const healedAt = now()
    tell('all is well again')
    await Promise.all([sleep(fault.afterMs ?? AFTER_MS), ...work])
    await load.stop()
    const mendedAt = fault.recoversFrom === 'start' ? hurtAt : healedAt
    const evidence = await whenDrained(fault, installation, ledger, mendedAt)
    await writeFile(
      join(folder, name, 'ledger.json'),
      JSON.stringify({ ...ledger, hurtAt, healedAt }, null, 1),
    )
    return {
      fault: fault.name,
      seed,
      score: scoreOf({ ...evidence, goodput }),
      faultMs: healedAt - hurtAt,
      story,
      lost: findLost(evidence).slice(0, 50),
      outOfOrder: findOutOfOrder(evidence).slice(0, 50),
      tookMs: performance.now() - startedAt,
      load: loadavg()[0] ?? 0,
    }
  } finally {
    // The load also stops when something broke, because it must not run against an installation that is being closed.
    await load?.stop().catch(() => undefined)
    await installation.close()
  }
}

/** Waits until no acknowledged message is on its way any more, or until the time for that is over. */
async function whenDrained(
  fault: Fault,
  installation: Installation,
  ledger: Ledger,
  mendedAt: number,
): Promise<Evidence> {
  const deadline = performance.now() + DRAIN_MS
  for (;;) {
    const [taken, received] = await Promise.all([installation.taken(), installation.received()])
    const evidence = {
      ledger,
      taken,
      received,
      ...(await readRows(installation, ledger)),
      limitedNumber: installation.seeds.limited.number,
      mendedAt,
      crashes: installation.copies.reduce((sum, copy) => sum + copy.crashCount(), 0),
    }
    const open = [...findLost(evidence), ...(fault.goals?.unheard === 0 ? findUnheard(evidence) : [])]
    if (open.length === 0 || performance.now() > deadline) return evidence
    await sleep(LOOK_EVERY_MS)
  }
}

async function readRows(
  { postgres }: Installation,
  ledger: Ledger,
): Promise<Pick<Evidence, 'statuses' | 'wereUnknown' | 'copies'>> {
  const ids = ledger.texts.filter(isAcknowledged).map(({ messageId }) => messageId)
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  try {
    const { rows } = await client.query<{
      id: string
      status: string
      error: string | null
      isAsked: boolean
    }>('select id, status, error, carrier_asked_count > 0 as "isAsked" from messages where id = any($1)', [
      ids,
    ])
    const copies = await client.query<{ text: string; count: number }>(
      `select text, count(*)::integer as count from messages where direction = 'outbound' and text is not null group by text`,
    )
    return {
      statuses: new Map(
        rows.map(({ id, status, error }) => [id, status === 'failed' ? `failed: ${error ?? ''}` : status]),
      ),
      wereUnknown: new Set(
        rows.filter(({ status, isAsked }) => status === 'unknown' || isAsked).map(({ id }) => id),
      ),
      copies: new Map(copies.rows.map(({ text, count }) => [text, count])),
    }
  } finally {
    await client.end()
  }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
