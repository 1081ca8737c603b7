import type { Mutant } from './mutant.js'

const BATCH = ['test/database/messages/queueing.test.ts']
const KEYS = ['test/web/incoming-webhooks/idempotency-key.test.ts', 'test/database/idempotency-keys.test.ts']
const LIMITS = ['test/web/incoming-webhooks/rate-limits.test.ts']
const CHANGED = ['test/web/incoming-webhooks/changed-elsewhere.test.ts']

/** These mutants are in the path from a request to the queued row. */
export const QUEUEING: readonly Mutant[] = [
  {
    breaks: 'a request counts as a repeat if only its key and its text are the same',
    file: 'src/domain/messages/submit.ts',
    find: 'sha256(`${optionsForHash(options)}${toNumber}\\n${text}`)',
    replace: 'sha256(text)',
    tests: KEYS,
  },
  {
    breaks: 'a repeat that arrives while the first request is being processed waits for it',
    file: 'src/database/sql/messages/fit_messages.sql',
    find: `when a.n = any (in_flight) then 'key_in_flight'`,
    replace: '',
    tests: KEYS,
  },
  {
    breaks: 'a number gets one message more than the limit per minute',
    file: 'src/database/sql/messages/fit_messages.sql',
    find: 'p.number_before >= l.messages_per_number_per_minute',
    replace: 'p.number_before > l.messages_per_number_per_minute',
    tests: LIMITS,
  },
  {
    breaks: 'a request that was admitted by an outdated row of its line is not refused',
    file: 'src/database/sql/messages/fit_messages.sql',
    find: 'l.is_open and l.version = a.line_version',
    replace: 'l.is_open',
    tests: [...BATCH, ...CHANGED],
  },
  {
    breaks: 'an application may send from a line that is not connected if its request is alone in its batch',
    file: 'src/database/sql/messages/fit_messages.sql',
    find: '= any (connected)) is not true',
    replace: '<> all (connected))',
    tests: ['test/web/oauth/access.test.ts'],
  },
  {
    breaks: 'without Postgres, a client waits for its 503 for as long as opening a connection may take',
    file: 'src/domain/open-context.ts',
    find: 'acquireTimeoutMs: 1500',
    replace: 'acquireTimeoutMs: 15_000',
    tests: ['test/web/listening/unavailable.test.ts'],
  },
  {
    breaks: 'a stopping process is killed before it cuts off unanswered requests',
    file: 'src/web/listening/listen.ts',
    find: 'FINISH_MS = 20_000',
    replace: 'FINISH_MS = 30_000',
    tests: ['test/web/listening/listen.test.ts'],
  },
]
