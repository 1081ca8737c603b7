import ipaddr from 'ipaddr.js'
import type { Config } from '../../../config.js'

/** The site that a passkey is for, which browsers compare with their page's. */
export function relyingPartyOf({ config }: { config: Pick<Config, 'publicUrl'> }): {
  id: string
  origin: string
} {
  const { hostname, origin } = new URL(config.publicUrl)
  return { id: hostname, origin }
}

/**
 * Browsers support passkeys only for https and for this machine, and for names, not for addresses (WebAuthn §5.1.3).
 */
export function canHavePasskeys({ config }: { config: Pick<Config, 'publicUrl'> }): boolean {
  const { protocol, hostname } = new URL(config.publicUrl)
  const isAddress = ipaddr.isValid(hostname.replace(/^\[|\]$/g, ''))
  return !isAddress && (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'))
}
