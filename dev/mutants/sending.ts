import type { Mutant } from './mutant.js'

const ORDER = ['test/domain/messages/sending/send-order.test.ts']
const WINDOWS = ['test/domain/messages/sending/send-windows.test.ts']
const LATE = ['test/domain/messages/sending/send.test.ts', 'test/domain/messages/sending/settle.test.ts']
const OUTCOMES = ['test/domain/messages/sending/send-outcomes.test.ts']
const PAUSES = ['test/domain/operating/pauses/sending.test.ts']
const WORKERS = ['test/workers/start-worker.test.ts']
const SWEEP = ['test/domain/sweep.test.ts', 'test/domain/sweep-leases.test.ts']

/** These mutants are on the way from the claim to the state that follows from the carrier's answer. */
export const SENDING: readonly Mutant[] = [
  {
    breaks: 'a message overtakes an earlier one to its number that waits for another attempt',
    file: 'src/database/sql/messages/claim_messages.sql',
    find: `p.status in ('queued', 'sending') and p.position < m.position`,
    replace: `p.status = 'sending' and p.position < m.position`,
    tests: ORDER,
  },
  {
    breaks: 'a text counts once for the pace of its account, however many parts the carrier gets',
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
    breaks: 'a message is sent to who has opted out since it was accepted',
    file: 'src/database/sql/messages/claim_messages.sql',
    find: 'when k.opted_out_at is not null and m.id is distinct from k.opt_out_answer_id',
    replace: 'when k.opted_out_at > m.created_at + max_age',
    tests: ['test/domain/messages/sending/send.test.ts'],
  },
  {
    breaks: 'the pause of two programs that answer each other does not hold what is sent',
    file: 'src/database/sql/messages/claim_messages.sql',
    find: `when k.paused_until > now_at then 'paused'`,
    replace: '',
    tests: ['test/domain/messages/opt-out/pauses.test.ts'],
  },
  {
    breaks: 'what the service answers by itself waits behind messages that a person has paused',
    file: 'src/database/sql/messages/claim_messages.sql',
    find: `\n            and not (w.is_paused and p.status = 'queued' and p.source <> 'service')`,
    replace: '',
    tests: PAUSES,
  },
  {
    breaks: 'the end of a pause overlooks a message whose claim still saw the pause',
    file: 'src/database/sql/messages/wake_messages.sql',
    find: '  perform pg_advisory_xact_lock(hashtextextended(line::text, 2));\n',
    replace: '',
    tests: PAUSES,
  },
  {
    breaks: 'the result of an old claim counts over a later one',
    file: 'src/database/sql/messages/settle_messages.sql',
    find: 'and m.id = g.id and m.claim_id = g.claim',
    replace: 'and m.id = g.id',
    tests: LATE,
  },
  {
    breaks: 'a message that is given back late goes out after a later one to its number',
    file: 'src/database/sql/messages/settle_messages.sql',
    find: `g.status = 'queued' and b.status = 'unknown'`,
    replace: `g.status = 'queued' and b.status = 'sending'`,
    tests: LATE,
  },
  {
    breaks: 'the next message to a number gets no turn when the one before it was refused or is unknown',
    file: 'src/database/sql/messages/settle_messages.sql',
    find: `(@.status != "queued")`,
    replace: `(@.status == "sent")`,
    tests: [...ORDER, ...OUTCOMES],
  },
  {
    breaks: 'the next message to a number gets the job that it has had, which nobody adds again',
    file: 'src/database/sql/messages/requeue_heads.sql',
    find: 'job_generation = m.job_generation + 1',
    replace: 'job_generation = m.job_generation',
    tests: ORDER,
  },
  {
    breaks: 'the next message gets a job but keeps the moment that it was told to wait for',
    file: 'src/database/sql/messages/requeue_heads.sql',
    find: ', not_before = null',
    replace: '',
    tests: ['test/domain/messages/receive.test.ts'],
  },
  {
    breaks: 'a message is told to wait although it has got its turn meanwhile',
    file: 'src/database/messages/sending.ts',
    find: 'm.job_generation = ?',
    replace: 'm.job_generation >= ?',
    tests: ['test/domain/messages/sending/send-windows.test.ts', 'test/domain/messages/receive.test.ts'],
  },
  {
    breaks: 'a process that was stopped after its claim sends long after it',
    file: 'src/domain/leases.ts',
    find: 'MAX_CLAIM_AGE_MS = 5000',
    replace: 'MAX_CLAIM_AGE_MS = 50_000',
    tests: LATE,
  },
  {
    breaks: 'who waits for the pace of an account loses its place in the line',
    file: 'src/domain/messages/windows.ts',
    find: 'if (accountWaitMs > 0) await windows.hold(id, ofLine, accountWaitMs)',
    replace: '',
    tests: ['test/domain/messages/sending/send-pace.test.ts'],
  },
  {
    breaks: 'a text of which nobody knows whether it was sent is sent again',
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
    breaks: 'leases are over before they are renewed',
    file: 'src/domain/leases.ts',
    find: 'leaseMs[table] / BEATS_IN_LEASE',
    replace: 'leaseMs[table] * BEATS_IN_LEASE',
    tests: SWEEP,
  },
  {
    breaks: 'the sweep takes a job that has failed for good for one that will be worked on',
    file: 'src/queues/queue-jobs.ts',
    find: 'isComing: data === 1 && failedAt === null',
    replace: 'isComing: data === 1',
    tests: [...SWEEP, 'test/queues/queues.test.ts'],
  },
  {
    breaks: 'the next message gets no turn when the one before it has crashed its job too often',
    file: 'src/domain/messages/send.ts',
    find: 'void queues.enqueueNext(end)',
    replace: 'void queues.enqueueDeliveries(end.deliveries)',
    tests: ['test/domain/sweep-leases.test.ts', 'test/domain/messages/message-status.test.ts'],
  },
  {
    breaks: 'jobs of a killed worker lie idle for a minute',
    file: 'workers/start-worker.ts',
    find: 'STALLED_CHECK_MS = 5000',
    replace: 'STALLED_CHECK_MS = 60_000',
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
    breaks: 'what has become due is looked for once a minute',
    file: 'workers/processes/maintenance.ts',
    find: 'SWEEP_MS = 1000',
    replace: 'SWEEP_MS = 60_000',
    tests: ['test/workers/maintenance.test.ts'],
  },
]
