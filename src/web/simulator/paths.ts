/** The phones on the screen are in the URL and nowhere else. */
export function pagePath(phones: readonly string[]): string {
  return withPhones('/simulator', phones)
}

export function livePath(phones: readonly string[]): string {
  return withPhones('/simulator/live', phones)
}

/** The path that a phone's form goes to. */
export function messagesPath(phone: string): string {
  return `/simulator/phones/${digitsOf(phone)}/messages`
}

export function voicemailsPath(phone: string): string {
  return `/simulator/phones/${digitsOf(phone)}/voicemails`
}

export function withPhones(path: string, phones: readonly string[]): string {
  const query = phones.map((phone) => `phone=${encodeURIComponent(phone)}`).join('&')
  return query === '' ? path : `${path}?${query}`
}

/** Returns the digits for ids of elements and for paths, in which a plus sign is trouble. */
export function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '')
}
