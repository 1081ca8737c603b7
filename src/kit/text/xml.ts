import { addRepeated } from './repeated.js'

/** An element: either its text, or its attributes and children by name. Several children of one name are a list. */
export type XmlValue = string | { [name: string]: XmlValue | XmlValue[] }

/** The name of an element's text if it also has attributes or children. No element can have this name. */
const TEXT = '#text'

/** No document that we read needs more levels. */
const MAX_DEPTH = 32

/** Matches a tag, a piece of CDATA, a comment or a declaration at the beginning, or text. */
const TOKEN =
  /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/gy

const ATTRIBUTE = /\s+([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gy

interface Open {
  name: string
  fields: { [name: string]: XmlValue | XmlValue[] }
  text: string
}

/**
 * Reads the XML that carriers send: elements, attributes and texts. A document type is refused, along with everything
 * that makes XML parsers dangerous: custom entities and external files. The text of an element that has attributes or
 * children is its `#text`, and names keep their prefixes.
 *
 * @returns `{ root: … }`, or undefined if it is not such a document
 */
export function readXml(text: string): { [name: string]: XmlValue } | undefined {
  const root = open('')
  const path = [root]
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)
    const inner = path.at(-1)
    if (token === null || inner === undefined) return undefined
    const [, cdata, closed, opened, attributes = '', isEmpty, plain] = token
    if (cdata !== undefined) inner.text += cdata
    if (plain !== undefined) {
      const unescaped = unescape(plain)
      if (unescaped === undefined) return undefined
      inner.text += unescaped
    }
    if (opened !== undefined) {
      const element = open(opened)
      for (const [, name = '', double, single] of attributes.matchAll(ATTRIBUTE)) {
        const value = unescape(double ?? single ?? '')
        if (value === undefined) return undefined
        addRepeated(element.fields, name, value)
      }
      if (isEmpty === '/') addRepeated(inner.fields, opened, valueOf(element))
      else path.push(element)
      if (path.length > MAX_DEPTH) return undefined
    }
    if (closed !== undefined) {
      const element = path.pop()
      const outer = path.at(-1)
      if (element?.name !== closed || outer === undefined) return undefined
      addRepeated(outer.fields, closed, valueOf(element))
    }
  }
  const isDocument = path.length === 1 && root.text.trim() === '' && Object.keys(root.fields).length === 1
  const [value] = Object.values(root.fields)
  return isDocument && !Array.isArray(value) ? (root.fields as { [name: string]: XmlValue }) : undefined
}

function open(name: string): Open {
  // Without a prototype, an element can have any name.
  return { name, fields: Object.create(null) as Open['fields'], text: '' }
}

function valueOf({ fields, text }: Open): XmlValue {
  if (Object.keys(fields).length === 0) return text
  return text.trim() === '' ? fields : { ...fields, [TEXT]: text }
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** @returns undefined if it has an entity that XML itself does not define */
function unescape(text: string): string | undefined {
  const unknown: string[] = []
  const unescaped = text.replace(/&([^;&]*);?/g, (_, name: string) => {
    const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? []
    const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal ?? Number.NaN)
    if (code <= 0x10ffff) return String.fromCodePoint(code)
    const entity = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined
    if (entity === undefined) unknown.push(name)
    return entity ?? ''
  })
  return unknown.length === 0 ? unescaped : undefined
}
