import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js'
import { ACCOUNT_SID, AUTH_TOKEN, newSid } from '../../test/carriers/twilio/stand-in.js'
import { idOf, now, numberOf, type Shift } from './shift.js'

const BRINGERS = 6
const PAUSE_MS = { text: 200, picture: 700 }

/** Brings texts to every line, as callbacks that the carrier signs. */
export function bringTexts(shift: Shift, bringers = BRINGERS): Promise<void>[] {
  return Array.from({ length: bringers }, async (_, bringer) => {
    for (let n = 0; !shift.isOver(); n += 1) {
      const text = idOf(`in${bringer}`, n)
      await shift.whenInbound()
      await bring(shift, text, n, { From: numberOf(70 + bringer, n), NumMedia: '0', Body: text })
      await shift.pause(PAUSE_MS.text)
    }
  })
}

/** Brings pictures. They are recognized by their senders, because their events have a URL of ours. */
export async function bringPictures(shift: Shift): Promise<void> {
  const hasMedia = shift.installation.copies.some(({ name }) => name === 'fetch-media')
  for (let n = 0; hasMedia && !shift.isOver(); n += 1) {
    const from = numberOf(80, n)
    const media = {
      NumMedia: '1',
      MediaUrl0: shift.installation.carrierMediaUrl,
      MediaContentType0: 'image/png',
    }
    await shift.whenInbound()
    await bring(shift, from, n, { From: from, Body: '', ...media })
    await shift.pause(PAUSE_MS.picture)
  }
}

/** Brings texts by SMPP. The SMSC keeps each until it has been taken, so all of them count as acknowledged. */
export async function bringBySmpp(shift: Shift): Promise<void> {
  const { installation, ledger, isOver } = shift
  const { bringBySmpp: give, seeds } = installation
  for (let n = 0; give && !isOver(); n += 1) {
    const text = idOf('smpp', n)
    const broughtAt = now()
    await give({ from: numberOf(81, n), to: seeds.smppLine?.number ?? '', text })
    ledger.inbound.push({ id: text, broughtAt, answeredAt: now(), status: 200 })
    await shift.pause(PAUSE_MS.text)
  }
}

async function bring(
  { caller, installation, ledger }: Shift,
  id: string,
  turn: number,
  given: { From: string; Body: string } & Record<string, string>,
): Promise<void> {
  const { lines, callbackUrl } = installation.seeds
  const to = lines[turn % lines.length]?.number ?? ''
  const sid = newSid('SM')
  const broughtAt = now()
  await installation.tellCarrier({ sid, from: given.From, to, body: given.Body })
  const fields = { AccountSid: ACCOUNT_SID, MessageSid: sid, To: to, ...given }
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-twilio-signature': getExpectedTwilioSignature(AUTH_TOKEN, callbackUrl, fields),
  }
  const body = new URLSearchParams(fields).toString()
  const { status } = await caller.post(new URL(callbackUrl).pathname, headers, body)
  ledger.inbound.push({ id, broughtAt, answeredAt: now(), status })
}
