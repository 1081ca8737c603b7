import type { Context } from '../../../domain/context.js'
import { getOwnLine } from '../../../domain/lines.js'
import { postMessage } from '../../../domain/messages/post.js'
import { measureText, type Measure } from '../../../domain/messages/segments.js'
import { MAX_TEXT_LENGTH } from '../../../domain/messages/submit.js'
import { newId } from '../../../ids.js'
import { fieldOf, idOf } from '../form-values.js'
import { Field, Form, TextArea, typedIn } from '../form.js'
import { messagePath } from '../message/path.js'
import { withNotice } from '../notices.js'
import { answerFragment, type Act, type Page } from '../page.js'
import { SegmentCount } from '../segments.js'
import { readSendTime, SendTime } from '../send-time.js'
import { sessionOf } from '../session.js'
import { Section, type LineView } from './section.js'

const ID = 'messages'
const COUNT_ID = 'segment-count'

/** A text whose segments were asked for, on a page without a script. */
export interface CountedText {
  toNumber: string
  text: string
  key: string
  measure: Measure
  sendAt: string
  zone: string
}

/** One text, by hand; its segments are counted before, while it is typed or by a button. */
export function SendText({ view, counted }: { view: LineView; counted: CountedText | undefined }) {
  const { line, path } = view
  const action = `${path}/${ID}`
  const counting = `${action}/segments`
  const page = ofThisForm(view.page, counting, action)
  const isActive = line.status === 'active'
  const count = {
    'hx-post': counting,
    'hx-target': `#${COUNT_ID}`,
    'hx-swap': 'innerHTML',
    'hx-status:4xx': 'target:body',
    'hx-status:5xx': 'target:body',
  }
  return (
    <Section
      view={view}
      id={ID}
      title="Send a text"
      offers={isActive ? [action, counting] : []}
      isAnswer={counted !== undefined}
    >
      {isActive ? (
        <Form page={page} action={action}>
          <input type="hidden" name="key" value={counted?.key ?? typedIn(page, action, 'key') ?? newId()} />
          <Field
            page={page}
            action={action}
            name="to"
            label="To"
            type="tel"
            hint="With its country code, such as +15551234567, or as in the line's own country."
            value={counted?.toNumber ?? ''}
            required
            autocomplete="off"
          />
          <TextArea
            page={page}
            action={action}
            name="text"
            label="Text"
            rows={3}
            value={counted?.text ?? ''}
            required
            more={{ maxlength: MAX_TEXT_LENGTH, ...count, 'hx-trigger': 'input changed delay:400ms' }}
          />
          <SendTime page={page} action={action} value={counted?.sendAt} zone={counted?.zone} />
          <div id={COUNT_ID} role="status">
            {counted !== undefined && <SegmentCount measure={counted.measure} />}
          </div>
          <button type="submit">Send the text</button>{' '}
          <button type="submit" class="secondary" formaction={counting} formnovalidate {...count}>
            Count segments
          </button>
        </Form>
      ) : (
        <p class="empty">A disabled line sends nothing.</p>
      )}
    </Section>
  )
}

/** The form has two buttons with two paths. A fault of either path is shown at this form. */
function ofThisForm(page: Page, path: string, action: string): Page {
  return page.fault?.action === path ? { ...page, fault: { ...page.fault, action } } : page
}

/** The form's key serves once: a second press of its button finds the message that the first one made. */
export function postText(context: Context): Act {
  return async (ctx) => {
    const key = fieldOf(ctx, 'key')
    const { id } = await postMessage(context, {
      isFromConsole: true,
      userId: sessionOf(ctx).userId,
      applicationId: undefined,
      lineId: idOf(ctx, 'lineId'),
      toNumber: fieldOf(ctx, 'to'),
      text: fieldOf(ctx, 'text'),
      mediaUrl: undefined,
      idempotencyKey: key === '' ? undefined : key,
      sendAt: readSendTime(ctx),
    })
    return withNotice(messagePath(id), 'text-accepted')
  }
}

/** For htmx the count alone; else the page with it, and with what was typed. */
export function postSegmentCount(context: Context): Act {
  return async (ctx) => {
    await getOwnLine(context, sessionOf(ctx).userId, idOf(ctx, 'lineId'))
    const text = fieldOf(ctx, 'text')
    const measure = measureText(text)
    if (ctx.get('HX-Request') !== 'true') {
      const counted = {
        toNumber: fieldOf(ctx, 'to'),
        text,
        key: fieldOf(ctx, 'key') || newId(),
        measure,
        sendAt: fieldOf(ctx, 'sendAt'),
        zone: fieldOf(ctx, 'zone'),
      }
      return { shown: { counted } }
    }
    answerFragment(ctx, <SegmentCount measure={measure} />)
    return undefined
  }
}
