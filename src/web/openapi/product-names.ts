import type { Vocabulary } from '../../vocabulary.js'

/** The product word in the forms that the document's sentences need. */
export interface ProductNames {
  vocabulary: Vocabulary
  /** The forms are line, lines and Line. The last one is also the name of a schema. */
  line: string
  lines: string
  Line: string
}

export function productNamesOf(vocabulary: Vocabulary): ProductNames {
  const { word } = vocabulary
  return { vocabulary, line: word, lines: `${word}s`, Line: word.charAt(0).toUpperCase() + word.slice(1) }
}
