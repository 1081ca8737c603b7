import type { ListenTools } from '../../../carriers/listening.js'
import { findTriedSecret, noteTriedSecret } from '../../../database/carriers/carrier-sessions.js'
import { placeOf } from '../../../database/operating/sealed-columns.js'
import { SecretUnreadable } from '../../../secrets.js'
import type { Context } from '../../context.js'

/** Makes the tools that keep an account from trying a secret twice in vain, whichever process does it. */
export function triedSecretTools(
  { db, secrets }: Pick<Context, 'db' | 'secrets'>,
  accountId: string,
): Pick<ListenTools, 'tryOnce' | 'forgetTried'> {
  const place = placeOf('triedSecret', accountId)
  return {
    tryOnce: async (secret) => {
      const sealed = await findTriedSecret(db, accountId)
      if (sealed !== undefined) {
        try {
          if (secrets.open(sealed, place) === secret) return false
        } catch (error) {
          // We cannot tell which secret it was, so none is tried.
          if (error instanceof SecretUnreadable) return false
          throw error
        }
      }
      await noteTriedSecret(db, accountId, secrets.seal(secret, place))
      return true
    },
    forgetTried: () => noteTriedSecret(db, accountId, null),
  }
}
