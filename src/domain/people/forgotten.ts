import { FORGOTTEN } from '../../database/people/forgotten.js'
import { UserError } from '../../errors.js'

/** @throws UserError 409 if the number is that of a person who was forgotten, so that nothing can be sent again */
export function requireRemembered(number: string | null): void {
  if (number === FORGOTTEN) {
    throw new UserError("This person's data was erased, so there is nothing left to send", 409)
  }
}
