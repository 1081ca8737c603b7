import { readFile } from 'node:fs/promises'
import { format, type FormatConfig } from 'oxfmt'

/** Formats a generated text as `npm run format` does. @throws Error with the text's first fault */
export async function formatAsProject(path: string, text: string): Promise<string> {
  const config = JSON.parse(await readFile('.oxfmtrc.json', 'utf8')) as FormatConfig
  const { code, errors } = await format(path, text, config)
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`)
  return code
}
