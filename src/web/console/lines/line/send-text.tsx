import type { Context } from '../../../../domain/context.js'
import { fieldOf } from '../../form-values.js'
import { Field } from '../../form.js'
import { messagePath } from '../../messages/message/path.js'
import { withNotice } from '../../notices.js'
import type { Act } from '../../page.js'
import { countText, isAnswerTo, sendText, TextForm, type CountedText } from '../../messages/text-form.js'
import { Section, type LineView } from './section.js'

const ID = 'messages'

/** Shows the form for one text to any number. */
export function SendText({ view, counted }: { view: LineView; counted: CountedText | undefined }) {
  const { line, path } = view
  const action = `${path}/${ID}`
  const counting = `${action}/segments`
  const isActive = line.status === 'active'
  const hasForm = isActive || isAnswerTo(view.page, { action, counted })
  return (
    <Section
      view={view}
      id={ID}
      title="Send a text"
      offers={hasForm ? [action, counting] : []}
      isAnswer={counted !== undefined}
    >
      {isActive && !view.page.isPortal && (
        <p>
          To text many people at once, <a href={`${path}/list`}>send to a list</a> from a CSV file.
        </p>
      )}
      {hasForm ? (
        <TextForm page={view.page} action={action} counted={counted}>
          <Field
            name="to"
            label="To"
            type="tel"
            hint="With country code, such as +15551234567, or in the format of the line's own country."
            value={counted?.toNumber ?? ''}
            required
            autocomplete="off"
          />
        </TextForm>
      ) : (
        <p class="empty">This line is disabled and cannot send.</p>
      )}
    </Section>
  )
}

export function postText(context: Context): Act {
  return async (ctx) => {
    const { id } = await sendText(context, ctx, fieldOf(ctx, 'to'))
    return withNotice(messagePath(id), 'text-accepted')
  }
}

export function postSegmentCount(context: Context): Act {
  return (ctx) => countText(context, ctx, fieldOf(ctx, 'to'))
}
