/**
 * A request that cannot be done for a reason that its sender can fix. `message` names the field or thing and the fix.
 * It is shown unchanged: by the API as a problem's detail, by the command line as its last line.
 */
export class UserError extends Error {
  override name = 'UserError'

  constructor(
    message: string,
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 422 | 429 | 431 = 400,
    /** The seconds until the same request may succeed, if they are known. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message)
  }
}

/** A link that works once has expired, was used, or was never one of ours. The answer does not say which. */
export class LinkExpired extends UserError {
  override name = 'LinkExpired'

  constructor() {
    super('This link has expired or was already used. Get a new one where you got it', 404)
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
 * It is unknown whether the request was done: the carrier or server that was asked did not answer, and no other source
 * can tell. Without an `Idempotency-Key` a repeat may do it twice, so no answer says when to try again.
 */
export class OutcomeUnknown extends Unavailable {
  override name = 'OutcomeUnknown'

  /** @param sentence what is unknown, and what its sender can do */
  constructor(
    cause: unknown,
    sentence = 'It is unknown whether the message was accepted. Repeat the request only with the same Idempotency-Key',
  ) {
    super(sentence, 0, { cause })
  }
}

/** True if an error has one of these codes, as the errors of Node and of the system do. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && codes.includes(code)
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Returns a refusal, so that it is shown next to the request that caused it; throws anything else again. */
export function refusalOf(error: unknown): UserError {
  if (error instanceof UserError) return error
  throw error
}
