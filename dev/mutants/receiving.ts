import type { Mutant } from './mutant.js'

const WINDOWS = ['test/domain/messages/receive.test.ts']
const PAUSES = ['test/domain/messages/opt-out/pauses.test.ts']
const RECEIPTS = ['test/domain/messages/receipts.test.ts']
const RECONCILE = ['test/domain/messages/reconcile.test.ts']
const SMPP = ['test/domain/carriers/smpp/receive.test.ts']

/** These mutants are where carriers deliver messages, and reports on what was sent. */
export const RECEIVING: readonly Mutant[] = [
  {
    breaks: 'the first waiting message gets its turn before the window of its number is cleared',
    file: 'src/domain/messages/receive.ts',
    find: `    if (keys.size > 0) await windows.clear(keys)
    if (waiting.length > 0) await queues.enqueueMessages(await requeueHeads(db, waiting))`,
    replace: `    if (waiting.length > 0) await queues.enqueueMessages(await requeueHeads(db, waiting))
    if (keys.size > 0) await windows.clear(keys)`,
    tests: WINDOWS,
  },
  {
    breaks: 'the pause of two programs ends with the next message: the window is cleared in Redis',
    file: 'src/domain/messages/receive.ts',
    find: 'received.filter(({ answer }) => !answer.isPaused)',
    replace: 'received',
    tests: PAUSES,
  },
  {
    breaks: 'the pause of two programs ends with the next message: the window is cleared in Postgres',
    file: 'src/database/sql/messages/receive_messages.sql',
    find: 'case when c.paused_until > now_at then c.window_cleared_at\n        else greatest(c.window_cleared_at, excluded.window_cleared_at) end',
    replace: 'greatest(c.window_cleared_at, excluded.window_cleared_at)',
    tests: PAUSES,
  },
  {
    breaks: 'an account brings messages to a line that is at another',
    file: 'src/database/sql/messages/receive_messages.sql',
    find: ` and (m.value ->> 'account_id' is null or is_line_at(carrier, routes, m.value ->> 'carrier'))`,
    replace: '',
    tests: ['test/database/messages/receiving.test.ts'],
  },
  {
    breaks: 'a long text is made of the parts that another process has left',
    file: 'src/database/sql/messages/claim_inbound.sql',
    find: 'cardinality(long_text.parts) = (',
    replace: '0 < (',
    tests: SMPP,
  },
  {
    breaks: 'a text that an SMSC brings again on another session is a second message',
    file: 'src/database/sql/messages/take_smpp_arrivals.sql',
    find: '            or s.session_id <> all (a.open_session_ids)\n',
    replace: '',
    tests: SMPP,
  },
  {
    breaks: 'a receipt that says failed undoes one that said delivered',
    file: 'src/database/messages/receipts.ts',
    find: `(b.status = 'sent' and g.status <> 'sent')`,
    replace: `(b.status in ('sent', 'delivered') and g.status <> 'sent')`,
    tests: RECEIPTS,
  },
  {
    breaks: 'the next message gets no turn when a receipt takes the one before it out of the queue',
    file: 'src/domain/messages/receipts.ts',
    find: `statusBefore === 'sending' || statusBefore === 'queued'`,
    replace: `statusBefore === 'sending'`,
    tests: RECEIPTS,
  },
  {
    breaks: 'a carrier is asked about a message while its line is sending to the same number',
    file: 'src/database/messages/reconciling.ts',
    find: `and s.status = 'sending')`,
    replace: `and s.status = 'sending' and s.id = m.id)`,
    tests: RECONCILE,
  },
]
