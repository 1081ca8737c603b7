import { addCarrierAccount } from '../src/domain/carrier-accounts.js'
import { createApiToken } from '../src/domain/api-tokens.js'
import { readConfig } from '../src/config.js'
import { createContext } from '../src/domain/context.js'
import { whenReady } from '../src/redis.js'
import { ACCOUNT_SID, AUTH_TOKEN } from '../test/carriers/twilio/stand-in.js'
import type { Environment } from '../test/helpers/environment.js'
import { createLine, type TestLine } from '../test/helpers/factories.js'

const WIDE = { messagesPerNumberPerMinute: 100_000, messagesPerMinute: 100_000 }

/** What an installation knows before anybody uses it. */
export interface Seeds {
  /** With limits that nobody comes near. */
  lines: TestLine[]
  /** With the limits of every line. */
  limited: TestLine & { token: string }
  /** Where the carrier brings what comes in. */
  callbackUrl: string
}

export async function seed(
  environment: Environment,
  carrierUrl: string,
  receiverUrls: readonly string[],
): Promise<Seeds> {
  const context = createContext(readConfig(environment), { process: 'chaos' })
  try {
    await whenReady(context.redis)
    const account = await addCarrierAccount(context, {
      name: 'carrier',
      kind: 'twilio',
      settings: { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN, apiUrl: carrierUrl },
      messagesPerSecondPerLine: null,
    })
    const lines: TestLine[] = []
    for (const outgoingUrl of receiverUrls) {
      lines.push(await createLine(context, { ...WIDE, carrier: 'carrier', outgoingUrl }))
    }
    const limited = await createLine(context, { carrier: 'carrier' })
    const { token } = await createApiToken(context, limited.userId, 'chaos')
    return {
      lines,
      limited: { ...limited, token },
      callbackUrl: `${context.config.publicUrl}/carriers/twilio/${account.id}/message`,
    }
  } finally {
    await context.close()
  }
}
