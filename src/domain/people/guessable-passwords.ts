import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { isWeakPassword } from '../../weak-password.js'

/** Its dictionaries take 11 MB and an eighth of a second to load, so this file is imported only to set a password. */
const judge = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

/** How many guesses a password must withstand: a throttled sign-in does not allow a hundred million or more. */
const MIN_GUESSES_LOG10 = 8

/** The estimate's time grows faster than the length: 256 characters can take a third of a second, 64 about 30 ms. */
const MAX_JUDGED = 64

/**
 * True if a password is among those that attackers try first: the 49,000 most common ones and their variations, runs on
 * the keyboard, repeats, and anything based on the name of this product or the user's own email address.
 *
 * @param email the user's address
 */
export function isGuessable(password: string, email = ''): boolean {
  if (isWeakPassword(password)) return true
  const own = [...email.split('@'), ...email.split(/[@.+_-]/)].filter((part) => part.length > 2)
  const judged = Array.from(password).slice(0, MAX_JUDGED).join('')
  const { guessesLog10 } = judge.check(judged, ['linehook', email, ...own])
  return guessesLog10 < MIN_GUESSES_LOG10
}
