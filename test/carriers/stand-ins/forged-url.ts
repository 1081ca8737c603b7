import type { Forgery } from './stand-in.js'

/**
 * Where somebody else would call who does not know the secret in the URL, or only guesses one. It is for providers whose
 * requests have nothing but that URL to show whose they are.
 */
export function forgedUrl(url: string, forgery: Forgery | undefined): string {
  if (forgery !== 'unsigned' && forgery !== 'wrong-secret') return url
  const forged = new URL(url)
  forged.searchParams.delete('key')
  if (forgery === 'wrong-secret') forged.searchParams.set('key', 'another-secret-of-many-letters')
  return forged.href
}
