/** Words that people start with before they add a year. */
const COMMON =
  /password|passwort|passw|secret|geheim|admin|operator|linehook|queues?|dashboard|letmein|welcome|changeme|default|qwerty|qwertz|azerty|iloveyou|monkey|dragon|test|guest|root|login/g
const KEYBOARD = ['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const LEET: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
}

const MIN_LEFT = 5

/**
 * True if a password of enough characters can still be guessed soon: `aaaaaaaaaaaa`, `123456789012`, `password2026`.
 * What is left without common words, runs and repeats must have 5 different characters. It is meant for passwords
 * that an operator chooses once; it asks for no kinds of characters, because such rules make no password better (NIST
 * SP 800-63B).
 */
export function isWeakPassword(password: string): boolean {
  const plain = password.toLowerCase()
  // The plain form is as long as the password, so a common word found in one is at the same place in the other.
  const spelled = plain.replace(/[013457@$]/g, (sign) => LEET[sign] ?? sign)
  const marked = spelled.replace(COMMON, (word) => '\0'.repeat(word.length))
  const left = Array.from({ length: plain.length }, (_, index) =>
    marked[index] === '\0' ? '' : plain[index],
  )
  return new Set(withoutRuns(left.join(''))).size < MIN_LEFT
}

/**
 * Removes each character that follows the one before it on a keyboard, in the alphabet or in counting, in either
 * direction.
 */
function withoutRuns(text: string): string[] {
  const rows = [...KEYBOARD, ...KEYBOARD.map((row) => Array.from(row).reverse().join(''))]
  const isRun = (pair: string) => pair[0] === pair[1] || rows.some((row) => row.includes(pair))
  return Array.from(text).filter((_, index) => index === 0 || !isRun(text.slice(index - 1, index + 1)))
}
