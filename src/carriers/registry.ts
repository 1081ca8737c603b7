import { africastalking } from './africastalking.js'
import { bird } from './bird/bird.js'
import type { CarrierClient } from './carrier.js'
import { clickatell } from './clickatell.js'
import { httpKind } from './http/kind.js'
import { httpsms } from './httpsms/httpsms.js'
import { infobip } from './infobip/infobip.js'
import { kannel } from './kannel.js'
import type { CarrierKind, CarrierTools } from './kind.js'
import { carrierOf } from './kit.js'
import { messagemedia } from './messagemedia/messagemedia.js'
import { modemKind } from './modem/kind.js'
import { plivo } from './plivo/plivo.js'
import { simulator } from './simulator.js'
import { sinch } from './sinch/sinch.js'
import { smppKind } from './smpp/kind.js'
import { smsgate } from './smsgate/smsgate.js'
import { telnyx } from './telnyx/telnyx.js'
import { twilio } from './twilio/kind.js'
import { vonage } from './vonage/vonage.js'

/** Every kind of carrier; a new one is a file beside these and a line here. */
export const CARRIER_KINDS: ReadonlyMap<string, CarrierKind> = new Map<string, CarrierKind>([
  ['simulator', simulator],
  ['twilio', twilio],
  ['telnyx', carrierOf(telnyx)],
  ['vonage', carrierOf(vonage)],
  ['plivo', carrierOf(plivo)],
  ['bird', carrierOf(bird)],
  ['sinch', carrierOf(sinch)],
  ['infobip', carrierOf(infobip)],
  ['clickatell', carrierOf(clickatell)],
  ['africastalking', carrierOf(africastalking)],
  ['messagemedia', carrierOf(messagemedia)],
  ['kannel', carrierOf(kannel)],
  ['smsgate', carrierOf(smsgate)],
  ['httpsms', carrierOf(httpsms)],
  ['modem', modemKind],
  ['smpp', smppKind],
  ['http', httpKind],
])

/** The account that a client is made for; each version of it has its own settings. */
export interface AccountKey {
  id: string
  name: string
  kind: string
  version: number
}

export interface CarrierClients {
  /** The kinds that accounts can have. */
  readonly kinds: ReadonlyMap<string, CarrierKind>
  /**
   * Returns the carrier of an account, made once in this process and again when its settings have changed.
   *
   * @param readSettings called only when it is made
   * @returns undefined if its kind is unknown or switched off here
   */
  get(account: AccountKey, readSettings: () => Promise<object>): Promise<CarrierClient | undefined>
  /**
   * From now on, `get` returns this carrier, which has the account's sessions.
   *
   * @returns a function that ends this
   */
  hold(accountId: string, carrier: CarrierClient): () => void
  /** The kinds whose accounts send from the process that holds their sessions. */
  readonly heldKinds: readonly string[]
  /** The accounts whose sessions this process holds. */
  heldAccounts(): string[]
  close(): Promise<void>
}

/** @param kinds only tests pass anything but `CARRIER_KINDS` */
export function createCarrierClients(tools: CarrierTools, kinds = CARRIER_KINDS): CarrierClients {
  const held = new Map<string, CarrierClient>()
  const made = new Map<string, { version: number; carrier: Promise<CarrierClient | undefined> }>()

  const make = async ({ id, name, kind }: AccountKey, readSettings: () => Promise<object>) =>
    kinds.get(kind)?.create({ id, name }, await readSettings(), tools)

  const end = async (carrier: Promise<CarrierClient | undefined>) => {
    await carrier.then((each) => each?.close()).catch(() => undefined)
  }

  return {
    kinds,
    hold: (accountId, carrier) => {
      held.set(accountId, carrier)
      return () => held.delete(accountId)
    },
    heldKinds: [...kinds].flatMap(([name, kind]) => (kind.listen ? [name] : [])),
    heldAccounts: () => [...held.keys()],
    get(account, readSettings) {
      const own = held.get(account.id)
      if (own !== undefined) return Promise.resolve(own)
      const known = made.get(account.id)
      // A caller with an older version gets the carrier with the newer settings.
      if (known !== undefined && known.version >= account.version) return known.carrier
      const carrier = make(account, readSettings)
      made.set(account.id, { version: account.version, carrier })
      // The next caller tries again instead of getting the same failure.
      carrier.catch(() => {
        if (made.get(account.id)?.carrier === carrier) made.delete(account.id)
      })
      if (known) void end(known.carrier)
      return carrier
    },
    close: async () => {
      await Promise.all([...made.values()].map(({ carrier }) => end(carrier)))
    },
  }
}
