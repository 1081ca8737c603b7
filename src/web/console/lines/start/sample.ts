/** The number is not assigned; at the simulator it is a phone like any other. */
export const TRIAL_NUMBER = '+15005550199'

/** A program for people to copy. */
export interface Sample {
  language: Language
  /** The heading above it. */
  title: string
  code: string
  /** The command that runs it from a file, which is its last word; for curl, a sentence. */
  run: string
}

export const LANGUAGES = ['curl', 'node', 'python', 'go', 'php', 'ruby'] as const

export type Language = (typeof LANGUAGES)[number]

export const TITLES: Record<Language, string> = {
  curl: 'curl',
  node: 'Node',
  python: 'Python',
  go: 'Go',
  php: 'PHP',
  ruby: 'Ruby',
}

/**
 * Writes a text as a literal of each language, so that none of its characters has an effect. JSON's form is also
 * valid in JavaScript, Python and Go.
 */
export const LITERALS: Record<Language, (text: string) => string> = {
  curl: (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`,
  node: JSON.stringify,
  python: JSON.stringify,
  go: JSON.stringify,
  php: singleQuoted,
  ruby: singleQuoted,
}

/** Between single quotes only these two characters are special in PHP and Ruby. */
function singleQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`
}
