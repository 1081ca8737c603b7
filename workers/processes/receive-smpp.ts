import { openContext } from '../../src/domain/open-context.js'
import { holdAccounts } from '../../src/domain/carriers/held-accounts/holder.js'
import { closeOnSignal } from '../../src/kit/process/shutdown.js'
import { openMetrics } from '../../src/telemetry/metrics-server.js'
import { closeTraces, openTraces } from '../../src/telemetry/traces.js'

/**
 * Exchanges messages and receipts with SMSCs.
 *
 * This process is not a queue worker: an SMSC delivers to any bound session, and may allow only one bind per account.
 * So a single process holds the sessions of an account, in both directions, by a lease (`carrier_sessions`); the
 * others stand by and take over within seconds. It binds again whenever a session ends, and notices when accounts are
 * added, changed or removed; without accounts it is idle.
 *
 * An incoming PDU is answered only after its commit; all others stay at the SMSC, which delivers them again. A repeat
 * is recognized by its content and its session (`take_smpp_arrivals`), so a killed process neither duplicates nor
 * loses a message.
 *
 * Outgoing messages wait in the lane of their account (`queues/account-lanes.ts`): windows, claim, carrier call and
 * result are handled here. An id in the lane may be lost or duplicated, because the claim decides. If a process is
 * killed during the call, its lease expires and the message becomes `unknown`.
 *
 * On SIGTERM it accepts nothing new, finishes and answers what it holds, unbinds, and releases its leases.
 */
const context = openContext('receive-smpp')
const { log } = context
await openMetrics('receive-smpp', context.config)
await openTraces('receive-smpp', context.config, log)
const holder = holdAccounts(context)
log.info('process.started')

closeOnSignal(log, [
  { name: 'sessions', close: () => holder.close() },
  { name: 'traces', close: closeTraces },
  { name: 'connections', close: () => context.close() },
])
