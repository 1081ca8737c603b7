import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { SafeFetch } from '../../src/safe-fetch.js'
import { warning, type Finding } from './check.js'
import { PATIENCE_MS } from './subject.js'

const DAY_MS = 86_400_000
/** Certificates are usually renewed automatically a month before they end. */
const RENEWED_BY_DAYS = 14

/** @returns undefined if nothing is wrong with it */
export async function judgeCertificate(url: URL, door: SafeFetch): Promise<Finding | undefined> {
  if (url.protocol !== 'https:') return undefined
  return judgeCertificateEnd(url.host, await readCertificateEnd(url, door), new Date())
}

export function judgeCertificateEnd(host: string, endsAt: Date, now: Date): Finding | undefined {
  const days = Math.floor((endsAt.getTime() - now.getTime()) / DAY_MS)
  if (days >= RENEWED_BY_DAYS) return undefined
  const left = days === 1 ? '1 day' : `${days} days`
  return warning(
    `The certificate of ${host} expires in ${left}, on ${endsAt.toISOString().slice(0, 10)}.`,
    'Renew it, and check why it was not renewed automatically.',
  )
}

/** The guarded client has already judged the certificate. This only reads when it ends, and sends nothing. */
export async function readCertificateEnd(url: URL, door: SafeFetch): Promise<Date> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const [address] = await door.resolve(host, PATIENCE_MS)
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: address?.address,
      port: Number(url.port) || 443,
      servername: isIP(host) === 0 ? host : '',
      rejectUnauthorized: false,
    })
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('the server sent no certificate')))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      resolve(new Date(socket.getPeerCertificate().valid_to))
      socket.destroy()
    })
  })
}
