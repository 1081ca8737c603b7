import type { Mutant } from './mutant.js'

const ORDER = ['test/domain/messages/sending/send-order.test.ts']
const WINDOWS = ['test/domain/messages/sending/send-windows.test.ts']
const LATE = ['test/domain/messages/sending/send.test.ts', 'test/domain/messages/sending/settle.test.ts']
const OUTCOMES = ['test/domain/messages/sending/send-outcomes.test.ts']
const PAUSES = ['test/domain/operating/pauses/sending.test.ts']
const WORKERS = ['test/workers/start-worker.test.ts']
const MAINTENANCE = ['test/workers/maintenance.test.ts']
const SWEEP = ['test/domain/sweep.test.ts', 'test/domain/sweep-leases.test.ts']

/** These mutants are in the path from the claim to the state that the carrier's response leads to. */
export const SENDING: readonly Mutant[] = [
  {
    breaks: 'a message overtakes an earlier one to the same number that waits for a retry',
    file: 'src/database/sql/messages/claim_messages.sql',
    find: `p.status in ('queued', 'sending') and p.position < m.position`,
    replace: `p.status = 'sending' and p.position < m.position`,
    tests: ORDER,
  },
  {
    breaks: 'a text counts once for the pace of its account, however many parts it is sent in',
    file: 'src/domain/messages/windows.ts',
    find: `return carrier?.countParts?.(text ?? '') ?? 1`,
    replace: 'return carrier === undefined ? 0 : 1',
    tests: ['test/domain/messages/sending/send-pace.test.ts'],
  },
  {
    breaks: 'claims of one line do not wait for each other',
    file: 'src/database/sql/messages/claim_messages.sql',
    find: '  perform lock_sending(ids);\n',
    replace: '',
    tests: [...ORDER, ...WINDOWS],
  },
  {
    breaks: 'a message is sent to a person who opted out after it was accepted',
    file: 'src/database/sql/messages/claim_messages.sql',
    find: 'when k.opted_out_at is not null and m.id is distinct from k.opt_out_answer_id',
    replace: 'when k.opted_out_at > m.created_at + max_age',
    tests: ['test/domain/messages/sending/send.test.ts'],
  },
  {
    breaks: 'the pause of two auto-responders does not stop messages from being sent',
    file: 'src/database/sql/messages/claim_messages.sql',
    find: `when k.paused_until > now_at then 'paused'`,
    replace: '',
    tests: ['test/domain/messages/opt-out/pauses.test.ts'],
  },
  {
    breaks: "the service's own replies wait behind paused messages",
    file: 'src/database/sql/messages/claim_messages.sql',
    find: `\n            and not (w.is_paused and p.status = 'queued' and p.source <> 'service')`,
    replace: '',
    tests: PAUSES,
  },
  {
    breaks: 'resuming overlooks a message whose claim still saw the pause',
    file: 'src/database/sql/messages/wake_messages.sql',
    find: '  perform pg_advisory_xact_lock(hashtextextended(line::text, 2));\n',
    replace: '',
    tests: PAUSES,
  },
  {
    breaks: 'the result of an old claim overrides a later claim',
    file: 'src/database/sql/messages/settle_messages.sql',
    find: 'and m.id = g.id and m.claim_id = g.claim',
    replace: 'and m.id = g.id',
    tests: LATE,
  },
  {
    breaks: 'a message that is returned to the queue late is sent after a later one to the same number',
    file: 'src/database/sql/messages/settle_messages.sql',
    find: `g.status = 'queued' and b.status = 'unknown'`,
    replace: `g.status = 'queued' and b.status = 'sending'`,
    tests: LATE,
  },
  {
    breaks: 'the next message to a number is not queued when the one before it was rejected or is unknown',
    file: 'src/database/sql/messages/settle_messages.sql',
    find: `(@.status != "queued")`,
    replace: `(@.status == "sent")`,
    tests: [...ORDER, ...OUTCOMES],
  },
  {
    breaks: 'the next message to a number keeps its job generation, so no new job is added',
    file: 'src/database/sql/messages/requeue_heads.sql',
    find: 'job_generation = m.job_generation + 1',
    replace: 'job_generation = m.job_generation',
    tests: ORDER,
  },
  {
    breaks: 'the next message gets a job but still waits for its old time',
    file: 'src/database/sql/messages/requeue_heads.sql',
    find: ', not_before = null',
    replace: '',
    tests: ['test/domain/messages/receive.test.ts'],
  },
  {
    breaks: 'a message is postponed although it has been queued in the meantime',
    file: 'src/database/messages/sending.ts',
    find: 'm.job_generation = ?',
    replace: 'm.job_generation >= ?',
    tests: ['test/domain/messages/sending/send-windows.test.ts', 'test/domain/messages/receive.test.ts'],
  },
  {
    breaks: 'a process that was suspended after a claim still sends the message much later',
    file: 'src/domain/leases.ts',
    find: 'MAX_CLAIM_AGE_MS = 5000',
    replace: 'MAX_CLAIM_AGE_MS = 50_000',
    tests: LATE,
  },
  {
    breaks: "a message that waits for the pace of its account loses its place in the line's window",
    file: 'src/domain/messages/windows.ts',
    find: 'if (accountWaitMs > 0) await windows.hold(id, ofLine, accountWaitMs)',
    replace: '',
    tests: ['test/domain/messages/sending/send-pace.test.ts'],
  },
  {
    breaks: 'a text with an unknown outcome is sent again',
    file: 'src/domain/messages/hand-over.ts',
    find: `status: 'unknown',
      error: 'carrier_outcome_unknown'`,
    replace: `status: 'queued',
      error: 'carrier_outcome_unknown'`,
    tests: OUTCOMES,
  },
  {
    breaks: 'a text whose worker was lost is sent again',
    file: 'src/database/messages/stranded.ts',
    find: `status = 'unknown', error = 'worker_lost'`,
    replace: `status = 'queued', error = 'worker_lost'`,
    tests: SWEEP,
  },
  {
    breaks: 'leases expire before they are renewed',
    file: 'src/domain/leases.ts',
    find: 'leaseMs[table] / BEATS_IN_LEASE',
    replace: 'leaseMs[table] * BEATS_IN_LEASE',
    tests: SWEEP,
  },
  {
    breaks: 'the sweep mistakes a permanently failed job for one that will run',
    file: 'src/queues/queue-jobs.ts',
    find: 'isComing: data === 1 && failedAt === null',
    replace: 'isComing: data === 1',
    tests: [...SWEEP, 'test/queues/queues.test.ts'],
  },
  {
    breaks: 'the next message is not queued when the one before it has crashed its job too often',
    file: 'src/domain/messages/send.ts',
    find: 'void queues.enqueueNext(end)',
    replace: 'void queues.enqueueDeliveries(end.deliveries)',
    tests: ['test/domain/sweep-leases.test.ts', 'test/domain/messages/message-status.test.ts'],
  },
  {
    breaks: 'the jobs of a killed worker are idle for a minute',
    file: 'workers/start-worker.ts',
    find: 'STALLED_CHECK_MS = 5000',
    replace: 'STALLED_CHECK_MS = 60_000',
    tests: WORKERS,
  },
  {
    breaks: 'a job is locked for a minute by a worker that was killed',
    file: 'workers/start-worker.ts',
    find: 'LOCK_MS = 10_000',
    replace: 'LOCK_MS = 60_000',
    tests: WORKERS,
  },
  {
    breaks: 'a job whose workers have died twice is failed',
    file: 'workers/start-worker.ts',
    find: 'maxStalledCount: Number.MAX_SAFE_INTEGER',
    replace: 'maxStalledCount: 1',
    tests: WORKERS,
  },
  {
    breaks: 'maintenance looks for due rows only once a minute',
    file: 'workers/processes/maintenance.ts',
    find: 'SWEEP_MS = 1000',
    replace: 'SWEEP_MS = 60_000',
    tests: MAINTENANCE,
  },
  {
    breaks: 'nobody looks whether a user suddenly sends to another country',
    file: 'workers/processes/maintenance.ts',
    find: `      regularly(COUNTRY_CHECK_MS, 'guarding countries', guardCountries),\n`,
    replace: '',
    tests: MAINTENANCE,
  },
]
