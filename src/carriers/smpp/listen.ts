import type { Listener, ListenTools } from '../listening.js'
import { readText } from './inbound.js'
import { REMEMBERED_MS, RESENT_AFTER_MS, type Handled, type SmppDelivery } from './intake.js'
import { isReceipt, readReceipt, readUnmarkedReceipt, unclearReceipt } from './receipts.js'
import { holdSessions } from './sessions.js'
import type { SmppSettings } from './settings.js'
import { createSmpp } from './smpp.js'

/** The sessions of an account at its SMSC, used both ways. */
export function listenToSmsc(
  { name }: { name: string },
  settings: SmppSettings,
  tools: ListenTools,
): Listener {
  const { hosts, log, confirmTexts: confirm, onChange } = tools
  const noteStrayNumber = strayNumbers(tools)
  const handle = (delivery: SmppDelivery) => takeDelivery(delivery, settings, tools, noteStrayNumber)
  const sessions = holdSessions({ name, settings, hosts, log, handle, confirm, onChange })
  return {
    ...sessions,
    carrier: createSmpp(name, settings, { hosts, sessions }),
    // The number that the sessions have room for, and as many again that are being claimed and settled.
    concurrency: 2 * settings.bindCount * settings.windowSize,
  }
}

const TAKEN = 'ESME_ROK'
/** This tells the SMSC not to try again. */
const REFUSED = 'ESME_RX_P_APPN'

/**
 * Takes in one `deliver_sm`: when this resolves, it is committed. A receipt that cannot be read is kept for operators.
 *
 * @throws Unavailable
 */
export async function takeDelivery(
  delivery: SmppDelivery,
  settings: SmppSettings,
  {
    receiveReceipt,
    receiveText,
    keepUnclear,
  }: Pick<ListenTools, 'receiveReceipt' | 'receiveText' | 'keepUnclear'>,
  noteStrayNumber: (address: string) => void = () => undefined,
): Promise<Handled> {
  const { pdu, body, ...arrival } = delivery
  if (isReceipt(pdu)) {
    const [receipt, unclear] = [readReceipt(pdu, settings), unclearReceipt(pdu)]
    if (receipt !== undefined) await receiveReceipt(receipt)
    if (unclear !== undefined) await keepUnclear({ why: unclear, body })
    return { status: TAKEN }
  }
  const words = readUnmarkedReceipt(pdu, settings)
  if (words !== undefined && (await receiveReceipt(words))) return { status: TAKEN }
  const text = readText(pdu, settings)
  const outcome = await receiveText(
    { ...arrival, silentMs: RESENT_AFTER_MS, rememberedMs: REMEMBERED_MS },
    text,
  )
  if (outcome.kind === 'no_line') {
    noteStrayNumber(text.to.address)
    return { status: REFUSED }
  }
  return { status: TAKEN, confirmId: outcome.confirmId }
}

/**
 * Bounds the memory: an address has 20 characters at most. With fewer, the log of a shared account would repeat itself.
 */
const MAX_NOTED = 1000

/** Logs each number once, because an account may be shared with another system. */
function strayNumbers({ log }: Pick<ListenTools, 'log'>): (address: string) => void {
  const noted = new Set<string>()
  return (address) => {
    if (noted.has(address)) return
    if (noted.size >= MAX_NOTED) noted.clear()
    noted.add(address)
    log.warn({ numberEnd: address.slice(-4) }, 'smpp.number_is_no_line')
  }
}
