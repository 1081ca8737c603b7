export type Keyword = 'stop' | 'start' | 'help'

const WORDS = new Map<string, Keyword>([
  ...['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'].map(
    (word) => [word, 'stop'] as const,
  ),
  ...['START', 'UNSTOP'].map((word) => [word, 'start'] as const),
  ...['HELP', 'INFO'].map((word) => [word, 'help'] as const),
])

/**
 * Whether a text is a keyword: `stop` opts its sender out of the line, `start` back in, and `help` asks what this is;
 * undefined is an ordinary text. The keyword must be the whole text, in capitals or not.
 */
export function readKeyword(text: string): Keyword | undefined {
  return WORDS.get(text.trim().toUpperCase())
}
