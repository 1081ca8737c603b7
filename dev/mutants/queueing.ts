import type { Mutant } from './mutant.js'

const BATCH = ['test/database/messages/queueing.test.ts']
const KEYS = ['test/web/incoming-webhooks/idempotency-key.test.ts', 'test/database/idempotency-keys.test.ts']
const LIMITS = ['test/web/incoming-webhooks/rate-limits.test.ts']
const CHANGED = ['test/web/incoming-webhooks/changed-elsewhere.test.ts']

/** These mutants are on the way from a request to the row that is queued. */
export const QUEUEING: readonly Mutant[] = [
  {
    breaks: 'a key is taken for the same request when only the text is the same',
    file: 'src/domain/messages/submit.ts',
    find: 'sha256(`${optionsForHash(options)}${toNumber}\\n${text}`)',
    replace: 'sha256(text)',
    tests: KEYS,
  },
  {
    breaks: 'a repeat that comes while the first request is still judged waits for it',
    file: 'src/database/sql/messages/fit_messages.sql',
    find: `when a.n = any (in_flight) then 'key_in_flight'`,
    replace: '',
    tests: KEYS,
  },
  {
    breaks: 'one more than the limit goes to a number in a minute',
    file: 'src/database/sql/messages/fit_messages.sql',
    find: 'p.number_before >= l.messages_per_number_per_minute',
    replace: 'p.number_before > l.messages_per_number_per_minute',
    tests: LIMITS,
  },
  {
    breaks: 'a webhook that was let in by an old row of its line is not told so',
    file: 'src/database/sql/messages/fit_messages.sql',
    find: 'l.is_open and l.version = a.line_version',
    replace: 'l.is_open',
    tests: [...BATCH, ...CHANGED],
  },
  {
    breaks:
      'an application sends from a line that is not connected, where nobody else asks in the same moment',
    file: 'src/database/sql/messages/fit_messages.sql',
    find: '= any (connected)) is not true',
    replace: '<> all (connected))',
    tests: ['test/web/oauth/access.test.ts'],
  },
  {
    breaks: 'without Postgres a client waits for its 503 as long as a connection may take to open',
    file: 'src/domain/open-context.ts',
    find: 'acquireTimeoutMs: 1500',
    replace: 'acquireTimeoutMs: 15_000',
    tests: ['test/web/listening/unavailable.test.ts'],
  },
  {
    breaks: 'a process that stops is killed before it cuts off what is not answered',
    file: 'src/web/listening/listen.ts',
    find: 'FINISH_MS = 20_000',
    replace: 'FINISH_MS = 30_000',
    tests: ['test/web/listening/listen.test.ts'],
  },
]
