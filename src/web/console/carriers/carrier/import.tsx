import type { Context as KoaContext } from 'koa'
import { getCarrierAccountById, type CarrierAccount } from '../../../../domain/carriers/carrier-accounts.js'
import {
  importNumbers,
  setUpNumbers,
  type AccountNumber,
  type ImportResult,
} from '../../../../domain/carriers/accounts/numbers.js'
import { IMPORT_AT_ONCE, startImport } from '../../../../domain/carriers/accounts/import-task.js'
import type { Context } from '../../../../domain/context.js'
import { getUser, getUserByEmail, type User } from '../../../../domain/people/users.js'
import { UserError } from '../../../../errors.js'
import { isId } from '../../../../ids.js'
import { fieldOf, idOf, valuesOf } from '../../form-values.js'
import { CheckBox, Empty, faultOfForm, Field, Form } from '../../form.js'
import { withNotice } from '../../notices.js'
import { PhoneNumber } from '../../messages/phone-number.js'
import type { Act } from '../../page.js'
import { Table } from '../../parts/table.js'
import { userPath } from '../../people/user/path.js'
import { UserText } from '../../user-text.js'
import { TASKS } from '../../operating/tasks.js'
import type { CarrierView } from './page-model.js'

export interface Imported {
  results: ImportResult[]
  /** The reason why the carrier does not call us for the new lines. */
  setUpFault: string | undefined
}

export function NumberList({ view, numbers }: { view: CarrierView; numbers: AccountNumber[] }) {
  const { page, path, account, canSetUpNumbers } = view
  const action = `${path}/import`
  const ticked = new Set(faultOfForm(page, action)?.fields.number?.split('\n'))
  if (numbers.length === 0) return <Empty>This account has no numbers yet. Buy one at {account.title}.</Empty>
  return (
    <Form page={page} action={action}>
      <Table
        rows={numbers}
        columns={{
          Number: ({ number, line }) =>
            line === undefined ? (
              <label>
                <input type="checkbox" name="number" value={number} checked={ticked.has(number)} />{' '}
                <PhoneNumber number={number} />
              </label>
            ) : (
              <PhoneNumber number={number} />
            ),
          "Carrier's name": ({ name }) => <UserText>{name}</UserText>,
          Line: ({ line }) =>
            line === undefined ? (
              <span class="muted">Not a line yet</span>
            ) : (
              // This is one element, because on a phone a cell with a link lays out its children side by side.
              <span>
                <a href={userPath(line.userId)}>{line.ownerEmail}</a>, at {line.carrierAccount}
              </span>
            ),
        }}
      />
      <Field
        name="owner"
        label="Owner of the new lines"
        hint="The email address or the ID of a user."
        value={page.session?.email ?? ''}
        required
      />
      {canSetUpNumbers && (
        <CheckBox
          name="setUp"
          label={`Also set up callbacks at ${account.title} for incoming messages`}
          isChecked
        />
      )}
      <button type="submit">Import selected numbers</button>
    </Form>
  )
}

export function ImportOutcome({ imported: { results, setUpFault } }: { imported: Imported }) {
  return (
    <div role="status" class="notice">
      <ul>
        {results.map((result) => (
          <li key={result.number}>
            <PhoneNumber number={result.number} /> {describe(result)}
          </li>
        ))}
      </ul>
      {setUpFault !== undefined && (
        <p class="fault">Lines imported, but their callbacks could not be set up: {setUpFault}</p>
      )}
    </div>
  )
}

function describe(result: ImportResult): string {
  if (result.outcome === 'added') return 'imported'
  return result.outcome === 'is_a_line' ? 'already a line' : `refused: ${result.reason}`
}

/** The answer has the result for each number; sending it again changes nothing. Many numbers are a background task. */
export function postImport(context: Context): Act {
  return async (ctx) => {
    const account = await getCarrierAccountById(context, idOf(ctx, 'accountId'))
    const numbers = valuesOf(ctx, 'number')
    if (numbers.length === 0) throw new UserError('Select at least one number')
    const { id: userId } = await findOwner(context, fieldOf(ctx, 'owner').trim())
    if (numbers.length > IMPORT_AT_ONCE) {
      await startImport(context, account, { userId, numbers, setUp: fieldOf(ctx, 'setUp') !== '' })
      return withNotice(TASKS, 'import-started')
    }
    const results = await importNumbers(context, account, { userId, numbers })
    const setUpFault = await setUpAdded(context, ctx, account, results)
    return { shown: { imported: { results, setUpFault } } }
  }
}

/** @throws UserError 404 */
async function findOwner(context: Context, written: string): Promise<User> {
  return isId(written) ? getUser(context, written) : getUserByEmail(context, written)
}

/** @returns the fault, in words; the lines exist nevertheless */
async function setUpAdded(
  context: Context,
  ctx: KoaContext,
  account: CarrierAccount,
  results: readonly ImportResult[],
): Promise<string | undefined> {
  const added = results.filter(({ outcome }) => outcome === 'added').map(({ number }) => number)
  if (fieldOf(ctx, 'setUp') === '' || added.length === 0) return undefined
  try {
    await setUpNumbers(context, account, added)
    return undefined
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}
