import { mayNeedLanguage, type AccountTable } from '../../kit/text/segments.js'
import type { Context } from '../context.js'

/**
 * Returns the languages whose tables the account may use for this text. They are looked up only if they make a
 * difference.
 */
export async function languagesFor(
  { batched }: Pick<Context, 'batched'>,
  carrierAccount: string,
  text: string,
): Promise<readonly AccountTable[]> {
  return mayNeedLanguage(text) ? batched.findLanguages(carrierAccount) : []
}
