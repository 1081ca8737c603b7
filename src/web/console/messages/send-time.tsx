import type { Context as KoaContext } from 'koa'
import { UserError } from '../../../errors.js'
import { fieldOf } from '../form-values.js'
import { Field } from '../form.js'
import { readLocal, refuseLocal } from '../time-filter.js'
import { ZoneSelect } from '../time-filter-fields.js'
import { isZone, UTC } from '../zone.js'

/**
 * Shows the fields for the time of sending. A browser's field for date and time has no zone, so the zone is beside it:
 * `console.js` chooses the reader's, and without a script it is UTC.
 */
export function SendTime(props: { value?: string; zone?: string; isRequired?: boolean }) {
  const { value = '', zone, isRequired = false } = props
  return (
    <div class="grid">
      <Field
        name="sendAt"
        label={isRequired ? 'Send at' : 'Send at (optional)'}
        hint="Up to 30 days ahead. A time in the past sends immediately."
        type="datetime-local"
        value={value}
        required={isRequired}
      />
      <ZoneSelect zone={zone} />
    </div>
  )
}

export function readSendTime(ctx: KoaContext): Date | undefined {
  return readLocalField(ctx, 'sendAt', 'Send at')
}

/**
 * Reads a date and time in the zone beside it.
 *
 * @returns undefined if it was left empty
 * @throws UserError
 */
export function readLocalField(ctx: KoaContext, name: string, label: string): Date | undefined {
  const written = fieldOf(ctx, name)
  if (written === '') return undefined
  const zone = fieldOf(ctx, 'zone') || UTC
  if (!isZone(zone)) throw new UserError('Enter a valid time zone, such as Europe/Berlin')
  const moment = readLocal(written, zone)
  if (Number.isNaN(moment.getTime())) throw new UserError(refuseLocal(label, written, zone))
  return moment
}
