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

/** It is refused with this status, and where a text is given with that text. */
export async function expectRefusal(
  refused: Promise<unknown>,
  status: number,
  message?: string,
): Promise<void> {
  const how = await refusal(refused)
  expect(how).to.deep.equal({ status, message: message ?? how.message })
}
