/** What a promise was rejected with, which must be an Error. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  let value: unknown
  try {
    value = await promise
  } catch (error) {
    if (error instanceof Error) return error
    throw new Error('rejected with something that is not an Error', { cause: error })
  }
  throw new Error(`it should have failed, and gave ${JSON.stringify(value)}`)
}
