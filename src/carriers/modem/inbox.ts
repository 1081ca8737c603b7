import { createHash } from 'node:crypto'
import { newId } from '../../ids.js'
import type { ListenTools } from '../listening.js'
import type { Channel } from './channel.js'
import { readStatus } from './errors.js'
import { NotUnderstood, readPdu } from './inbound.js'
import { isHex } from './line.js'
import { ModemFault } from './port.js'
import { idsOf } from './references.js'
import type { ModemSettings } from './settings.js'

/** Thrown if a memory cannot be read although the modem answers. */
export class MemoryUnreadable extends ModemFault {
  override name = 'MemoryUnreadable'
}

type InboxTools = Pick<ListenTools, 'receiveText' | 'receiveReceipt' | 'keepUnclear'>

/** The network gives up on a text after a week at most, so no repeat comes later. */
const REMEMBERED_MS = 7 * 86_400_000

export interface Emptied {
  takenCount: number
  /** True if it is still full, of texts that somebody wrote on this modem. Then nothing can come in. */
  isFull: boolean
}

/**
 * Receives what is in a memory of the modem, oldest first. A text is deleted there only when it is committed, so a
 * process that is killed in between loses nothing, and recognizes the text by its content afterwards.
 *
 * @throws MemoryUnreadable, ModemFault, Unavailable
 */
export async function emptyMemory(
  channel: Channel,
  memory: string,
  settings: ModemSettings,
  tools: InboxTools,
): Promise<Emptied> {
  const { stored, usedCount, capacity } = await listMemory(channel, memory)
  for (const { index, tpdu } of stored) {
    await takePdu(tpdu, settings, tools)
    await withChannel(channel, async () => {
      await select(channel, memory)
      const deleted = await channel.ask(`AT+CMGD=${index}`)
      if (!deleted.isOk) throw new ModemFault(`the modem cannot delete texts (${deleted.code})`)
    })
  }
  return { takenCount: stored.length, isFull: usedCount - stored.length >= capacity }
}

interface Stored {
  index: number
  tpdu: Buffer
  /** False if its line in the list is missing or damaged. */
  isWhole: boolean
}

async function listMemory(channel: Channel, memory: string): Promise<Room & { stored: Stored[] }> {
  const found = await withChannel(channel, async () => {
    const room = await select(channel, memory)
    const { isOk, code, lines } = await channel.ask('AT+CMGL=4')
    if (!isOk) throw new MemoryUnreadable(`the modem cannot list texts (${code})`)
    const listed = lines.flatMap((line, n) => {
      const [, index, status, length] = /^\+CMGL: *(\d+), *(\d+),(?:.*,)? *(\d+)$/.exec(line) ?? []
      // Numbers above 1 are texts that somebody wrote on this modem.
      if (index === undefined || Number(status) > 1) return []
      return [{ index: Number(index), ...pduAfter(lines.slice(n + 1), Number(length)) }]
    })
    const stored: Stored[] = []
    for (const each of listed) stored.push(each.isWhole ? each : await readAgain(channel, each))
    return { ...room, stored }
  })
  found.stored.sort((one, other) => sentAt(one) - sentAt(other) || one.index - other.index)
  return found
}

/** Noise may have damaged a line, and the text is deleted afterwards. */
async function readAgain(channel: Channel, listed: Stored): Promise<Stored> {
  const { lines } = await channel.ask(`AT+CMGR=${listed.index}`)
  const at = lines.findIndex((line) => line.startsWith('+CMGR:'))
  const [, length] = /, *(\d+)$/.exec(lines[at] ?? '') ?? []
  const read = pduAfter(lines.slice(at + 1), Number(length))
  return read.isWhole ? { ...listed, ...read } : listed
}

/** Returns the PDU in the lines after the one that gives its length. */
function pduAfter(lines: readonly string[], length: number): Omit<Stored, 'index'> {
  const pdu = lines.find((each) => isHex(each) || each.startsWith('+CMGL:')) ?? ''
  const tpdu = cutCenter(pdu, length)
  return { tpdu, isWhole: tpdu.length === length && length > 0 && isWhole(pdu, length) }
}

/** True if the number of the SMS centre is as long as it says, or left out. */
function isWhole(pdu: string, length: number): boolean {
  const octets = pdu.length / 2
  return octets === length || octets === length + 1 + parseInt(pdu.slice(0, 2), 16)
}

/** The places in a memory. If the modem does not give them, the memory has room for ever. */
interface Room {
  usedCount: number
  capacity: number
}

async function select(channel: Channel, memory: string): Promise<Room> {
  const { isOk, code, lines } = await channel.ask(`AT+CPMS="${memory}"`)
  if (!isOk) throw new MemoryUnreadable(`the memory ${memory} cannot be read (${code})`)
  const [, used = 0, total = Infinity] = /^\+CPMS: *(\d+), *(\d+)/m.exec(lines.join('\n')) ?? []
  return { usedCount: Number(used), capacity: Number(total) || Infinity }
}

async function withChannel<T>(channel: Channel, work: () => Promise<T>): Promise<T> {
  const leave = await channel.enter()
  try {
    return await work()
  } finally {
    leave?.()
  }
}

/** Cuts off the number of the SMS centre, which some modems leave out (27.005 §3.1, `<length>`). */
export function cutCenter(hex: string, length: number): Buffer {
  const bytes = Buffer.from(isHex(hex) ? hex : '', 'hex')
  return bytes.subarray(Math.max(0, bytes.length - length))
}

function sentAt({ tpdu }: Stored): number {
  try {
    const read = readPdu(tpdu)
    return ('sentAt' in read && read.sentAt) || 0
  } catch {
    return 0
  }
}

/**
 * Receives a text or a report: it is committed when this resolves.
 *
 * @throws Unavailable
 */
export async function takePdu(
  tpdu: Buffer,
  { number }: Pick<ModemSettings, 'number'>,
  { receiveText, receiveReceipt, keepUnclear }: InboxTools,
): Promise<void> {
  try {
    const read = readPdu(tpdu)
    if (read.kind === 'silent') return
    if (read.kind === 'report') {
      const [carrierMessageId, ...otherIds] = idsOf(read.reference, read.sentAt)
      await receiveReceipt({
        ...{ carrierMessageId, otherIds, numbers: [read.to], isMarked: true },
        ...readStatus(read.status),
      })
      return
    }
    const outcome = await receiveText(
      {
        id: newId(),
        // Two identical texts also have the same timestamp from the SMS centre: they are one text that the network has
        // repeated. So none is in the same session as another.
        sessionId: newId(),
        digest: createHash('sha256').update(tpdu).digest(),
        ...{ silentMs: 0, rememberedMs: REMEMBERED_MS },
      },
      { ...read, to: { address: number, kind: 'international' } },
    )
    if (outcome.kind === 'no_line')
      throw new NotUnderstood('a text, but there is no line with the number of the SIM card')
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error
    await keepUnclear({ why: error.message, body: tpdu })
  }
}
