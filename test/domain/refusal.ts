import { expect } from 'chai'
import { UserError } from '../../src/errors.js'

/** The status and text with which something is refused. Anything but a UserError is a fault of ours. */
export async function refusal(refused: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await refused
  } catch (error) {
    if (error instanceof UserError) return { status: error.status, message: error.message }
    throw error
  }
  throw new Error('it was not refused')
}

/** It is refused with this status, and where a text or a pattern is given with a text like that. */
export async function expectRefusal(
  refused: Promise<unknown>,
  status: number,
  message?: string | RegExp,
  what?: string,
): Promise<void> {
  const how = await refusal(refused)
  if (message instanceof RegExp) expect(how.message, what).to.match(message)
  expect(how, what).to.deep.equal({ status, message: typeof message === 'string' ? message : how.message })
}
