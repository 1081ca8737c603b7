import type { ArrivedText, CarriedReceipt, Listener, ListenTools } from '../../../src/carriers/listening.js'
import { listenToModem } from '../../../src/carriers/modem/listen.js'
import { modemSettings } from '../../../src/carriers/modem/settings.js'
import { readTexts } from '../../../src/carriers/alphabets/encoded-text.js'
import { memoryLog } from '../../helpers/process/log.js'
import { until } from '../../helpers/until.js'
import type { ModemStandIn } from '../stand-ins/modem.js'
import { LOOPBACK } from '../smpp/fixtures.js'

const NUMBER = '+15550000001'

/** A modem's account as the process has it that holds it; what it takes in is noted here instead of in Postgres. */
export interface HeldModem extends Listener {
  texts: (Omit<ArrivedText, 'body'> & { text: string })[]
  receipts: CarriedReceipt[]
  unclear: { why: string; body: string }[]
  /** The secrets that were tried. */
  tried: string[]
}

export function holdModem(
  modem: Pick<ModemStandIn, 'device'>,
  settings: Record<string, unknown> = {},
  tools: Partial<ListenTools> = {},
): HeldModem {
  const noted: Pick<HeldModem, 'texts' | 'receipts' | 'unclear' | 'tried'> = {
    ...{ texts: [], receipts: [], unclear: [], tried: [] },
  }
  const given = modemSettings.cast({ device: modem.device, number: NUMBER, ...settings })
  const listener = listenToModem({ name: 'modem' }, given, {
    hosts: LOOPBACK,
    carrierTimeoutMs: 15_000,
    log: memoryLog().log,
    receiveText: ({ id }, { body, ...text }) => {
      noted.texts.push({ ...text, text: readTexts([body]) })
      return Promise.resolve({ kind: 'taken', confirmId: id })
    },
    receiveReceipt: (receipt) => {
      noted.receipts.push(receipt)
      return Promise.resolve('taken')
    },
    keepUnclear: ({ why, body }) => {
      noted.unclear.push({ why, body: body.toString('hex').toUpperCase() })
      return Promise.resolve()
    },
    confirmTexts: () => Promise.resolve(),
    tryOnce: (secret) => {
      if (noted.tried.includes(secret)) return Promise.resolve(false)
      noted.tried.push(secret)
      return Promise.resolve(true)
    },
    forgetTried: () => {
      noted.tried.length = 0
      return Promise.resolve()
    },
    onChange: () => undefined,
    ...tools,
  })
  return Object.assign(listener, noted)
}

export async function whenReady(held: Listener): Promise<void> {
  await until(
    () => `the modem is ready: ${held.state().fault?.text ?? 'no fault'}`,
    () => held.state().boundCount === 1,
  )
}
