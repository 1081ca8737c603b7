import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { cachedPart } from '../../../../src/domain/operating/overview/part.js'
import { Unavailable } from '../../../../src/errors.js'
import { judgeQueue, type QueueFacts } from '../../../../src/domain/operating/overview/judge-queue.js'
import { judgePostgres } from '../../../../src/domain/operating/overview/postgres.js'
import { judgeRedis } from '../../../../src/domain/operating/overview/redis.js'
import { judgeStorage } from '../../../../src/domain/operating/overview/storage.js'
import { STEP } from '../../../../src/database/operating/overview/traffic-counts.js'
import { percentilesOf } from '../../../../src/domain/operating/overview/percentiles.js'
import { memoryLog } from '../../../helpers/process/log.js'
import { until } from '../../../helpers/until.js'

const LATE = { isKnown: false, fault: 'Postgres did not respond within 1 s' }

describe('a part of the overview', () => {
  const { log, lines } = memoryLog()
  let askedCount: number
  let answer: (value: number) => void
  let refuse: (error: Error) => void

  beforeEach(() => {
    askedCount = 0
    lines.length = 0
  })

  const gather = () => {
    askedCount += 1
    return new Promise<number>((resolve, reject) => {
      answer = resolve
      refuse = reject
    })
  }
  const keeping = (keptMs: number, limitMs = 50) =>
    cachedPart(gather, { of: 'Postgres', keptMs, limitMs, log })

  it('is looked at once for all who ask at the same time, and is kept for a while', async () => {
    const look = keeping(60_000)
    const asked = [look(), look(), look()]
    answer(7)
    expect(await Promise.all([...asked, look()])).to.deep.equal(Array(4).fill({ isKnown: true, value: 7 }))
    expect(askedCount).to.equal(1)
  })

  it('is looked at anew after that', async () => {
    const look = keeping(5)
    const first = look()
    answer(7)
    await first
    await until('it is asked again', () => {
      void look()
      return askedCount === 2
    })
    answer(8)
    expect(await look()).to.deep.equal({ isKnown: true, value: 8 })
  })

  it('that hangs is a fault within its limit, at once from then on, and is not asked twice', async () => {
    const look = keeping(0)
    const startedAt = performance.now()
    expect(await look()).to.deep.equal(LATE)
    // A timer may be a little early.
    await until('its limit is over', () => performance.now() - startedAt > 60)
    expect(await Promise.race([look(), nextTurn('waits')])).to.deep.equal(LATE)
    expect(askedCount).to.equal(1)
    answer(7)
    await sleep(0)
    const again = look()
    answer(8)
    expect(await again).to.deep.equal({ isKnown: true, value: 8 })
    expect(askedCount).to.equal(2)
  })

  it('says what is not available, and logs nothing of it', async () => {
    const looked = keeping(0)()
    refuse(new Unavailable('Redis is unreachable. Check REDIS_URL'))
    expect(await looked).to.deep.equal({ isKnown: false, fault: 'Redis is unreachable. Check REDIS_URL' })
    expect(lines).to.be.empty
  })

  it('keeps an error of ours to the log', async () => {
    const looked = keeping(0)()
    refuse(new TypeError('a secret'))
    expect(await looked).to.deep.equal({
      isKnown: false,
      fault: 'Postgres could not be checked. See the log',
    })
    expect(JSON.stringify(lines)).to.include('overview.failed')
  })
})

const JOBS = { waiting: 0, active: 0, delayed: 0, failed: 0, workers: 2 }

const FACTS: QueueFacts = {
  process: 'send-message',
  nouns: ['message', 'messages'],
  waitingCount: 0,
  laterCount: 0,
  underWayCount: 0,
  oldestMs: null,
  perMinute: 0,
  jobs: JOBS,
}

/** 500 that could go, the oldest for so long. */
const backlog = (oldestMs: number) => ({ waitingCount: 500, oldestMs })

const NO_WORKER = { jobs: { ...JOBS, workers: 0 } }
const NO_REDIS = { jobs: undefined }

const CASES: [title: string, facts: Partial<QueueFacts>, state: string, why: RegExp][] = [
  ['nothing waits and workers are there', {}, 'normal', /^The queue is empty\.$/],
  ['nothing waits and no worker is there', NO_WORKER, 'stuck', /^No `send-message` process/],
  [
    'something waits and no worker is there',
    { ...backlog(1), ...NO_WORKER },
    'stuck',
    /500 messages are waiting/,
  ],
  [
    'all waits for its time',
    { waitingCount: 1, laterCount: 1 },
    'normal',
    /^1 message is waiting for a rate limit or its next retry/,
  ],
  [
    'some wait for their time',
    { waitingCount: 3, laterCount: 2, oldestMs: 5 },
    'normal',
    /3 messages are waiting, 2 of them/,
  ],
  ['the oldest has just come', backlog(9_999), 'normal', /^500 messages are waiting\.$/],
  [
    'the oldest waits, and others leave',
    { ...backlog(70_000), perMinute: 250 },
    'behind',
    /take 2 min\. More/,
  ],
  [
    'the oldest waits, and one is under way',
    { ...backlog(61_000), underWayCount: 1 },
    'behind',
    /waiting for 61 s/,
  ],
  ['none has left for a while', backlog(30_000), 'behind', /None left the queue in the last minute/],
  ['none has left for longer', backlog(60_000), 'stuck', /although 2 workers are connected. Check the log/],
  [
    'nobody counts what leaves',
    { ...backlog(30_000), perMinute: null },
    'behind',
    /no `maintenance` process is running/,
  ],
  ['Redis is away, and something waits', { ...backlog(1), ...NO_REDIS }, 'stuck', /^Redis is unreachable/],
  ['Redis is away, and nothing waits', NO_REDIS, 'behind', /^Redis is unreachable/],
  ['Redis does not tell of workers', { jobs: { ...JOBS, workers: null } }, 'normal', /^The queue is empty/],
  [
    'more wait than are counted',
    { waitingCount: 100_001 },
    'normal',
    /^More than 100,000 messages are waiting\.$/,
  ],
]

