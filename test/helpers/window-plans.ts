import fc from 'fast-check'
import type { SlidingWindows, Window } from '../../src/kit/redis/sliding-window.js'

export const MINUTE = 60_000
const PATIENCE = 2000
export const NUMBER_LIMIT = 5
export const LINE_LIMIT = 30
/** The window in which a member may take several places. */
export const PACE_LIMIT = 12
/** A plan with many waiters would go on for hours of its clock. */
export const MAX_ASKS = 150

/** What happens at a moment of a plan; `gapMs` after the step before. */
export type Step =
  | {
      kind: 'burst'
      gapMs: number
      number: number
      count: number
      lateMs: number | 'never'
      goesFirst: boolean
      places: number
    }
  | { kind: 'repeat'; gapMs: number; pick: number }
  | { kind: 'clear'; gapMs: number; number: number }
  | { kind: 'leave'; gapMs: number; pick: number; count: number }

interface Ask {
  at: number
  member: string
  number: number
  /** After each refusal it comes back so late, or never. */
  lateMs: number | 'never'
  goesFirst: boolean
  /** How many places of the pace it needs. */
  places: number
}

export interface Answer extends Ask {
  waitMs: number
  /** How often this number's window had been cleared before. */
  epoch: number
  /**
   * It has its place already, or there is room and nobody waits, or only those whom it may overtake: by an account of
   * our own.
   */
  mustGet: boolean
}

const gapMs = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 500 }),
  fc.integer({ min: 500, max: 70_000 }),
)
const number = fc.integer({ min: 0, max: 8 })
const lateMs = fc.oneof(
  fc.constant(0),
  fc.constant('never' as const),
  fc.integer({ min: -300, max: 2 * PATIENCE }),
)
const burst = fc.record({
  kind: fc.constant('burst' as const),
  gapMs,
  number,
  count: fc.integer({ min: 1, max: 9 }),
  lateMs,
  goesFirst: fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  places: fc.oneof(
    { weight: 2, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 4 }) },
    { weight: 1, arbitrary: fc.integer({ min: PACE_LIMIT - 2, max: 2 * PACE_LIMIT + 2 }) },
  ),
})
const repeat = fc.record({ kind: fc.constant('repeat' as const), gapMs, pick: fc.nat(1000) })
const clear = fc.record({ kind: fc.constant('clear' as const), gapMs, number })
const leave = fc.record({
  kind: fc.constant('leave' as const),
  gapMs,
  pick: fc.nat(1000),
  count: fc.integer({ min: 1, max: 9 }),
})
export const plan: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: burst },
    { weight: 1, arbitrary: repeat },
    { weight: 1, arbitrary: clear },
    { weight: 2, arbitrary: leave },
  ),
  { minLength: 1, maxLength: 25, size: 'max' },
)

