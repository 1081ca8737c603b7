import { getCarrierAccountById } from '../../../../domain/carriers/carrier-accounts.js'
import { changeCarrierAccount } from '../../../../domain/carriers/accounts/change.js'
import { getCarrierKind, requireChangeable } from '../../../../domain/carriers/accounts/kinds.js'
import { listSettingFields, type SettingView } from '../../../../domain/carriers/accounts/settings.js'
import type { Context } from '../../../../domain/context.js'
import { idOf } from '../../form-values.js'
import { Form } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act } from '../../page.js'
import {
  AccountFields,
  labelOf,
  SettingFields,
  typedAccountFields,
  typedSettings,
  typedUnset,
} from './fields-form.js'
import { carrierPath, describePace, type CarrierView } from './page-model.js'

/** @param props.isEdited true to show the form instead of the list */
export function Settings({ view, isEdited }: { view: CarrierView; isEdited: boolean }) {
  const { page, path, account, settings, isFixed } = view
  const action = `${path}/settings`
  return (
    <section id="settings" aria-labelledby="settings-title">
      <h2 id="settings-title">Settings</h2>
      {isEdited ? (
        <Form page={page} action={action}>
          <SettingFields page={page} action={action} settings={settings} />
          <AccountFields page={page} action={action} account={account} />
          <button type="submit">Save</button>
        </Form>
      ) : (
        <>
          <SettingList view={view} />
          {!isFixed && (
            <a role="button" class="secondary" href={`${path}?show=settings#settings`}>
              Change
            </a>
          )}
        </>
      )}
    </section>
  )
}

function SettingList({ view: { account, settings } }: { view: CarrierView }) {
  return (
    <table class="rows">
      <tbody>
        {settings.map((setting) => (
          <tr key={setting.key}>
            <th scope="row">{labelOf(setting.key)}</th>
            <td>
              <SettingValue setting={setting} />
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row">Pace</th>
          <td>{describePace(account)}</td>
        </tr>
        <tr>
          <th scope="row">STOP, START and HELP</th>
          <td>answered by {account.handlesOptOut ? 'the carrier' : 'Linehook'}</td>
        </tr>
      </tbody>
    </table>
  )
}

function SettingValue({ setting: { isSet, value, type } }: { setting: SettingView }) {
  if (!isSet) return <span class="muted">not set</span>
  if (value === undefined) return <span class="badge">set</span>
  if (type === 'boolean') return <>{value === 'true' ? 'yes' : 'no'}</>
  return <code>{value}</code>
}

/**
 * Needs the password (route table), because the account's secrets could be sent to another host by changing its host.
 */
export function postCarrierSettings(context: Context): Act {
  return async (ctx) => {
    const account = await getCarrierAccountById(context, idOf(ctx, 'accountId'))
    requireChangeable(account)
    const path = carrierPath(account.id)
    const fields = listSettingFields(getCarrierKind(context, account.kind))
    await changeCarrierAccount(context, account, {
      settings: typedSettings(ctx, fields),
      unset: typedUnset(ctx, fields),
      ...typedAccountFields(ctx),
    })
    return withNotice(path, 'carrier-changed')
  }
}
