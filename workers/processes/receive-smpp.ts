import { openContext } from '../../src/domain/context.js'
import { receiveFromSmscs } from '../../src/domain/smpp/receivers.js'
import { closeOnSignal } from '../../src/shutdown.js'

/**
 * SMSCs → messages and receipts.
 *
 * Not a worker of a queue: an SMSC brings what it has to whoever is bound. For each SMPP account this process holds
 * the binds that the account asks for, binds again whenever one ends, and notices within seconds when accounts are
 * added, changed or removed; without any it does next to nothing. What comes is answered only when it is committed;
 * everything else stays at the SMSC, which brings it again. Whether it did is told by what it says and by the session
 * that it said it in (`take_smpp_inbound`), so that a killed process makes no message twice and loses none.
 *
 * On SIGTERM it takes nothing more, answers what it holds, and unbinds.
 */
const context = openContext('receive-smpp')
const { log } = context
const receivers = receiveFromSmscs(context)
log.info('process.started')

closeOnSignal(log, [
  { name: 'receivers', close: () => receivers.close() },
  { name: 'connections', close: () => context.close() },
])
