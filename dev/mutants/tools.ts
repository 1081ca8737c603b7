import type { Mutant } from './mutant.js'

const WINDOW = ['test/kit/sliding-window.test.ts']
const SAFE_FETCH = ['test/safe-fetch.test.ts']
const SHUTDOWN = ['test/kit/shutdown.test.ts']

/** These mutants are in the shared tools. */
export const TOOLS: readonly Mutant[] = [
  {
    breaks: 'a new member of a window overtakes those that were told to come back',
    file: 'src/kit/redis/sliding-window.lua',
    find: `turn or (goes_first and 0) or redis.call('ZCARD', queue)`,
    replace: 'turn or 0',
    tests: WINDOW,
  },
  {
    breaks: 'the reply to STOP waits behind all other messages of its line',
    file: 'src/kit/redis/sliding-window.lua',
    find: ' or (goes_first and 0)',
    replace: '',
    tests: WINDOW,
  },
  {
    breaks: 'a cleared window is filled again by a member that waits for another window',
    file: 'src/kit/redis/sliding-window-hold.lua',
    find: `while redis.call('ZSCORE', log, name_of(member, nth)) do`,
    replace: 'while nth == 1 do',
    tests: WINDOW,
  },
  {
    breaks: 'members that waited behind one that leaves are not told an earlier time',
    file: 'src/kit/redis/sliding-window-leave.lua',
    find: 'if opens_at < member.told then',
    replace: 'if opens_at < 0 then',
    tests: WINDOW,
  },
  {
    breaks: 'a name that resolves to both a public and a private address is called',
    file: 'src/safe-fetch/resolve.ts',
    find: 'addresses.some((address)',
    replace: 'addresses.every((address)',
    tests: SAFE_FETCH,
  },
  {
    breaks: 'the address that a socket is actually connected to is not checked',
    file: 'src/safe-fetch/dial.ts',
    find: `if (isForbiddenAddress(socket.remoteAddress ?? '', dialler.allowed)) fail(blocked(peer.host))`,
    replace: '',
    tests: SAFE_FETCH,
  },
  {
    breaks: 'a sealed value with a truncated tag is opened',
    file: 'src/secrets.ts',
    find: 'sealed.length < CONTENT_AT + NONCE_BYTES + TAG_BYTES',
    replace: 'sealed.length < CONTENT_AT',
    tests: ['test/secrets.test.ts'],
  },
  {
    breaks: 'a store that hangs delays the metrics',
    file: 'src/domain/operating/store-readings.ts',
    find: `if (underWay !== undefined && !(await endsWithin(patienceMs, underWay)) && !isAnswering) noteDown()`,
    replace: `await underWay`,
    tests: ['test/web/metrics.test.ts'],
  },
  {
    breaks: 'enqueueing waits for an unavailable Redis',
    file: 'src/queues/queues.ts',
    find: `jobsNotEnqueued.inc({ queue: queue.name }, count)
      return`,
    replace: '',
    tests: ['test/queues/queues.test.ts'],
  },
  {
    breaks: 'Postgres and Redis are closed before the parts that need them',
    file: 'src/kit/process/shutdown.ts',
    find: 'for (const step of steps)',
    replace: 'for (const step of [...steps].reverse())',
    tests: SHUTDOWN,
  },
]
