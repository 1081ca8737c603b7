import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { isWeakPassword } from '../../weak-password.js'

/** Its dictionaries take 11 MB and an eighth of a second to load, so only who sets a password imports this file. */
const judge = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

/** How many guesses it takes: a hundred million and more are not made through a sign-in that is throttled. */
const MIN_GUESSES_LOG10 = 8

/** The estimate's time grows faster than the length: 256 characters can take a third of a second, 64 some 30 ms. */
const MAX_JUDGED = 64

/**
 * Whether a password is among those that are tried first: the commonest 49,000 and what people make of them, runs on the
 * keyboard, repeats, and whatever hangs on the name of this product or on the user's own e-mail address.
 *
 * @param email whose password it is to be
 */
export function isGuessable(password: string, email = ''): boolean {
  if (isWeakPassword(password)) return true
  const own = [...email.split('@'), ...email.split(/[@.+_-]/)].filter((part) => part.length > 2)
  const judged = Array.from(password).slice(0, MAX_JUDGED).join('')
  const { guessesLog10 } = judge.check(judged, ['linehook', email, ...own])
  return guessesLog10 < MIN_GUESSES_LOG10
}
