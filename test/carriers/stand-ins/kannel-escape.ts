/** What the escape codes of a get-url or a dlr-url are filled from. */
export interface KannelMessage {
  /** As bytes: UTF-8, or UTF-16BE where `coding` is 2. */
  data: Buffer
  coding: 0 | 2
  /** Set only where Kannel has recoded the text itself. */
  charset: string | undefined
  /** Whose phone it is: who wrote a received message, whom a receipt is about. */
  phone: string
  /** The number on Kannel's side. */
  service: string
  id: string
  smscId: string
  /** Of the sms-service or sendsms-user. */
  name: string
  /** -1 in a received message. */
  dlrType: number
  dlrUrl: string
  foreignId: string
  billing: string
  date: Date
}

/** Letters, digits and -_.!~*'() stay, a space becomes +, every other byte %XX: `octstr_url_encode` of gwlib/octstr.c. */
export function urlEncode(bytes: Buffer | string): string {
  let text = ''
  for (const byte of Buffer.from(bytes)) {
    const character = String.fromCharCode(byte)
    if (byte === 0x20) text += '+'
    else if (/[0-9A-Za-z\-_.!~*'()]/.test(character)) text += character
    else text += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}

/** Bytes between white space. In UTF-16BE too, where that cuts characters apart: Kannel does the same. */
function words(data: Buffer): Buffer[] {
  return data
    .toString('latin1')
    .split(/[ \t\n\v\f\r]+/)
    .filter((word) => word !== '')
    .map((word) => Buffer.from(word, 'latin1'))
}

/**
 * `urltrans_fill_escape_codes` of gw/urltrans.c, told again; the guide's list is at
 * https://www.kannel.org/download/kannel-userguide-snapshot/userguide.html (its %t has no seconds, the source has).
 */
export function fillEscapeCodes(pattern: string, message: KannelMessage): string {
  const all = words(message.data)
  let next = 1
  const iso = message.date.toISOString()
  const values: Readonly<Record<string, () => string>> = {
    a: () => all.map(urlEncode).join('+'),
    A: () => urlEncode(message.data),
    b: () => urlEncode(message.data),
    B: () => urlEncode(message.billing),
    c: () => String(message.coding),
    C: () => message.charset ?? (message.coding === 2 ? 'UTF-16BE' : 'UTF-8'),
    d: () => String(message.dlrType),
    D: () => '',
    f: () => '',
    F: () => urlEncode(message.foreignId),
    i: () => urlEncode(message.smscId),
    I: () => message.id,
    k: () => urlEncode(all[0] ?? ''),
    m: () => '-1',
    M: () => '-1',
    n: () => urlEncode(message.name),
    o: () => '',
    O: () => (message.coding === 2 ? '08' : '00'),
    p: () => urlEncode(message.phone),
    P: () => urlEncode(message.service),
    q: () => urlEncode(message.phone.replace(/^00/, '+')),
    Q: () => urlEncode(message.service.replace(/^00/, '+')),
    r: () => all.slice(next).map(urlEncode).join('+'),
    R: () => urlEncode(message.dlrUrl),
    s: () => urlEncode(all[next++] ?? ''),
    S: () => (all[next++] ?? Buffer.alloc(0)).toString('latin1').replaceAll('*', '~'),
    t: () => `${iso.slice(0, 10)}+${iso.slice(11, 19)}`,
    T: () => String(Math.floor(message.date.getTime() / 1_000)),
    u: () => '',
    v: () => '',
    V: () => '',
    '%': () => '%',
  }
  // An unknown code stays as it is, so %20 and %3A live, but not %C3 or %A4: those are %C and %A with a digit behind.
  return pattern.replace(/%([^])/g, (whole, code: string) => values[code]?.() ?? whole)
}
