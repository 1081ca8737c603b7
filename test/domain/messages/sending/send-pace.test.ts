import { expect } from 'chai'
import { CarrierThrottled } from '../../../../src/carriers/carrier.js'
import type { CarrierAccountFields } from '../../../../src/database/carriers/carrier-accounts.js'
import { changeCarrierAccount } from '../../../../src/domain/carriers/accounts/change.js'
import { addCarrierAccount, getCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import type { Context } from '../../../../src/domain/context.js'
import type { Window } from '../../../../src/kit/redis/sliding-window.js'
import { createTestContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { BIRDS } from '../../../helpers/services/parrot.js'
import {
  ahead,
  BEN,
  hasMessageJob,
  messageRow,
  queueMessage,
  sendWhenDue,
  UNLIMITED,
  withCarrier,
} from '../../fixtures.js'

/** Redis forgets a window by its own clock: ours is so much faster that it never gets there during a test. */
const STRETCH = 60

const FOUR_PARTS = 'x'.repeat(3 * 153 + 1)

describe('the pace of a carrier account', () => {
  let context: Context
  /** In ms, and only moved by `sendAll`. */
  let now: number
  let count = 0
  let numberCount = 0

  before(async () => {
    const real = await createTestContext({}, { carrierKinds: BIRDS })
    const stretch = (window: Window) => ({ ...window, lengthMs: window.lengthMs * STRETCH })
    const { windows } = real
    const stretched =
      (take: typeof windows.take): typeof windows.take =>
      async (member, taken) =>
        Math.ceil((await take(member, taken.map(stretch), now * STRETCH)) / STRETCH)
    context = {
      ...real,
      windows: {
        ...windows,
        take: stretched(windows.take),
        takeFirst: stretched(windows.takeFirst),
        hold: (member, held, waitMs) =>
          windows.hold(member, held.map(stretch), waitMs * STRETCH, now * STRETCH),
      },
    }
  })
  after(() => context.close())

  async function addAccount(pace: Partial<CarrierAccountFields>): Promise<string> {
    count += 1
    const none = { messagesPerSecond: null, messagesPerSecondPerLine: null }
    const name = `finch-${count}`
    await addCarrierAccount(context, { name, kind: 'finch', settings: { pin: 'x' }, ...none, ...pace })
    return name
  }

  async function queue(line: TestLine, howMany: number, text?: string): Promise<string[]> {
    const ids: string[] = []
    for (let n = 0; n < howMany; n += 1) {
      numberCount += 1
      // To a number each: none is behind another.
      const to_number = `+1500555${1000 + numberCount}`
      ids.push(await queueMessage(context, line, { to_number, ...(text && { text }) }))
    }
    return ids
  }

  const addLineAt = (carrier: string) => createLine(context, { carrierAccount: carrier, ...UNLIMITED })

  /**
   * As workers would: each message again at the moment that it was told. From 0, when all are there.
   *
   * @returns when each was sent
   */
  async function sendAll(ids: readonly string[]): Promise<number[]> {
    now = 0
    const sentAt = new Map<string, number>()
    let waiting = ids.map((id) => ({ id, at: 0 }))
    while (waiting.length > 0) {
      const [next, ...rest] = waiting.toSorted((one, other) => one.at - other.at)
      now = next!.at
      const outcome = await sendWhenDue(context, next!.id)
      if (outcome.kind === 'sent') sentAt.set(next!.id, now)
      else if (outcome.kind !== 'wait') throw new Error(`it ended as ${outcome.kind}`)
      waiting = outcome.kind === 'wait' ? [...rest, { id: next!.id, at: now + outcome.ms }] : rest
    }
    return ids.map((id) => sentAt.get(id)!)
  }

  for (const [perSecond, limit, lengthMs] of [
    [5, 5, 1000],
    [3, 3, 1000],
    [4.8, 5, 1042],
    [2.5, 3, 1200],
    [1, 1, 1000],
    [0.25, 1, 4000],
    [0.001, 1, 1_000_000],
  ] as const) {
    const expected = Array.from({ length: 2 * limit + 1 }, (_, n) => Math.floor(n / limit) * lengthMs)
    const words = `${perSecond}/s lets ${limit} go in any ${lengthMs} ms`

    it(`of ${words}, from one line, and no later than that`, async () => {
      const line = await addLineAt(await addAccount({ messagesPerSecondPerLine: perSecond }))
      expect(await sendAll(await queue(line, expected.length))).to.deep.equal(expected)
    })

    it(`of ${words}, from all lines together`, async () => {
      const account = await addAccount({ messagesPerSecond: perSecond })
      const [one, other] = [await addLineAt(account), await addLineAt(account)]
      const ids = [...(await queue(one, limit)), ...(await queue(other, limit + 1))]
      const sentAt = await sendAll(ids)
      expect(sentAt.toSorted((a, b) => a - b)).to.deep.equal(expected)
    })
  }

  it('of each line is its own, and of another account too', async () => {
    const pace = { messagesPerSecondPerLine: 1, messagesPerSecond: 2 }
    const [account, another] = [await addAccount(pace), await addAccount(pace)]
    const ids = [
      ...(await queue(await addLineAt(account), 1)),
      ...(await queue(await addLineAt(account), 1)),
      ...(await queue(await addLineAt(another), 1)),
    ]
    expect(await sendAll(ids)).to.deep.equal([0, 0, 0])
  })

  it('moves the place in its line of a message that waits for the account’s', async () => {
    const account = await addAccount({ messagesPerSecond: 2, messagesPerSecondPerLine: 1 })
    const others = [await addLineAt(account), await addLineAt(account)]
    const line = await addLineAt(account)
    const before = [...(await queue(others[0]!, 1)), ...(await queue(others[1]!, 1))]
    // The first has a place in its line at 0, and goes at 1000: the second goes neither before it nor with it.
    expect(await sendAll([...before, ...(await queue(line, 2))])).to.deep.equal([0, 0, 1000, 2000])
  })

  it('is used up by many lines that wait for it, each within its own', async () => {
    const account = await addAccount({ messagesPerSecond: 3, messagesPerSecondPerLine: 1 })
    const queued: string[][] = []
    for (let n = 0; n < 5; n += 1) queued.push(await queue(await addLineAt(account), 6))
    const sentAt = await sendAll(queued.flat())
    const inOrder = sentAt.toSorted((a, b) => a - b)
    // In the end there are fewer lines left than places.
    const expected = inOrder.slice(0, 27).map((_, n) => Math.floor(n / 3) * 1000)
    expect(inOrder.slice(0, 27)).to.deep.equal(expected)
    expect(inOrder.at(-1)).to.be.at.most(10_000)
    for (const index of queued.keys()) {
      const ofLine = sentAt.slice(index * 6, index * 6 + 6)
      expect(new Set(ofLine)).to.have.property('size', 6)
    }
  })

  for (const pace of ['messagesPerSecond', 'messagesPerSecondPerLine'] as const) {
    it(`counts the parts of a text where the carrier gets it in parts (${pace})`, async () => {
      const line = await addLineAt(await addAccount({ [pace]: 5 }))
      const ids = [
        ...(await queue(line, 3, FOUR_PARTS)),
        ...(await queue(line, 2)),
        ...(await queue(line, 1, 'x'.repeat(1600))),
        ...(await queue(line, 1)),
      ]
      expect(await sendAll(ids)).to.deep.equal([0, 800, 1600, 2400, 2600, 2800, 5000])
    })
  }

  it('counts texts in the limits of the line, whatever their parts', async () => {
    const account = await addAccount({ messagesPerSecond: 100 })
    const line = await createLine(context, { carrierAccount: account, ...UNLIMITED, messagesPerMinute: 3 })
    const ids = await queue(line, 4, FOUR_PARTS)
    expect(await sendAll(ids.slice(0, 3))).to.deep.equal([0, 0, 0])
    now = 120
    const last = await sendWhenDue(context, ids[3]!)
    expect(last).to.include({ kind: 'wait' }).and.to.have.property('ms').above(30_000)
  })

  it('uses up no attempt of a message that waits', async () => {
    const line = await addLineAt(await addAccount({ messagesPerSecond: 0.5 }))
    const [first, second] = await queue(line, 2)
    now = 0
    expect(await sendWhenDue(context, first!)).to.deep.equal({ kind: 'sent' })
    for (const [at, ms] of [
      [0, 2000],
      [500, 1500],
      [1999, 1],
    ] as const) {
      now = at
      expect(await sendWhenDue(context, second!)).to.deep.equal({ kind: 'wait', ms, reason: 'window' })
      expect(await messageRow(context, second!)).to.include({
        status: 'queued',
        attempt_count: 0,
        claim_id: null,
        error: null,
      })
    }
    now = 2000
    expect(await sendWhenDue(context, second!)).to.deep.equal({ kind: 'sent' })
    expect(await messageRow(context, second!)).to.include({ status: 'sent', attempt_count: 1 })
  })

  for (const pace of ['messagesPerSecond', 'messagesPerSecondPerLine'] as const) {
    it(`moves the messages that wait for it when it is raised (${pace}), whichever asks first`, async () => {
      const account = await addAccount({ [pace]: 0.002 })
      const line = await addLineAt(account)
      const [first, ...others] = await queue(line, 12)
      now = 0
      expect(await sendWhenDue(context, first!)).to.deep.equal({ kind: 'sent' })
      for (const id of others) expect(await sendWhenDue(context, id)).to.include({ kind: 'wait' })
      const unreached = await queueMessage(context, line, {
        to_number: BEN,
        error: 'carrier_unavailable',
        not_before: ahead(context, '1 minute'),
      })

      await changeCarrierAccount(context, await getCarrierAccount(context, account), { [pace]: 0.001 })
      expect(await messageRow(context, others[0]!)).to.include({ job_generation: 0 })
      await changeCarrierAccount(context, await getCarrierAccount(context, account), { [pace]: 5 })
      for (const id of others) {
        expect(await messageRow(context, id)).to.include({ job_generation: 1, not_before: null })
        expect(await hasMessageJob(context, id, 1)).to.equal(true)
      }
      expect(await messageRow(context, unreached)).to.include({ job_generation: 0 })
      const sentAt = await sendAll(others.toReversed())
      expect(sentAt.toSorted((a, b) => a - b)).to.deep.equal([
        0,
        0,
        0,
        0,
        ...Array<number>(5).fill(1000),
        2000,
        2000,
      ])
    })
  }

  it('goes first to a message that the carrier has throttled: those that wait were accepted later', async () => {
    const line = await addLineAt(await addAccount({ messagesPerSecond: 1 }))
    const [first, ...others] = await queue(line, 5)
    const throttling = withCarrier(context, () => Promise.reject(new CarrierThrottled(3000)))
    now = 0
    expect(await sendWhenDue(throttling, first!)).to.include({ kind: 'wait', ms: 3000, reason: 'throttled' })
    for (const id of others) expect(await sendWhenDue(context, id)).to.include({ kind: 'wait' })
    for (const id of others.slice(0, 2)) {
      now += 1000
      expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'sent' })
    }
    now = 3000
    expect(await sendWhenDue(context, first!)).to.deep.equal({ kind: 'sent' })
    expect(await sendWhenDue(context, others[2]!)).to.include({ kind: 'wait', ms: 1000 })
  })

  it('is no limit where none is set', async () => {
    const ids = await queue(await addLineAt(await addAccount({})), 10)
    expect(await sendAll(ids)).to.deep.equal(ids.map(() => 0))
  })
})
