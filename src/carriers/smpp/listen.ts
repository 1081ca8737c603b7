import type { CarriedReceipt, Listener, ListenTools } from '../listening.js'
import { createUnstored } from '../unstored.js'
import { readText } from './inbound.js'
import { REMEMBERED_MS, RESENT_AFTER_MS, TEMPORARY, type Handled, type SmppDelivery } from './intake.js'
import { isReceipt, readReceipt, readUnmarkedReceipt, unclearReceipt } from './receipts.js'
import { holdSessions } from './sessions.js'
import type { SmppSettings } from './settings.js'
import { TIMEOUTS } from './session.js'
import { createSmpp } from './smpp.js'

/** The sessions of an account at its SMSC, used both ways. */
export function listenToSmsc(
  { name }: { name: string },
  settings: SmppSettings,
  tools: ListenTools,
): Listener {
  const { hosts, log, confirmTexts: confirm, keepUnclear, onChange, carrierTimeoutMs: responseMs } = tools
  const partsUnderWay = new Set<string>()
  const handle = (delivery: SmppDelivery) => takeDelivery(delivery, settings, tools, partsUnderWay)
  const timeouts = { ...TIMEOUTS, responseMs }
  const sessions = holdSessions({
    ...{ name, settings, hosts, log, handle, keepUnclear, confirm, onChange, timeouts },
  })
  const late = createUnstored(tools)
  return {
    ...sessions,
    carrier: createSmpp(name, settings, { hosts, sessions, partsUnderWay, timeouts, onLate: late.addLate }),
    close: async () => {
      await sessions.close()
      await late.close()
    },
    // The number that the sessions have room for, and as many again that are being claimed and settled.
    concurrency: 2 * settings.bindCount * settings.windowSize,
  }
}

const TAKEN = 'ESME_ROK'
/** This tells the SMSC not to try again. */
const REFUSED = 'ESME_RX_P_APPN'

/**
 * Receives one `deliver_sm`: when this resolves, it is committed. A receipt that cannot be read is stored for
 * operators, and so is a text to a number without a line.
 *
 * @param partsUnderWay the ids of parts whose text is still being sent: that one of them arrived says nothing about the
 * whole
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
  partsUnderWay: ReadonlySet<string> = new Set(),
): Promise<Handled> {
  const { pdu, body, ...arrival } = delivery
  if (isReceipt(pdu)) {
    const [receipt, unclear] = [readReceipt(pdu, settings), unclearReceipt(pdu)]
    if (receipt && receipt.status !== 'failed' && idsOf(receipt).some((id) => partsUnderWay.has(id)))
      return { status: TAKEN }
    const taken = receipt && (await receiveReceipt(receipt))
    if (unclear !== undefined) await keepUnclear({ why: unclear, body })
    return { status: taken === 'early' ? TEMPORARY : TAKEN }
  }
  const words = readUnmarkedReceipt(pdu, settings)
  if (words !== undefined && (await receiveReceipt(words)) === 'taken') return { status: TAKEN }
  const text = readText(pdu, settings)
  const outcome = await receiveText(
    { ...arrival, silentMs: RESENT_AFTER_MS, rememberedMs: REMEMBERED_MS },
    text,
  )
  if (outcome.kind === 'no_line') {
    const why = 'a text to a number that has no line on this account'
    await keepUnclear({ why, body, toNumber: text.to.address })
    return { status: REFUSED }
  }
  return { status: TAKEN, confirmId: outcome.confirmId }
}

function idsOf({ carrierMessageId, otherIds }: CarriedReceipt): string[] {
  return [carrierMessageId, ...otherIds]
}
