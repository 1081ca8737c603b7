/**
 * A request that cannot be done for a reason that its sender can mend. `message` names the field or thing and the fix. It
 * is shown as it is: by the API as a problem's detail, by the command line as its last line.
 */
export class UserError extends Error {
  override name = 'UserError'

  constructor(
    message: string,
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 422 | 429 | 431 = 400,
    /** When the same request may be done, if that is known. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message)
  }
}

/** Something we need (Postgres, Redis, room in the queue) is not there now; the same request may work later. */
export class Unavailable extends Error {
  override name = 'Unavailable'

  constructor(
    message: string,
    readonly retryAfterSeconds = 5,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/**
 * Nobody can say whether the request was done: whoever was asked to do it gave no answer, and nor does anybody who would know.
 * Without an `Idempotency-Key` a repeat may do it twice, so nobody is told when to come again.
 */
export class OutcomeUnknown extends Unavailable {
  override name = 'OutcomeUnknown'

  constructor(cause: unknown) {
    super(
      'It is not known whether the message was accepted: repeat the request only with the Idempotency-Key that it had',
      0,
      { cause },
    )
  }
}

/** Whether an error has one of these codes, as those of Node and of the system have. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && codes.includes(code)
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** A refusal that is shown where it was asked for; anything else goes on as it was thrown. */
export function refusalOf(error: unknown): UserError {
  if (error instanceof UserError) return error
  throw error
}
