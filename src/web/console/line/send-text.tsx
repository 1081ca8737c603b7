import type { Measure } from '../../../domain/messages/segments.js'
import { newId } from '../../../ids.js'
import { Field, Form, TextArea, typedIn } from '../form.js'
import type { Page } from '../page.js'
import { SegmentCount } from '../segments.js'
import { Section, type LineView } from './section.js'

const ID = 'messages'
const COUNT_ID = 'segment-count'

/** A text whose segments were asked for, on a page without a script. */
export interface CountedText {
  toNumber: string
  text: string
  key: string
  measure: Measure
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
            more={{ maxlength: 1600, ...count, 'hx-trigger': 'input changed delay:400ms' }}
          />
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
