/** The options that stand for fields. Refusals name the field, because `/v1` and the console show the same sentences. */
const OPTIONS: Readonly<Record<string, string>> = {
  allowedCountries: '--countries',
  clientRef: '--client-ref',
  expiresAt: '--expires-at',
  expiresInDays: '--expires-in-days',
  mediaUrl: '--media-url',
  mediaUrls: '--media-url',
  messagesPerMinute: '--per-minute',
  messagesPerNumberPerMinute: '--per-number',
  // This is an option of some commands and an argument of others, and `types` is its name in all of them.
  optInEvents: 'types',
  overlapSeconds: '--overlap',
  sendAt: '--send-at',
}

// Only the first word is replaced: further on, it may be part of a template to copy, or of a carrier's own words. A
// repeated option has no index.
const FIELD = new RegExp(`^(${Object.keys(OPTIONS).join('|')})\\b(?:\\[\\d+\\])?`)

/** Refusals for which replacing the first word is not enough. */
const SENTENCES: Readonly<Record<string, string>> = {
  "An operational webhook has no optInEvents. It gets its user's notifications":
    "An operational webhook takes no --events. It gets its user's notifications",
  'Give at least one field of the policy': 'Give at least one --set, such as --set retrySchedule=short',
  'Give at least one of name, url and optInEvents': 'Give at least one of --name, --url and --events',
  'Give text, mediaUrl or both': 'Give --text, --media-url or both',
  'Provided toNumber phone number cannot be parsed': 'The phone number in --to cannot be parsed',
  'The country of toNumber does not allow names as senders. Send from a number':
    'The country of the number in --to does not allow names as senders. Send from a number',
  'expiresAt must be later than sendAt': '--expires-at must be later than --send-at',
  'optInEvents needs an outgoing webhook URL (outgoingWebhookUrl). Give one too':
    'The line has no outgoing webhook URL. Set one first, with `linehook connection set-url`',
  'No such API token': 'No such API token. See `linehook token list`',
  'No such endpoint': 'No such endpoint. See `linehook endpoint list`',
  'No such line': 'No such line. See `linehook line list`',
  'No such task': 'No such task. See `linehook task list`',
}

/** Returns a refusal as the command line says it: with its options, or with the command that lists what exists. */
export function inOptions(refusal: string): string {
  return SENTENCES[refusal] ?? refusal.replace(FIELD, (whole, field: string) => OPTIONS[field] ?? whole)
}
