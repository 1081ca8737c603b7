import { readConfig } from '../src/config.js'
import { createApiToken } from '../src/domain/people/api-tokens.js'
import { addCarrierAccount } from '../src/domain/carriers/carrier-accounts.js'
import { setRoutes } from '../src/domain/lines/routes.js'
import { createContext } from '../src/domain/open-context.js'
import { whenReady } from '../src/kit/redis/redis.js'
import { ACCOUNT_SID, AUTH_TOKEN } from '../test/carriers/twilio/stand-in.js'
import type { Environment } from '../test/helpers/process/environment.js'
import { createLine, type TestLine } from '../test/helpers/factories.js'
import { until } from '../test/helpers/until.js'
import type { Outside } from './outside.js'

const WIDE = { messagesPerNumberPerMinute: 100_000, messagesPerMinute: 100_000 }

/** What is in an installation before anyone uses it. */
export interface Seeds {
  /** Lines with limits that nobody comes near. Each has another receiver. */
  lines: TestLine[]
  /** The line at the SMSC, if there is one. */
  smppLine: TestLine | undefined
  /** The line with the usual limits. */
  limited: TestLine
  /** An API token. */
  token: string
  /** The URL of the carrier's callbacks for messages that come in. */
  callbackUrl: string
}

export async function seed(
  environment: Environment,
  {
    carrierUrl,
    receiverUrls,
    smsc,
    telnyx,
  }: Pick<Outside, 'carrierUrl' | 'receiverUrls' | 'smsc' | 'telnyx'>,
): Promise<Seeds> {
  const context = createContext(readConfig(environment), { process: 'chaos', statementTimeoutMs: 60_000 })
  try {
    await whenReady(context.redis)
    // On a busy machine the first connection may take longer than `web` would wait for it.
    await until('Postgres answers', () => context.db.raw('select 1').then(() => true), 60_000)
    const account = await addCarrierAccount(context, {
      name: 'carrier',
      kind: 'twilio',
      settings: { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN, apiUrl: carrierUrl },
      messagesPerSecondPerLine: null,
    })
    const limited = await createLine(context, { carrierAccount: 'carrier' })
    const { userId } = limited
    const lines: TestLine[] = []
    for (const outgoingUrl of receiverUrls) {
      lines.push(await createLine(context, { ...WIDE, userId, carrierAccount: 'carrier', outgoingUrl }))
    }
    if (telnyx) {
      const apiUrl = `http://127.0.0.1:${telnyx.proxy.port}/v2`
      const { apiKey, publicKey } = telnyx.credentials
      await addCarrierAccount(context, {
        name: 'first',
        kind: 'telnyx',
        settings: { apiKey, publicKey, apiUrl },
      })
      for (const { lineId: id } of [limited, ...lines]) {
        await setRoutes(context, { userId, id }, [{ carrier: 'first' }])
      }
    }
    let smppLine: TestLine | undefined
    if (smsc) {
      const settings = { host: '127.0.0.1', port: smsc.port, systemId: 'linehook' }
      await addCarrierAccount(context, { name: 'smsc', kind: 'smpp', settings })
      const outgoingUrl = receiverUrls.at(-1) ?? ''
      smppLine = await createLine(context, { ...WIDE, userId, carrierAccount: 'smsc', outgoingUrl })
    }
    return {
      lines,
      smppLine,
      limited,
      token: (await createApiToken(context, userId, 'chaos')).token,
      callbackUrl: `${context.config.publicUrl}/carriers/twilio/${account.id}/message`,
    }
  } finally {
    await context.close()
  }
}
