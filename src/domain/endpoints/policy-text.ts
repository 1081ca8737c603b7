/**
 * The parser of each field, for values in a form or in a command. An invalid value stays invalid, for
 * `readPolicyFields` to refuse.
 */
const PARSERS: Partial<Record<string, (text: string) => unknown>> = {
  retrySchedule: (text) => (/^[\d\s,]+$/.test(text) ? splitList(text).map(Number) : text),
  retryOnTimeout: parseFlag,
  timeoutSeconds: Number,
  requestsAtOnce: Number,
  ordered: parseFlag,
  declinedEvents: splitList,
}

const HEADER = 'headers.'

/**
 * Reads the fields of a policy as a person writes them; an empty one means the default. Each header is a field,
 * `headers.` and its name; an empty one is removed.
 */
export function parsePolicyText(fields: Record<string, string>): Record<string, unknown> {
  const parsed = Object.entries(fields).map(([name, text]): [string, unknown] => {
    const parse = Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined
    return [name, text.trim() === '' ? null : (parse?.(text.trim()) ?? text)]
  })
  const headers = parsed.filter(([name]) => name.startsWith(HEADER))
  return Object.fromEntries([
    ...parsed.filter(([name]) => !name.startsWith(HEADER)),
    ...(headers.length === 0
      ? []
      : [
          ['headers', Object.fromEntries(headers.map(([name, value]) => [name.slice(HEADER.length), value]))],
        ]),
  ]) as Record<string, unknown>
}

function parseFlag(text: string): unknown {
  return text === 'true' ? true : text === 'false' ? false : text
}

function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter((each) => each !== '')
}
