import type { Ends } from './ends.js'
import { startProxy, type Proxy } from './proxy.js'
import { startStandIn } from './stand-ins/start.js'
import { tell } from './stand-ins/tell.js'
import type { Manner } from './stand-ins/receiver.js'

/** A text that a carrier took, with the time when it had it. */
export interface Taken {
  at: number
  from: string
  to: string
  text: string
}

/** An event that a receiver answered with success. */
export interface Received {
  at: number
  /** The header webhook-id. */
  id: string
  event: { type: string; payload: string; fromNumber: string; toNumber: string }
}

/** The stand-ins for everybody that an installation talks to. Each is a process that writes down what it saw. */
export interface Outside {
  /** The URLs of the carrier's API and of the picture that it keeps. */
  carrierUrl: string
  carrierMediaUrl: string
  receiverUrls: string[]
  /** Tells the carrier that someone has sent something to a line. The caller then makes the callback. */
  tellCarrier: (message: { sid: string; from: string; to: string; body: string }) => Promise<void>
  /** All processes reach the carrier by this proxy. */
  carrier: Proxy
  /** The account at Telnyx, which all processes reach by this proxy; undefined if there is none. */
  telnyx: { proxy: Proxy; credentials: Record<string, string> } | undefined
  /** All processes reach the SMSC by this proxy; undefined if there is no SMSC. */
  smsc: Proxy | undefined
  /** Gives the SMSC a text to bring. The SMSC keeps it until it has been taken. */
  bringBySmpp: ((inbound: { from: string; to: string; text: string }) => Promise<void>) | undefined
  /** The URLs of pictures by the manner of their server. */
  mediaUrls: Record<string, string>
  /** Says how the first receiver treats events from now on. The second one is always good. */
  treatEvents: (manner: Manner) => Promise<void>
  taken: () => Promise<Taken[]>
  received: () => Promise<Received[]>
}

export async function startOutside(
  folder: string,
  has: { mediaManners: readonly string[]; smpp: boolean; telnyx: boolean },
  ends: Ends,
): Promise<Outside> {
  const start = async <Seen>(...[kind, name]: [Parameters<typeof startStandIn>[0], string?]) =>
    ends.add(await startStandIn<Seen>(kind, folder, name), (standIn) => standIn.end())
  const [carrier, flaky, good, smsc, media, telnyx] = await Promise.all([
    start<Taken>('carrier'),
    start<Received>('receiver', 'receiver-flaky'),
    start<Received>('receiver', 'receiver-good'),
    has.smpp ? start<Taken>('smsc') : undefined,
    has.mediaManners.length > 0 ? start('media') : undefined,
    has.telnyx ? start<Taken>('telnyx') : undefined,
  ])
  const proxy = async (port: number) =>
    ends.add(await startProxy(port), (each) => {
      each.close()
    })
  const carrierProxy = await proxy(Number(new URL(carrier.url).port))
  const carrierUrl = `http://127.0.0.1:${carrierProxy.port}`
  return {
    carrierUrl,
    carrierMediaUrl: carrierUrl + String(carrier.told.mediaPath),
    receiverUrls: [flaky, good].map(({ url }) => `${url}/events`),
    tellCarrier: (message) => tell(String(carrier.told.controlUrl), JSON.stringify(message)),
    carrier: carrierProxy,
    telnyx: telnyx && {
      proxy: await proxy(Number(new URL(telnyx.url).port)),
      credentials: telnyx.told.credentials as Record<string, string>,
    },
    smsc: smsc && (await proxy(Number(smsc.told.smppPort))),
    bringBySmpp: smsc && ((inbound) => tell(smsc.url, JSON.stringify(inbound))),
    mediaUrls: Object.fromEntries(
      has.mediaManners.map((manner) => [manner, `${media?.url ?? ''}/${manner}.png`]),
    ),
    treatEvents: (manner) => tell(`${flaky.url}/manner`, manner, 'PUT'),
    taken: async () =>
      (await Promise.all([carrier, telnyx, smsc].map(async (each) => (await each?.seen()) ?? []))).flat(),
    received: async () => (await Promise.all([flaky.seen(), good.seen()])).flat(),
  }
}
