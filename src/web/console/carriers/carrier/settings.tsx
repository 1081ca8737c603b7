import type { ComponentChildren } from 'preact'
import { getCarrierAccountById } from '../../../../domain/carriers/carrier-accounts.js'
import { changeCarrierAccount } from '../../../../domain/carriers/accounts/change.js'
import { getCarrierKind, requireChangeable } from '../../../../domain/carriers/accounts/kinds.js'
import { listSettingFields, type SettingView } from '../../../../domain/carriers/accounts/settings.js'
import type { Context } from '../../../../domain/context.js'
import { countOf } from '../../../../domain/operating/overview/figures.js'
import { fieldLabel } from '../../form-fault.js'
import { idOf } from '../../form-values.js'
import { Form } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act } from '../../page.js'
import { AccountFields, SettingFields, typedAccountFields, typedSettings, typedUnset } from './fields-form.js'
import { carrierPath, describePace, type CarrierView } from './page-model.js'

/**
 * Shows what differs from the defaults. The defaults themselves, of which some kinds have dozens, are folded.
 *
 * @param props.isEdited true to show the form instead of the list
 */
export function Settings({ view, isEdited }: { view: CarrierView; isEdited: boolean }) {
  const { page, path, account, settings, isFixed } = view
  const action = `${path}/settings`
  const shown = settingsOf(view)
  const standard = shown.filter(({ isStandard }) => isStandard)
  return (
    <section id="settings" aria-labelledby="settings-title">
      <h2 id="settings-title">Settings</h2>
      {isEdited ? (
        <Form page={page} action={action}>
          <SettingFields settings={settings} />
          <AccountFields account={account} />
          <button type="submit">Save</button>
        </Form>
      ) : (
        <>
          <SettingTable settings={shown.filter(({ isStandard }) => !isStandard)} />
          <div class="folds">
            {standard.length > 0 && (
              <details>
                <summary>{countOf(standard.length, 'default setting')}</summary>
                <SettingTable settings={standard} />
              </details>
            )}
            {!isFixed && (
              <a role="button" class="secondary" href={`${path}?show=settings#settings`}>
                Change
              </a>
            )}
          </div>
        </>
      )}
    </section>
  )
}

interface Shown {
  label: string
  value: ComponentChildren
  isStandard: boolean
}

function settingsOf({ account, settings }: CarrierView): Shown[] {
  return [
    ...settings.map((setting) => ({
      label: fieldLabel(setting.key),
      value: <SettingValue setting={setting} />,
      isStandard: !setting.isSet || (!setting.isSecret && setting.value === setting.standard),
    })),
    { label: 'Pace', value: describePace(account), isStandard: false },
    {
      label: 'STOP, START and HELP',
      value: `Answered by ${account.handlesOptOut ? 'the carrier' : 'Linehook'}`,
      isStandard: false,
    },
  ]
}

function SettingTable({ settings }: { settings: readonly Shown[] }) {
  return (
    <table class="rows named">
      <tbody>
        {settings.map(({ label, value }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function SettingValue({ setting: { isSet, value, type } }: { setting: SettingView }) {
  if (!isSet) return <span class="muted">Not set</span>
  if (value === '') return <span class="muted">Empty</span>
  if (value === undefined) return <span class="badge">set</span>
  if (type === 'boolean') return <>{value === 'true' ? 'Yes' : 'No'}</>
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
