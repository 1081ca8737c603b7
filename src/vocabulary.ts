import { UserError } from './errors.js'

/**
 * The product word. The interface says "line" in paths, fields, parameters and scopes, and an operator may replace that
 * by another word, so that clients which were written for another product run unchanged. This module is the only place
 * that spells an identifier with the word in it.
 *
 * Input is accepted with "line" always, and with the configured word. Output has the configured word only.
 */
export interface Vocabulary {
  word: string
  idField: string
  /**
   * Every accepted spelling of a path, with the configured word's first: `/v1/lines/:lineId` → `/v1/burners/:lineId`,
   * …
   */
  paths(canonical: string): string[]
  /**
   * A path as output has it, for one with its parameters in braces: `/v1/lines/{lineId}` → `/v1/burners/{burnerId}`.
   */
  path(canonical: string): string
  /** The authorization's parameter for a line: `line_id`. */
  idParameter: string
  /** The field of the token's answer: `connected_lines`. */
  connectedField: string
  /** A scope as output has it: `lines:read` → `burners:read`. */
  scope(canonical: string): string
  /** Translates a scope as a client wrote it to the canonical word. */
  canonicalScope(written: string): string
  /** Path patterns for the router: `/webhooks/lineId/…` and `/webhooks/line/…`, in every accepted word. */
  incomingWebhookPaths: string[]
  /** The path of an incoming webhook as we generate it, without the token. */
  incomingWebhookPath(lineId: string): string
  /**
   * Returns the fields of a query or a body, with the line's id as `lineId` (several as `lineIds`), whichever word
   * the sender used.
   *
   * @throws UserError if the id came under both words
   */
  canonicalFields(fields: Record<string, unknown>): Record<string, unknown>
  /** Does the reverse: returns the fields as output has them, in their order. */
  fields(canonical: Record<string, unknown>): Record<string, unknown>
}

/**
 * Words that the interface has for other things. With one of them, two fields, paths or schemas would have the same
 * name: with `user`, `userId` in an event would be the line's id, and the user's would be missing.
 */
const TAKEN_WORDS = new Set(
  (
    'application caps client connection contact deliverie delivery endpoint event introspection limits media message ' +
    'numbers problem readiness segment segments task token usage user'
  ).split(' '),
)

export function isFreeWord(productWord: string | undefined): boolean {
  return productWord === undefined || !TAKEN_WORDS.has(productWord.toLowerCase())
}

export function createVocabulary(productWord: string): Vocabulary {
  const word = productWord.toLowerCase()
  const accepted = word === 'line' ? ['line'] : [word, 'line']
  const idField = `${word}Id`
  return {
    word,
    idField,
    paths: (canonical) => [...new Set(accepted.map((each) => spell(canonical, each)))],
    path: (canonical) => spell(canonical, word),
    idParameter: `${word}_id`,
    connectedField: `connected_${word}s`,
    scope: (canonical) => canonical.replace(/^lines(?=:)/, `${word}s`),
    canonicalScope: (written) =>
      written.startsWith(`${word}s:`) ? `lines${written.slice(word.length + 1)}` : written,
    incomingWebhookPaths: accepted.flatMap((each) => [
      `/webhooks/${each}Id/:lineId`,
      `/webhooks/${each}/:lineId`,
    ]),
    incomingWebhookPath: (lineId) => `/webhooks/${word}Id/${lineId}`,
    canonicalFields: (fields) =>
      canonicalField(canonicalField(fields, idField, 'lineId'), `${idField}s`, 'lineIds'),
    fields: (canonical) =>
      Object.fromEntries(
        Object.entries(canonical).map(([name, value]) => [name.replace(/^lineId(?=s?$)/, idField), value]),
      ),
  }
}

/** @throws UserError if the field came under both names */
function canonicalField(
  fields: Record<string, unknown>,
  written: string,
  name: string,
): Record<string, unknown> {
  // A copy of a body with thousands of names takes a tenth of a second.
  if (fields[written] === undefined) return fields
  const { [written]: value, ...others } = fields
  if (written !== name && others[name] !== undefined) {
    throw new UserError(`${written} and ${name} are the same field. Give only one of them`)
  }
  return { ...others, [name]: value }
}

/** Only whole segments are replaced; the router's own names (`:lineId`) stay. */
function spell(path: string, word: string): string {
  return path.replace(/(?<=\/\{?)line(?=(s|Id)?\}?(\/|$))/g, word)
}