/** Carries a plan out with a clock of its own; those who are refused come back as the plan says. */
export async function carryOut(
  windows: SlidingWindows,
  name: string,
  steps: readonly Step[],
): Promise<Answer[]> {
  const keyOf = (ofNumber: number) => `{${name}}:to:${ofNumber}`
  const line: Window = { key: `{${name}}:line`, limit: LINE_LIMIT, lengthMs: MINUTE }
  const pace: Window = { key: `{${name}}:pace`, limit: PACE_LIMIT, lengthMs: MINUTE }
  const account = createAccount()
  const answers: Answer[] = []
  const coming: Ask[] = []

  const ask = async (asked: Ask) => {
    if (answers.length >= MAX_ASKS) return
    const ofNumber: Window = { key: keyOf(asked.number), limit: NUMBER_LIMIT, lengthMs: MINUTE }
    const mustGet = account.mustGet(asked)
    const take = asked.goesFirst ? windows.takeFirst : windows.take
    const waitMs = await take(asked.member, [ofNumber, line, { ...pace, places: asked.places }], asked.at)
    answers.push({ ...asked, waitMs, mustGet, epoch: account.epochOf(asked.number) })
    account.note(asked, waitMs)
    if (waitMs > 0 && asked.lateMs !== 'never') {
      coming.push({ ...asked, at: Math.max(asked.at, asked.at + waitMs + asked.lateMs) })
    }
  }
  const leaveAll = async (leaving: readonly Ask[], at: number) => {
    for (const { member } of leaving) account.leave(member)
    const members = leaving.map(({ member }) => member)
    for (const answer of answers) if (members.includes(answer.member)) answer.lateMs = 'never'
    const ofNumbers = [...new Set(leaving.map((each) => each.number))].map((each) => ({
      key: keyOf(each),
      limit: NUMBER_LIMIT,
      lengthMs: MINUTE,
    }))
    for (const left of [...ofNumbers, line, pace]) {
      for (const { member, waitMs } of await windows.leave(left, members, at)) {
        const moved = coming.find((each) => each.member === member)
        account.move(member, at + waitMs)
        if (moved && moved.lateMs !== 'never')
          moved.at = Math.min(moved.at, Math.max(at, at + waitMs + moved.lateMs))
      }
    }
  }
  const askThoseDueBy = async (moment: number) => {
    for (;;) {
      coming.sort((a, b) => a.at - b.at)
      if (coming[0] === undefined || coming[0].at > moment || answers.length >= MAX_ASKS) return
      await ask(coming.shift()!)
    }
  }

  let now = 1_000_000
  for (const [index, step] of steps.entries()) {
    now += step.gapMs
    await askThoseDueBy(now)
    if (step.kind === 'clear') {
      await windows.clear([keyOf(step.number)])
      account.clear(step.number)
    } else if (step.kind === 'leave') {
      if (coming.length > 0) await leaveAll(coming.splice(step.pick % coming.length, step.count), now)
    } else if (step.kind === 'repeat') {
      const repeated = answers.filter(({ waitMs }) => waitMs === 0)
      const chosen = repeated[step.pick % repeated.length]
      if (chosen) await ask({ ...chosen, at: now, lateMs: 'never' })
    } else {
      for (let nth = 0; nth < step.count; nth += 1) {
        await ask({
          at: now,
          member: `${index}-${nth}`,
          number: step.number,
          lateMs: step.lateMs,
          goesFirst: step.goesFirst,
          places: step.places,
        })
      }
    }
  }
  await askThoseDueBy(Infinity)
  return answers
}

/** When each place of the pace is used that a member has taken at this moment. */
export function placesFrom({ at, places }: Pick<Ask, 'at' | 'places'>): number[] {
  return Array.from({ length: places }, (_, nth) => at + Math.ceil((nth * MINUTE) / PACE_LIMIT))
}

/** Who holds places and who waits, kept beside the windows in the plainest way. */
function createAccount() {
  const held = new Map<string, { at: number; number: number; epoch: number; places: number }>()
  const waiting = new Map<string, { toldAt: number; number: number }>()
  const epochs = new Map<number, number>()
  const epochOf = (ofNumber: number) => epochs.get(ofNumber) ?? 0

  return {
    epochOf,
    mustGet({ at, member, number: asked, goesFirst, places }: Ask): boolean {
      const ofPace = [...held].flatMap(([name, each]) => (name === member ? [] : placesFrom(each)))
      if (ofPace.filter((each) => each > at - MINUTE).length + places > PACE_LIMIT) return false
      const own = held.get(member)
      if (own && own.at > at - MINUTE && own.epoch === epochOf(asked)) return true
      const others = [...held].filter(([name, place]) => name !== member && place.at > at - MINUTE)
      const ofNumber = others.filter(([, place]) => place.number === asked && place.epoch === epochOf(asked))
      const overtakes = goesFirst && !waiting.has(member)
      const waits =
        !overtakes && [...waiting].some(([name, { toldAt }]) => name !== member && toldAt > at - PATIENCE)
      return !waits && others.length < LINE_LIMIT && ofNumber.length < NUMBER_LIMIT
    },
    note({ at, member, number: asked, places }: Ask, waitMs: number): void {
      if (waitMs > 0) waiting.set(member, { toldAt: at + waitMs, number: asked })
      else {
        waiting.delete(member)
        held.set(member, { at, number: asked, epoch: epochOf(asked), places })
      }
    },
    leave(member: string): void {
      waiting.delete(member)
    },
    move(member: string, toldAt: number): void {
      const told = waiting.get(member)
      if (told && toldAt < told.toldAt) told.toldAt = toldAt
    },
    clear(ofNumber: number): void {
      epochs.set(ofNumber, epochOf(ofNumber) + 1)
    },
  }
}
