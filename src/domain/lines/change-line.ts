import { findCarrierAccount } from '../../database/carriers/carrier-accounts.js'
import { transaction } from '../../database/connection.js'
import { updateLineSettings, type Line, type LineSettings } from '../../database/lines/lines.js'
import { storable } from '../../database/text.js'
import { getCarrierClient, requireAccounts, notSetUp } from '../carriers/carrier-clients.js'
import type { Context } from '../context.js'
import { askOnChangedLine } from '../messages/send/raised-pace.js'
import { record } from '../operating/audit.js'
import { pausedCountriesFor, readLimits, requireOwn } from './lines.js'
import { readSender } from './senders.js'

/** What operators can change about a line later. Fields that are left out stay as they are. */
export type LineChanges = Partial<LineSettings>

/**
 * Changes where and how fast a line may send, or the account that it sends through. Waiting messages use the new limits
 * and the new account. Messages that the carrier already has stay with the account that sent them, while the old
 * account no longer receives anything for the line.
 *
 * @throws UserError 400 naming the field, 404 if the user has no such line
 */
export async function changeLine(
  context: Context,
  { userId, id, carrierAccount }: Pick<Line, 'userId' | 'id' | 'carrierAccount'>,
  changes: LineChanges,
): Promise<void> {
  const { carrierAccount: asked = carrierAccount } = changes
  const account = asked === carrierAccount ? undefined : await getAccount(context, asked)
  const left = await transaction(context.db, async (trx) => {
    const line = await requireOwn(trx, userId, id)
    if (account !== undefined) {
      readSender(line.number, line.country ?? undefined, account.kind)
      await requireAccounts(trx, [account.name])
    }
    const before = settingsOf(line)
    const after = {
      carrierAccount: account?.name ?? before.carrierAccount,
      ...readLimits({ ...before, ...changes }),
    }
    const changed = (Object.keys(before) as (keyof LineSettings)[]).filter(
      (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
    )
    if (changed.length === 0) return undefined
    const { allowedCountries } = after
    const keepsPauses = (before.allowedCountries === null) === (allowedCountries === null)
    const pausedCountries = keepsPauses
      ? line.pausedCountries
      : await pausedCountriesFor({ db: trx }, userId, { country: line.country, allowedCountries })
    await updateLineSettings(trx, id, { ...after, pausedCountries })
    const only = (settings: LineSettings) =>
      Object.fromEntries(changed.map((field) => [field, settings[field]]))
    const change = { before: only(before), after: only(after) }
    await record(context, trx, { action: 'line.changed', subjectId: id, userId, ...change })
    return changed.includes('carrierAccount') ? [before.carrierAccount] : []
  })
  if (left !== undefined) await askOnChangedLine(context, id, left)
}

async function getAccount(context: Context, written: string) {
  const account = await findCarrierAccount(context.db, { name: storable(written).trim() })
  if (account === undefined) throw notSetUp(written)
  await getCarrierClient(context, account)
  return account
}

function settingsOf(line: Line): LineSettings {
  const { carrierAccount, allowedCountries, messagesPerNumberPerMinute, messagesPerMinute } = line
  return { carrierAccount, allowedCountries, messagesPerNumberPerMinute, messagesPerMinute }
}
