import ipaddr from 'ipaddr.js'
import type { Config } from './config.js'

/**
 * The network that counts as one person. An IPv6 customer has at least a /64, so all of its addresses count as one.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString()
}

/** Some proxies write the client's port too: `192.0.2.1:50123`, `[2001:db8::1]:443`. Each connection has another port. */
export function withoutPort(address: string): string {
  const [, v4, v6] = /^(?:([\d.]+)|\[([^\]]+)\])(?::\d+)?$/.exec(address) ?? []
  return v4 ?? v6 ?? address
}

/** True if a host, as URLs and Host headers name it, can only be this machine (RFC 6761 §6.3). */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (ipaddr.isValid(name)) return ipaddr.process(name).range() === 'loopback'
  return /^(.+\.)?localhost\.?$/.test(name)
}

/**
 * True if only programs and people on this machine can reach `web`: neither a network nor a proxy is in front of it.
 */
export function isForThisMachineOnly(
  config: Pick<Config, 'host' | 'publicUrl' | 'trustedProxyHops'>,
): boolean {
  return (
    isLoopback(config.host) && isLoopback(new URL(config.publicUrl).hostname) && config.trustedProxyHops === 0
  )
}

/**
 * True if PUBLIC_URL is https and no proxy is configured. There must be a proxy then, because the service does not
 * speak TLS.
 */
export function isProxyUntold({
  publicUrl,
  trustedProxyHops,
}: Pick<Config, 'publicUrl' | 'trustedProxyHops'>): boolean {
  return publicUrl.toLowerCase().startsWith('https:') && trustedProxyHops === 0
}
