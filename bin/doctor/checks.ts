import { bucket } from './bucket.js'
import type { Check } from './check.js'
import { clocks } from './clocks.js'
import { configuration } from './configuration.js'
import { disks } from './disks.js'
import { encryption } from './encryption.js'
import { mail } from './mail.js'
import { node } from './node.js'
import { permissions } from './permissions.js'
import { postgres } from './postgres.js'
import { publicUrl } from './public-url.js'
import { redisAof, redisPolicy, redisServer, redisSharing } from './redis.js'
import { migrations, partitions, sealedSecrets } from './schema.js'

/** The checks in the order in which they are shown; each comes after those that it needs. */
export const CHECKS: readonly Check[] = [
  configuration,
  node,
  permissions,
  encryption,
  postgres,
  migrations,
  partitions,
  sealedSecrets,
  redisServer,
  redisPolicy,
  redisAof,
  redisSharing,
  clocks,
  disks,
  bucket,
  publicUrl,
  mail,
]
