import type { Vocabulary } from '../../vocabulary.js'

/** The product word as the document's sentences need it. */
export interface ProductNames {
  vocabulary: Vocabulary
  /** line, lines, Line: of which the last is also the name of a schema. */
  line: string
  lines: string
  Line: string
}

export function productNamesOf(vocabulary: Vocabulary): ProductNames {
  const { word } = vocabulary
  return { vocabulary, line: word, lines: `${word}s`, Line: word.charAt(0).toUpperCase() + word.slice(1) }
}
