/**
 * Makes something when it is first requested. Callers that ask in the meantime get the same one. If making it fails,
 * the next caller tries again.
 */
export function onFirstUse<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
}
