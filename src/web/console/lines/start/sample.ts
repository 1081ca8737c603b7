/** One that nobody has; at the simulator it is a phone like any other. */
export const TRIAL_NUMBER = '+15005550199'

/** A program that people copy. */
export interface Sample {
  language: Language
  /** What stands over it. */
  title: string
  code: string
  /** How it is run, when it is in a file. */
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
 * A text as each language writes it in its source, so that no character of it does anything there. JSON's form is also one of
 * JavaScript, Python and Go.
 */
export const LITERALS: Record<Language, (text: string) => string> = {
  curl: (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`,
  node: JSON.stringify,
  python: JSON.stringify,
  go: JSON.stringify,
  php: singleQuoted,
  ruby: singleQuoted,
}

/** Between single quotes PHP and Ruby see nothing but these two. */
function singleQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`
}
