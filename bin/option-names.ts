/** What a person wrote for the field that a refusal begins with: its text is also that of `/v1` and of the console. */
const OPTIONS: Readonly<Record<string, string>> = {
  allowedCountries: '--countries',
  clientRef: '--client-ref',
  expiresAt: '--expires-at',
  expiresInDays: '--expires-in-days',
  mediaUrl: '--media-url',
  mediaUrls: '--media-url',
  messagesPerMinute: '--per-minute',
  messagesPerNumberPerMinute: '--per-number',
  // An option of some commands, and an argument of others. All call the value so.
  optInEvents: 'types',
  overlapSeconds: '--overlap',
  sendAt: '--send-at',
}

// Further on, the same word may be part of a template that a person is to write, or of what a carrier said. An option
// that is repeated has no index.
const FIELD = new RegExp(`^(${Object.keys(OPTIONS).join('|')})\\b(?:\\[\\d+\\])?`)

/** Refusals that do not begin with a field, or of which more than its name differs. */
const SENTENCES: Readonly<Record<string, string>> = {
  "An operational webhook has no optInEvents. It gets its user's notifications":
    "An operational webhook takes no --events. It gets its user's notifications",
  'Give at least one field of the policy': 'Give at least one --set, such as --set retrySchedule=short',
  'Give at least one of name, url and optInEvents': 'Give at least one of --name, --url and --events',
  'Give text, mediaUrl or both': 'Give --text, --media-url or both',
  'Provided toNumber phone number cannot be parsed': 'Provided --to phone number cannot be parsed',
  'The country of toNumber does not allow names as senders. Send from a number':
    'The country of --to does not allow names as senders. Send from a number',
  'expiresAt must be later than sendAt': '--expires-at must be later than --send-at',
  'optInEvents needs an outgoing webhook URL (outgoingWebhookUrl). Give one too':
    'The line has no outgoing webhook URL. Set one first, with `linehook connection set-url`',
  'No such API token': 'No such API token. See `linehook token list`',
  'No such endpoint': 'No such endpoint. See `linehook endpoint list`',
  'No such line': 'No such line. See `linehook line list`',
  'No such task': 'No such task. See `linehook task list`',
}

/** Returns a refusal in the words of the command line: with its options, and the command that lists what there is. */
export function inOptions(refusal: string): string {
  return SENTENCES[refusal] ?? refusal.replace(FIELD, (whole, field: string) => OPTIONS[field] ?? whole)
}
