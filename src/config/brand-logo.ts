import { readFileSync, statSync } from 'node:fs'
import { hasCode } from '../errors.js'

/** The operator's logo as pages show it. */
export interface Logo {
  bytes: Buffer
  /** The file extension in paths, from which the content type follows. */
  type: 'png' | 'svg'
  /** The width divided by the height. */
  ratio: number
}

/** A logo is on every page, so one that is larger is a mistake. */
const MAX_KIB = 256

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** @returns a fault as a predicate whose subject is the name of the setting */
export function readLogo(path: string): Logo | { fault: string } {
  let bytes: Buffer
  try {
    // The size is checked first, because a path that is named by mistake may be a disk.
    const file = statSync(path)
    if (!file.isFile()) return { fault: 'must name a PNG or SVG file, but this path is not a file' }
    if (file.size > MAX_KIB * 1024) return { fault: `must name a file of at most ${MAX_KIB} KiB` }
    bytes = readFileSync(path)
  } catch (error) {
    const why = hasCode(error, 'ENOENT') ? 'there is no file at this path' : 'it cannot be read'
    return { fault: `must name a PNG or SVG file: ${why}` }
  }
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return readPng(bytes)
  return readSvg(bytes)
}

/** The first chunk has the size (PNG §11.2.2). */
function readPng(bytes: Buffer): Logo | { fault: string } {
  if (bytes.length < 24) return { fault: 'must name a complete PNG file, but this one is truncated' }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  if (width === 0 || height === 0) return { fault: 'must name a PNG file whose width and height are not 0' }
  return { bytes, type: 'png', ratio: width / height }
}

/** This matches what may stand before the root element, and the root element's attributes. */
const SVG_ROOT = /^\uFEFF?(?:\s|<\?[^>]*\?>|<!--.*?-->|<!DOCTYPE[^>[]*>)*<svg\b([^>]*)>/s

/** Scripts in an SVG do nothing: it is shown as an image, and served with a policy that allows none. */
function readSvg(bytes: Buffer): Logo | { fault: string } {
  const [, attributes] = SVG_ROOT.exec(bytes.toString('utf8')) ?? []
  if (attributes === undefined) return { fault: 'must name a PNG or SVG file, but this is neither' }
  const number = (name: string) =>
    Number(new RegExp(`\\s${name}=["']([\\d.]+)(?:px)?["']`).exec(attributes)?.[1])
  const [, boxWidth, boxHeight] =
    /\sviewBox=["']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(attributes) ?? []
  const ratio = Number(boxWidth) / Number(boxHeight) || number('width') / number('height')
  if (!(ratio > 0 && ratio < Infinity)) {
    return { fault: 'must name an SVG file whose <svg> has a viewBox, or a width and a height' }
  }
  return { bytes, type: 'svg', ratio }
}
