/** How each field is written in a form or in a command. What is wrong stays wrong, for `readPolicyFields` to refuse. */
const PARSERS: Partial<Record<string, (text: string) => unknown>> = {
  retrySchedule: (text) => (/^[\d\s,]+$/.test(text) ? splitList(text).map(Number) : text),
  retryOnTimeout: parseFlag,
  timeoutSeconds: Number,
  requestsAtOnce: Number,
  declinedEvents: splitList,
}

/** The fields of a policy, as a person writes them; an empty one stands for the default. */
export function parsePolicyText(fields: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, text]) => {
      const parse = Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined
      return [name, text.trim() === '' ? null : (parse?.(text.trim()) ?? text)]
    }),
  )
}

function parseFlag(text: string): unknown {
  return text === 'true' ? true : text === 'false' ? false : text
}

function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter((each) => each !== '')
}
