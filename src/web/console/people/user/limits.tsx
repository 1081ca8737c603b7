import type { OwnLine } from '../../../../database/lines/lines.js'
import type { ListedCarrierAccount } from '../../../../domain/carriers/carrier-accounts.js'
import { isSimulator } from '../../../../domain/carriers/accounts/kinds.js'
import { changeLine } from '../../../../domain/lines/change-line.js'
import { getOwnLine } from '../../../../domain/lines/lines.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Field, Form, Select } from '../../form.js'
import type { Page } from '../../page.js'
import { userAct } from './act.js'

/** Shows the fields of where and how fast a new or an existing line may send. */
export function LimitFields(props: { countries: string; perNumber: number; perMinute: number }) {
  const { countries, perNumber, perMinute } = props
  return (
    <>
      <Field
        name="countries"
        label="Allowed countries"
        value={countries}
        hint="Two-letter codes separated by commas, such as US,CA. Leave empty to allow all."
      />
      <div class="grid">
        <Field
          name="perNumber"
          label="Messages per minute to one number"
          type="number"
          value={String(perNumber)}
          more={{ min: 1 }}
        />
        <Field
          name="perMinute"
          label="Messages per minute in total"
          type="number"
          value={String(perMinute)}
          more={{ min: 1 }}
        />
      </div>
    </>
  )
}

export function readLimitFields(ctx: Parameters<typeof fieldOf>[0]) {
  const countries = fieldOf(ctx, 'countries').trim()
  return {
    allowedCountries: countries === '' ? null : countries.split(','),
    messagesPerNumberPerMinute: Number(fieldOf(ctx, 'perNumber') || 5),
    messagesPerMinute: Number(fieldOf(ctx, 'perMinute') || 30),
  }
}

export type AccountOptions = [name: string, label: string][]

export function accountOptions(accounts: readonly ListedCarrierAccount[]): AccountOptions {
  return accounts.map((account) => [
    account.name,
    isSimulator(account) ? account.title : `${account.name} (${account.title})`,
  ])
}

/** @param props.back the page to return to */
export function LineSettings(props: {
  page: Page
  action: string
  line: OwnLine
  accounts: AccountOptions
  back: string
}) {
  const { page, action, line, accounts, back } = props
  return (
    <section>
      <h3>Countries, limits and carrier</h3>
      <Form page={page} action={action}>
        <input type="hidden" name="back" value={back} />
        <LimitFields
          countries={line.allowedCountries?.join(',') ?? ''}
          perNumber={line.messagesPerNumberPerMinute}
          perMinute={line.messagesPerMinute}
        />
        <Select
          name="carrier"
          label="Carrier account"
          options={accounts}
          value={line.carrierAccount}
          hint="The line can receive only through this account and its routes."
        />
        <button type="submit">Save</button>
      </Form>
    </section>
  )
}

export const postLineSettings = userAct('line-changed', async (context, user, ctx) => {
  const line = await getOwnLine(context, user.id, idOf(ctx, 'lineId'))
  await changeLine(context, line, { ...readLimitFields(ctx), carrierAccount: fieldOf(ctx, 'carrier') })
})
