import type { Mutant } from './mutant.js'

const WINDOWS = ['test/domain/messages/receive.test.ts']
const PAUSES = ['test/domain/messages/opt-out/pauses.test.ts']
const RECEIPTS = ['test/domain/messages/receipts.test.ts']
const RECONCILE = ['test/domain/messages/reconcile.test.ts']
const SMPP = ['test/domain/carriers/smpp/receive.test.ts']

/** These mutants are where carriers deliver messages and receipts. */
export const RECEIVING: readonly Mutant[] = [
  {
    breaks: 'two auto-responders are not noticed while texts wait for a minute before they are sent',
    file: 'src/database/sql/messages/ping_pong_after.sql',
    find: 'coalesce(m.sent_at, m.claimed_at)',
    replace: 'm.created_at',
    tests: PAUSES,
  },
  {
    breaks: 'the first waiting message is queued before the window of its number is cleared',
    file: 'src/domain/messages/receive.ts',
    find: `    if (keys.size > 0) await windows.clear(keys)
    if (waiting.length > 0) await queues.enqueueMessages(await requeueHeads(db, waiting))`,
    replace: `    if (waiting.length > 0) await queues.enqueueMessages(await requeueHeads(db, waiting))
    if (keys.size > 0) await windows.clear(keys)`,
    tests: WINDOWS,
  },
  {
    breaks: 'the pause of two auto-responders ends with the next message, because Redis clears the window',
    file: 'src/domain/messages/receive.ts',
    find: 'received.filter(({ answer }) => !answer.isPaused)',
    replace: 'received',
    tests: PAUSES,
  },
  {
    breaks: 'the pause of two auto-responders ends with the next message, because Postgres clears the window',
    file: 'src/database/sql/messages/receive_messages.sql',
    find: 'case when c.paused_until > now_at then c.window_cleared_at\n        else greatest(c.window_cleared_at, excluded.window_cleared_at) end',
    replace: 'greatest(c.window_cleared_at, excluded.window_cleared_at)',
    tests: PAUSES,
  },
  {
    breaks: 'an account can deliver messages to a line of another account',
    file: 'src/database/sql/messages/receive_messages.sql',
    find: ` and (m.value ->> 'account_id' is null or is_line_at(carrier, routes, m.value ->> 'carrier'))`,
    replace: '',
    tests: ['test/database/messages/receiving.test.ts'],
  },
  {
    breaks: 'a long text is assembled although some of its parts are missing',
    file: 'src/database/sql/messages/claim_inbound.sql',
    find: 'cardinality(long_text.parts) = (',
    replace: '0 < (',
    tests: SMPP,
  },
  {
    breaks: 'a text that an SMSC delivers again on another session becomes a second message',
    file: 'src/database/sql/messages/take_smpp_arrivals.sql',
    find: '            or s.session_id <> all (a.open_session_ids)\n',
    replace: '',
    tests: SMPP,
  },
  {
    breaks: 'a receipt “failed” overrides an earlier one “delivered”',
    file: 'src/database/messages/receipts.ts',
    find: `(b.status = 'sent' and g.status <> 'sent')`,
    replace: `(b.status in ('sent', 'delivered') and g.status <> 'sent')`,
    tests: RECEIPTS,
  },
  {
    breaks: 'the next message is not queued when a receipt settles the one before it',
    file: 'src/domain/messages/receipts.ts',
    find: `statusBefore === 'sending' || statusBefore === 'queued'`,
    replace: `statusBefore === 'sending'`,
    tests: RECEIPTS,
  },
  {
    breaks: 'a carrier is asked about a message while another one to the same number is being sent',
    file: 'src/database/messages/reconciling.ts',
    find: `and s.status = 'sending')`,
    replace: `and s.status = 'sending' and s.id = m.id)`,
    tests: RECONCILE,
  },
]
