import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { UserError } from '../src/errors.js'

/**
 * Reads values that should not stand in a command. A person is asked for each, and what they type is not shown. A
 * pipe or a file has a line for each, in the order of the keys.
 *
 * @param about a sentence for a person, by key
 * @throws UserError if there are fewer lines than keys
 */
export async function readInput(
  keys: readonly string[],
  about: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  if (keys.length === 0) return {}
  const { stdin, stderr } = process
  const isPerson = stdin.isTTY
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done()
    },
  })
  const input = createInterface({ input: stdin, output: nowhere, terminal: isPerson })
  const lines = input[Symbol.asyncIterator]()
  try {
    const values: Record<string, string> = {}
    for (const key of keys) {
      if (isPerson) stderr.write(`${about[key] === undefined ? '' : `${about[key]}\n`}${key}: `)
      const line = await lines.next()
      if (isPerson) stderr.write('\n')
      if (line.done === true)
        throw new UserError(`Standard input has no line for ${key}. Give one line for each key=-`)
      values[key] = line.value
    }
    return values
  } finally {
    input.close()
  }
}
