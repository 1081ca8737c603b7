/**
 * Makes something when it is first asked for. Those who ask meanwhile get the same one. If making it fails, the next
 * who asks tries again.
 */
export function onFirstUse<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
}
