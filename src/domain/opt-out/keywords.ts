export type Keyword = 'stop' | 'start' | 'help'

const WORDS = new Map<string, Keyword>([
  ...['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'].map(
    (word) => [word, 'stop'] as const,
  ),
  ...['START', 'UNSTOP'].map((word) => [word, 'start'] as const),
  ...['HELP', 'INFO'].map((word) => [word, 'help'] as const),
])

/**
 * What a text says about being written to: `stop` opts its sender out of the line, `start` back in, `help` asks what
 * this is; undefined is an ordinary text. Only the whole body counts, in any case (reliability, Security: SMS).
 */
export function readKeyword(text: string): Keyword | undefined {
  return WORDS.get(text.trim().toUpperCase())
}