describe('the state of a queue', () => {
  for (const [title, facts, state, why] of CASES) {
    it(`is ${state} when ${title}`, () => {
      const judged = judgeQueue({ ...FACTS, ...facts })
      expect(judged.state).to.equal(state)
      expect(judged.why).to.match(why)
    })
  }
})

const GOOD_REDIS = {
  ...{ version: '7.2.0', policy: 'noeviction', hasAof: true, isAofWritten: true },
  ...{ usedBytes: 1e6, maxBytes: 0, machineBytes: 8e9 },
}

const redis = (changes: Partial<typeof GOOD_REDIS>) => judgeRedis({ ...GOOD_REDIS, ...changes }, false)

const GOOD_POSTGRES = {
  ...{ version: '18.4', isReadOnly: false, connectionCount: 20, maxConnections: 100 },
  ...{ longTransactionCount: 0, databaseBytes: 1e9, dataFolder: null },
}

const postgres = (changes: Partial<typeof GOOD_POSTGRES>, missing: string[] = []) =>
  judgePostgres({ ...GOOD_POSTGRES, ...changes }, missing, { used: 1, free: 9, max: 10, waiting: 0 })

const ROOM = { of: 'media', folder: '/a', freeBytes: 50e9, totalBytes: 100e9, freeShare: 0.5 }

const GOOD_STORAGE = { place: 'A folder', disks: [ROOM], fault: undefined, writes: true }

const disk = (freeBytes: number) => ({
  ...GOOD_STORAGE,
  disks: [{ ...ROOM, freeBytes, freeShare: freeBytes / ROOM.totalBytes }],
})

describe('what everything rests on', () => {
  it('is well where nothing is wrong', () => {
    const views = [redis({}), postgres({}), judgeStorage(GOOD_STORAGE)]
    expect(views.map(({ mood, faults }) => [mood, faults])).to.deep.equal(Array(3).fill(['good', []]))
  })

  for (const [title, view, mood, text] of [
    ['another installation uses Redis', judgeRedis(GOOD_REDIS, true), 'bad', /its own Redis database/],
    ['Redis evicts', redis({ policy: 'allkeys-lru' }), 'bad', /Set it to noeviction/],
    ['Redis keeps no file', redis({ hasAof: false }), 'bad', /Set appendonly to yes/],
    ['Redis cannot write', redis({ isAofWritten: false }), 'bad', /Check its disk/],
    ['Redis is filling', redis({ usedBytes: 81, maxBytes: 100 }), 'waiting', /81 B of 100 B.*maxmemory/],
    ['Redis is full', redis({ usedBytes: 95, maxBytes: 100 }), 'bad', /accepts no more jobs/],
    ['the machine of Redis is full', redis({ usedBytes: 7.9e9 }), 'bad', /more memory/],
    ['Postgres is read-only', postgres({ isReadOnly: true }), 'bad', /DATABASE_URL/],
    ['its connections run out', postgres({ connectionCount: 80 }), 'waiting', /80 of its 100/],
    ['transactions stay open', postgres({ longTransactionCount: 2 }), 'waiting', /2 transactions/],
    ['a later partition is missing', postgres({}, ['events_999912']), 'waiting', /events_999912/],
    ['a disk is filling', judgeStorage(disk(9e9)), 'waiting', /disk of media has only 9.* GB left/],
    ['a disk is full', judgeStorage(disk(0)), 'bad', /only 0 B left/],
    ['nothing can be stored', judgeStorage({ ...GOOD_STORAGE, fault: 'no room.' }), 'bad', /stored: no room/],
  ] as const) {
    it(`says when ${title}, and what to do`, () => {
      expect(view.mood).to.equal(mood)
      expect(view.faults.map((fault) => fault.text).join()).to.match(text)
    })
  }

  it('has values that begin with a capital letter', () => {
    expect(judgeStorage(GOOD_STORAGE).facts)
      .to.deep.include(['Media', 'A folder'])
      .and.deep.include(['Writing', 'Works'])
  })

  it('is not known of a Redis that keeps its figures to itself', () => {
    const nothing = { version: null, policy: null, hasAof: null, isAofWritten: null }
    const view = judgeRedis({ ...nothing, usedBytes: null, maxBytes: null, machineBytes: null }, false)
    expect(view.mood).to.equal('good')
    expect(view.facts).to.deep.include(['Append-only file', 'Unknown'])
  })
})

/** As the statement that counts does it. */
const stepOf = (ms: number) => Math.ceil(Math.log(Math.max(ms, 1)) / Math.log(STEP))

describe('percentiles of times that are counted in steps', () => {
  it('are none of nothing', () => {
    expect(percentilesOf([])).to.equal(undefined)
  })

  it('are within one step of the exact ones', () => {
    const times = fc.array(fc.double({ min: 1, max: 1e8, noNaN: true }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(times, (all) => {
        const sorted = all.toSorted((a, b) => a - b)
        const exact = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN
        const found = percentilesOf(all.map((ms) => ({ step: stepOf(ms), count: 1 })))
        expect(found?.p95Ms).to.be.at.least(found?.p50Ms ?? NaN)
        for (const [ms, share] of [
          [found?.p50Ms, 0.5],
          [found?.p95Ms, 0.95],
        ] as const) {
          expect(ms).to.be.within(exact(share) / (STEP * 1.001), exact(share) * STEP * 1.001)
        }
      }),
    )
  })
})
