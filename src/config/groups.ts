import { readLogo, type Logo } from './brand-logo.js'
import { ConfigInvalid } from './invalid.js'
import { splitList } from './kinds.js'
import { withoutEnding } from '../without-ending.js'

/** Settings that belong together, as they were given. */
type Given<Name extends string> = { [Key in Name]?: string | undefined }

/** The name and the look of the service. */
export interface Brand {
  name: string
  /** True if the operator chose the name. */
  isOwnName: boolean
  logo: Logo | undefined
  /** A colour as #rrggbb. */
  color: string | undefined
  supportUrl: string | undefined
}

export function readBrand(value: Given<'BRAND_NAME' | 'BRAND_LOGO' | 'BRAND_COLOR' | 'SUPPORT_URL'>): Brand {
  const { BRAND_NAME: name, BRAND_LOGO: path, BRAND_COLOR: color, SUPPORT_URL: supportUrl } = value
  const logo = path === undefined ? undefined : readLogo(path)
  // readLogo found it a moment ago.
  if (logo !== undefined && 'fault' in logo) throw new ConfigInvalid([`BRAND_LOGO ${logo.fault}`])
  return {
    name: name ?? 'Linehook',
    isOwnName: name !== undefined,
    logo,
    color: color === undefined ? undefined : `#${color.replace('#', '').toLowerCase()}`,
    supportUrl,
  }
}

/**
 * @returns undefined if Redis is where REDIS_URL points
 * @throws ConfigInvalid for a password without sentinels, or without a name
 */
export function readSentinels(
  value: { REDIS_URL: string } & Given<'REDIS_SENTINELS' | 'REDIS_SENTINEL_PASSWORD'>,
) {
  const { REDIS_URL: url, REDIS_SENTINELS: given, REDIS_SENTINEL_PASSWORD: password } = value
  if (given === undefined) {
    if (password === undefined) return undefined
    throw new ConfigInvalid(['REDIS_SENTINEL_PASSWORD needs REDIS_SENTINELS. Set both'])
  }
  if (new URL(url).hostname === '') {
    throw new ConfigInvalid(["REDIS_URL must contain the master's name instead of a host"])
  }
  const addresses = splitList(given).map((address) => {
    const { hostname, port } = new URL(`redis://${address}`)
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
  })
  return { addresses, password }
}

/** @returns undefined if nothing is traced */
export function readCollector(
  value: Given<'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS'> & {
    OTEL_TRACES_SAMPLER_ARG: number
  },
) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = value
  if (endpoint === undefined) return undefined
  const pairs = splitList(headers).map((pair): [string, string] => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))]
  })
  return {
    endpoint: withoutEnding(endpoint, '/'),
    headers: Object.fromEntries(pairs),
    share: value.OTEL_TRACES_SAMPLER_ARG,
  }
}

/**
 * @returns undefined if media are kept in the folder
 * @throws ConfigInvalid if only half of a key is given
 */
export function readBucket(
  value: { MEDIA_S3_REGION: string } & Given<
    'MEDIA_S3_BUCKET' | 'MEDIA_S3_ENDPOINT' | 'MEDIA_S3_ACCESS_KEY_ID' | 'MEDIA_S3_SECRET_ACCESS_KEY'
  >,
) {
  if (value.MEDIA_S3_BUCKET === undefined) return undefined
  const { MEDIA_S3_ACCESS_KEY_ID: accessKeyId, MEDIA_S3_SECRET_ACCESS_KEY: secretAccessKey } = value
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new ConfigInvalid(['MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY must be set together'])
  }
  return {
    bucket: value.MEDIA_S3_BUCKET,
    region: value.MEDIA_S3_REGION,
    endpoint: value.MEDIA_S3_ENDPOINT,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { accessKeyId, secretAccessKey },
  }
}

/**
 * @returns undefined if no mail is sent
 * @throws ConfigInvalid for one setting without the other
 */
export function readSmtp({
  SMTP_URL: url,
  MAIL_FROM: from,
  BRAND_NAME: name,
}: Given<'SMTP_URL' | 'MAIL_FROM' | 'BRAND_NAME'>) {
  if (url !== undefined && from !== undefined) return { url, from, name }
  if (url === undefined && from === undefined) return undefined
  throw new ConfigInvalid(['SMTP_URL and MAIL_FROM must be set together'])
}
