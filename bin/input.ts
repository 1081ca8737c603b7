import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { UserError } from '../src/errors.js'

/**
 * Reads values that should not stand in a command. A person is asked for each, and what they type is not shown. A
 * pipe or a file has the whole value, or, for several keys, a line for each in their order.
 *
 * @param about a sentence for a person, by key
 * @throws UserError if the input does not fit the keys
 */
export async function readInput(
  keys: readonly string[],
  about: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  if (keys.length === 0) return {}
  return process.stdin.isTTY ? askPerson(keys, about) : splitInput(keys, await buffer(process.stdin))
}

async function askPerson(
  keys: readonly string[],
  about: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const { stdin, stderr } = process
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done()
    },
  })
  const input = createInterface({ input: stdin, output: nowhere, terminal: true })
  const lines = input[Symbol.asyncIterator]()
  try {
    const values: Record<string, string> = {}
    for (const key of keys) {
      stderr.write(`${about[key] === undefined ? '' : `${about[key]}\n`}${key}: `)
      const line = await lines.next()
      stderr.write('\n')
      if (line.done === true) throw new UserError(`No value was given for ${key}`)
      values[key] = line.value
    }
    return values
  } finally {
    input.close()
  }
}

/**
 * Splits what a pipe or a file contains into the values.
 *
 * @throws UserError
 */
export function splitInput(keys: readonly string[], bytes: Uint8Array): Record<string, string> {
  const text = decode(bytes)
  const [key = ''] = keys
  if (text === '') throw new UserError(`Standard input is empty. It must contain the value of ${key}`)
  const whole = text.replace(/\r?\n$/, '')
  if (keys.length === 1) return { [key]: whole }
  const lines = whole.split(/\r?\n/)
  const missing = keys[lines.length]
  if (missing !== undefined) {
    throw new UserError(
      `Standard input has no line for ${missing}. Give one line for each of ${keys.join(', ')}`,
    )
  }
  if (lines.length > keys.length) {
    throw new UserError(
      `Standard input has ${lines.length} lines for ${keys.length} values. Give one line for each of ${keys.join(', ')}; ` +
        'a value of several lines must be the only one read from it',
    )
  }
  return Object.fromEntries(keys.map((each, n) => [each, lines[n] ?? '']))
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UserError('Standard input must be text in UTF-8')
  }
}
