import { openContext } from '../../src/domain/open-context.js'
import { holdAccounts } from '../../src/domain/carriers/held-accounts/holder.js'
import { closeOnSignal } from '../../src/kit/process/shutdown.js'
import { openMetrics } from '../../src/telemetry/metrics-server.js'
import { closeTraces, openTraces } from '../../src/telemetry/traces.js'

/**
 * SMSCs ↔ messages and receipts.
 *
 * Not a worker of a queue: an SMSC brings what it has to whoever is bound, and may let an account be bound once only.
 * So of all processes one holds the sessions of an account, for both ways, by a lease (`carrier_sessions`); others
 * stand by and take over within seconds. It binds again whenever a session ends, and notices when accounts are added,
 * changed or removed; without any it does next to nothing.
 *
 * What comes is answered only when it is committed; everything else stays at the SMSC, which brings it again. A repeat is
 * recognized by its content and its session (`take_smpp_arrivals`), so a killed process makes no message twice and loses
 * none.
 *
 * What is to go out waits in the lane of its account (`queues/account-lanes.ts`): windows, claim, carrier call and result
 * are done here. An id in the lane may be lost or there twice: the claim decides. A process that is killed in the call
 * leaves a lease behind, and the message becomes `unknown`.
 *
 * On SIGTERM it takes nothing more, ends and answers what it holds, unbinds, and gives its leases back.
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
