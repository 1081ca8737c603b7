import { expect } from 'chai'
import { judgeQueue, type QueueFacts } from '../../../../src/domain/operating/overview/judge-queue.js'

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

const CASES: [title: string, facts: Partial<QueueFacts>, state: string, why: RegExp][] = [
  ['nothing waits and workers are there', {}, 'normal', /^Nothing waits\.$/],
  [
    'nothing waits and no worker is there',
    { jobs: { ...JOBS, workers: 0 } },
    'stuck',
    /^No `send-message` process/,
  ],
  [
    'something waits and no worker is there',
    { ...backlog(1), jobs: { ...JOBS, workers: 0 } },
    'stuck',
    /500 messages wait/,
  ],
  ['all waits for its time', { waitingCount: 1, laterCount: 1 }, 'normal', /^1 message waits for its time/],
  [
    'some wait for their time',
    { waitingCount: 3, laterCount: 2, oldestMs: 5 },
    'normal',
    /3 messages wait, 2 of them/,
  ],
  ['the oldest has just come', backlog(9_999), 'normal', /^500 messages wait\.$/],
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
    /waited 61 s/,
  ],
  ['none has left for a while', backlog(30_000), 'behind', /None has left the queue in the last minute/],
  ['none has left for longer', backlog(60_000), 'stuck', /although 2 workers are connected: look at the log/],
  [
    'nobody counts what leaves',
    { ...backlog(30_000), perMinute: null },
    'behind',
    /no `maintenance` process counts/,
  ],
  [
    'Redis is away, and something waits',
    { ...backlog(1), jobs: undefined },
    'stuck',
    /^Redis cannot be reached/,
  ],
  ['Redis is away, and nothing waits', { jobs: undefined }, 'behind', /^Redis cannot be reached/],
  ['Redis does not tell of workers', { jobs: { ...JOBS, workers: null } }, 'normal', /^Nothing waits/],
  ['more wait than are counted', { waitingCount: 100_001 }, 'normal', /^More than 100,000 messages wait\.$/],
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
