import type { Context as KoaContext } from 'koa'
import type { CarrierAccountFields } from '../../../../database/carriers/carrier-accounts.js'
import { MAX_PER_SECOND, MIN_PER_SECOND } from '../../../../domain/carriers/accounts/account-fields.js'
import type { SettingField, SettingView } from '../../../../domain/carriers/accounts/settings.js'
import { fieldLabel, type FormFault } from '../../form-fault.js'
import { fieldOf } from '../../form-values.js'
import { CheckBox, Field, Select, TextArea, useFault } from '../../form.js'

/** Kinds with very many settings show them in groups. Each group begins with one of these; required ones come before. */
const GROUPS: Record<string, string> = {
  idField: 'Responses',
  verification: 'Incoming requests',
  messageIdField: 'Incoming messages',
  statusIdField: 'Receipts',
  systemType: 'Sessions',
  sourceTon: 'Number types',
  longMessages: 'Texts and receipts',
  tlvs: 'SMSC fields and errors',
  standbyHosts: 'Additional hosts',
}
const MANY = 12

/**
 * Shows a field for each setting of a kind; for an existing account it holds the value, if that may be shown. If there
 * are many, the groups that hold only defaults are folded.
 */
export function SettingFields({ settings }: { settings: readonly SettingView[] }) {
  const fault = useFault()
  const groups: { title: string | undefined; settings: SettingView[] }[] = [
    { title: undefined, settings: [] },
  ]
  for (const setting of settings) {
    const title = settings.length > MANY ? GROUPS[setting.key] : undefined
    if (title !== undefined) groups.push({ title, settings: [] })
    groups.at(-1)?.settings.push(setting)
  }
  return (
    <>
      {groups.map(({ title, settings: some }) => {
        const fields = some.map((setting) => <Setting key={setting.key} setting={setting} />)
        if (title === undefined) return fields
        return (
          <details key={title} class="row" open={some.some((setting) => isOpened(setting, fault))}>
            <summary>{title}</summary>
            <fieldset aria-label={title}>{fields}</fieldset>
          </details>
        )
      })}
    </>
  )
}

/** A setting that somebody has changed, or has to correct, is in sight. */
function isOpened(setting: SettingView, fault: FormFault | undefined): boolean {
  const { key, isSecret, isSet, value, standard = '' } = setting
  const name = inputName(setting)
  if (fault !== undefined) {
    const { field, message, unkept } = fault
    if (field?.name === name || unkept.includes(name) || new RegExp(`\\b${key}\\b`).test(message)) return true
  }
  const shown = fault?.fields[name] ?? value ?? (isSecret && isSet ? 'set' : standard)
  return shown !== standard && key !== 'callbackKey'
}

function Setting({ setting }: { setting: SettingView }) {
  const { key, about, type, options, isSecret, isSet, isRequired, value, standard = '' } = setting
  const field = { name: inputName(setting), label: fieldLabel(key), value: value ?? standard }
  const isNeeded = isRequired && !isSet
  if (isSecret) {
    const hint = isSet ? `${about} Currently set. Leave empty to keep it.` : about
    return (
      <>
        <Field {...field} type="password" hint={hint} required={isNeeded} autocomplete="new-password" />
        {isSet && !isRequired && <CheckBox name={`unset-${key}`} label={`Remove: ${fieldLabel(key)}`} />}
      </>
    )
  }
  if (type === 'boolean') {
    const { name, label } = field
    const isChecked = field.value === 'true'
    return <CheckBox name={name} label={`${label}: ${about}`} isChecked={isChecked} />
  }
  if (options.length > 0) {
    return (
      <Select
        name={field.name}
        label={field.label}
        hint={about}
        options={options.map((option) => [option, option])}
        value={field.value}
      />
    )
  }
  if (setting.isMultiline) return <TextArea {...field} hint={about} rows={5} required={isNeeded} />
  const more = type === 'number' ? { type: 'number' as const, more: { step: 'any' } } : {}
  return <Field {...field} {...more} hint={about} required={isNeeded} autocomplete="off" />
}

/** An unticked box sends nothing, which means false. */
export function typedSettings(ctx: KoaContext, fields: readonly SettingField[]): Record<string, string> {
  const read = (field: SettingField) => {
    const typed = fieldOf(ctx, inputName(field))
    return field.type === 'boolean' ? String(typed !== '') : typed
  }
  return Object.fromEntries(fields.map((field) => [field.key, read(field)]))
}

export function typedUnset(ctx: KoaContext, fields: readonly SettingField[]): string[] {
  return fields.map(({ key }) => key).filter((key) => fieldOf(ctx, `unset-${key}`) !== '')
}

/** Shows the fields that every kind has: the pace, and who answers STOP. */
export function AccountFields({ account }: { account: CarrierAccountFields }) {
  const pace = (name: 'messagesPerSecond' | 'messagesPerSecondPerLine', label: string) => (
    <Field
      name={name}
      label={label}
      type="number"
      value={String(account[name] ?? '')}
      hint="Can be below 1, such as 0.5. Where long texts are sent in parts, each part counts. Leave empty for no limit."
      more={{ step: 'any', min: MIN_PER_SECOND, max: MAX_PER_SECOND }}
    />
  )
  return (
    <>
      <div class="grid">
        {pace('messagesPerSecondPerLine', 'Messages per second, each line')}
        {pace('messagesPerSecond', 'Messages per second, all lines')}
      </div>
      <CheckBox
        name="handlesOptOut"
        label="The carrier replies to STOP, START and HELP itself, so Linehook does not"
        isChecked={account.handlesOptOut}
      />
    </>
  )
}

export function typedAccountFields(ctx: KoaContext): CarrierAccountFields {
  const pace = (name: string) => {
    const typed = fieldOf(ctx, name).trim()
    return typed === '' ? null : Number(typed)
  }
  return {
    messagesPerSecond: pace('messagesPerSecond'),
    messagesPerSecondPerLine: pace('messagesPerSecondPerLine'),
    handlesOptOut: fieldOf(ctx, 'handlesOptOut') !== '',
  }
}

/** The field's name is not just the key, because a kind may have a setting `name`. */
function inputName({ key, isSecret }: SettingField): string {
  return `${isSecret ? 'secret' : 'setting'}-${key}`
}
