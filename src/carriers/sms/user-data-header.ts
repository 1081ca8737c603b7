import type { Shift } from '../../kit/text/gsm7.js'
import type { TextPart } from '../listening.js'
import type { TextHeader } from './data-coding.js'

export interface Element {
  type: number
  content: Buffer
}

/** Reads a user data header (3GPP TS 23.040 §9.2.3.24): elements of type, length and content. */
export function elementsOf(header: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at + 2 <= header.length;) {
    const [type = 0, length = 0] = [header[at], header[at + 1]]
    elements.push({ type, content: header.subarray(at + 2, at + 2 + length) })
    at += 2 + length
  }
  return elements
}

const PART_8_BIT = 0x00
const PART_16_BIT = 0x08
const SINGLE_SHIFT = 0x24
const LOCKING_SHIFT = 0x25

export function readPartOfHeader(elements: readonly Element[]): TextPart | undefined {
  for (const { type, content } of elements) {
    if (type === PART_8_BIT && content.length === 3)
      return partOf(content.readUInt8(0), content.readUInt8(1), content.readUInt8(2))
    if (type === PART_16_BIT && content.length === 4)
      return partOf(content.readUInt16BE(0), content.readUInt8(2), content.readUInt8(3))
  }
  return undefined
}

export function readTextHeader(elements: readonly Element[]): TextHeader {
  const languageOf = (type: number) => elements.find((element) => element.type === type)?.content[0]
  const others = elements.filter(({ type }) => type !== PART_8_BIT && type !== PART_16_BIT)
  return {
    single: languageOf(SINGLE_SHIFT),
    locking: languageOf(LOCKING_SHIFT),
    rest: Buffer.concat(
      others.flatMap(({ type, content }) => [Buffer.from([type, content.length]), content]),
    ),
  }
}

/** A part that is the only one, or whose number is out of range, is a separate text. */
export function partOf(reference: number, total: number, number: number): TextPart | undefined {
  return total > 1 && number >= 1 && number <= total ? { reference, total, number } : undefined
}

/** The element of concatenated short messages with an 8-bit reference (3GPP TS 23.040 §9.2.3.24.1). */
export function partElement(reference: number, total: number, number: number): number[] {
  return [0, 3, reference & 0xff, total, number]
}

/** The elements that name national tables (3GPP TS 23.040 §9.2.3.24.15 and .16). */
export function tableElements({ single, locking }: Shift): number[] {
  return [
    ...(single === 0 ? [] : [SINGLE_SHIFT, 1, single]),
    ...(locking === 0 ? [] : [LOCKING_SHIFT, 1, locking]),
  ]
}

/** Makes a user data header; none of no elements. */
export function headerOf(elements: readonly number[]): Buffer {
  return Buffer.from(elements.length === 0 ? [] : [elements.length, ...elements])
}
