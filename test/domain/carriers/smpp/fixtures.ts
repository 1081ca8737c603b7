import { createHash } from 'node:crypto'
import type { PduFields } from 'smpp'
import type { Handled, SmppDelivery } from '../../../../src/carriers/smpp/intake.js'
import { takeDelivery } from '../../../../src/carriers/smpp/listen.js'
import { smpp } from '../../../../src/carriers/smpp/package.js'
import { smppSettings, type SmppSettings } from '../../../../src/carriers/smpp/settings.js'
import { addCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import type { Context } from '../../../../src/domain/context.js'
import { receivingTools, type HeldAccount } from '../../../../src/domain/carriers/held-accounts/receive.js'
import { newId } from '../../../../src/ids.js'

export type SmppAccount = HeldAccount & { settings: SmppSettings }

export async function addSmppAccount(
  context: Context,
  name: string,
  settings: Record<string, unknown> = {},
): Promise<SmppAccount> {
  const given = { host: '127.0.0.1', systemId: 'linehook', ...settings }
  const { id } = await addCarrierAccount(context, { name, kind: 'smpp', settings: given })
  return { id, name, kind: 'smpp', settings: smppSettings.cast(given), openSessionIds: () => [] }
}

/** As the account's session does with what its SMSC brings. */
export function receiveDelivery(
  context: Context,
  account: SmppAccount,
  delivery: SmppDelivery,
  partsUnderWay: ReadonlySet<string> = new Set(),
): Promise<Handled> {
  const tools = { log: context.log, ...receivingTools(context, account) }
  return takeDelivery(delivery, account.settings, tools, partsUnderWay)
}

/** One arrival of a `deliver_sm`. */
export function arrive(fields: PduFields, sessionId = newId()): SmppDelivery {
  const bytes = new smpp.PDU('deliver_sm', fields).toBuffer()
  const body = bytes.subarray(16)
  const digest = createHash('sha256').update(body).digest()
  return { id: newId(), sessionId, digest, pdu: new smpp.PDU(bytes), body }
}

/** A part of a long text, with a header. */
export function partOf(
  whole: { from: string; to: string; reference: number; total: number },
  number: number,
  body: Buffer,
  dataCoding = 0,
): PduFields {
  return {
    source_addr_ton: 1,
    source_addr: whole.from.replace('+', ''),
    dest_addr_ton: 1,
    destination_addr: whole.to.replace('+', ''),
    esm_class: 0x40,
    data_coding: dataCoding,
    short_message: Buffer.concat([Buffer.from([5, 0, 3, whole.reference, whole.total, number]), body]),
  }
}

/** What a line has received, oldest first. */
export async function receivedTexts({ db }: Context, lineId: string): Promise<string[]> {
  const rows: { text: string }[] = await db('messages')
    .where({ line_id: lineId, direction: 'inbound' })
    .orderBy('id')
    .select('text')
  return rows.map(({ text }) => text)
}
