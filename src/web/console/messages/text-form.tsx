import type { Context as KoaContext } from 'koa'
import type { ComponentChildren } from 'preact'
import type { Context } from '../../../domain/context.js'
import { postMessage } from '../../../domain/messages/post.js'
import { languagesFor } from '../../../domain/carriers/languages.js'
import { measureText, type Measure } from '../../../domain/messages/segments.js'
import { MAX_TEXT_LENGTH, REFUSALS } from '../../../domain/messages/submit/refusals.js'
import { UserError } from '../../../errors.js'
import { newId } from '../../../ids.js'
import { sha256 } from '../../../secrets.js'
import { explainFailure } from '../endpoints/failures.js'
import { fieldOf, idOf } from '../form-values.js'
import { faultOf, faultOfForm, Form, TextArea } from '../form.js'
import { askedLine } from '../lines/line/act.js'
import type { Page, ShownOnce } from '../page.js'
import { answerPiece } from '../parts/piece.js'
import { NoCount, SegmentCount } from './segments.js'
import { readSendTime, SendTime } from './send-time.js'
import { sessionOf } from '../people/session.js'

const COUNT_ID = 'segment-count'
const URLENCODED = 'application/x-www-form-urlencoded'

/** A refusal, or the sign-in page after the session's end, replaces the whole page: it keeps the typed fields. */
const WHOLE = 'target:body swap:innerHTML'
const REFUSED = { 'data-hx-status-4xx': WHOLE, 'data-hx-status-5xx': WHOLE }

/**
 * Nobody asked for the count that comes while they type, so a refusal only leaves it empty: with the whole page, the text
 * that they are typing would be lost.
 */
const EMPTY = "select:':not(*)' swap:'innerHTML ignoreTitle:true'"
const REFUSED_WHILE_TYPING = { 'data-hx-status-4xx': EMPTY, 'data-hx-status-5xx': EMPTY }

/** A text whose segments were requested, on a page without a script. */
export interface CountedText {
  toNumber: string
  text: string
  key: string
  measure: Measure
  sendAt: string
  zone: string
}

/** Shows the form for one text. Its segments are counted while it is typed, or by a button. */
export function TextForm(props: {
  page: Page
  /** The path that sends; the same with `/segments` counts. */
  action: string
  counted: CountedText | undefined
  /** True below a conversation: Enter sends, and the time of sending is shown only on request. */
  isComposer?: boolean
  /** The most pictures that the message can have; the default is none. */
  pictureLimit?: number
  /** Fields above the text. */
  children?: ComponentChildren
}) {
  const { action, counted, isComposer = false, pictureLimit = 0, children } = props
  const counting = `${action}/segments`
  const page = ofThisForm(props.page, counting, action)
  const fault = faultOfForm(page, action)
  const count = {
    'data-hx-post': counting,
    'data-hx-target': `#${COUNT_ID}`,
    // What has not changed stays, and is not read out again.
    'data-hx-swap': 'innerMorph',
    // Pictures are not sent to count a text.
    'data-hx-encoding': URLENCODED,
  }
  const time = <SendTime value={counted?.sendAt} zone={counted?.zone} />
  const pictures = faultOf(fault, { name: 'picture', label: 'Pictures to send' })
  const countWords = (
    <div id={COUNT_ID}>
      {counted === undefined ? <NoCount /> : <SegmentCount measure={counted.measure} />}
    </div>
  )
  return (
    <Form
      page={page}
      action={action}
      isMultipart={pictureLimit > 0}
      class={isComposer ? 'composer' : undefined}
    >
      <input type="hidden" name="key" value={counted?.key ?? fault?.fields.key ?? newId()} />
      {children}
      <TextArea
        name="text"
        label="Text"
        rows={isComposer ? 2 : 3}
        value={counted?.text ?? ''}
        required={pictureLimit === 0}
        more={{
          maxlength: MAX_TEXT_LENGTH,
          ...(isComposer ? { placeholder: 'Message' } : {}),
          ...count,
          ...REFUSED_WHILE_TYPING,
          'data-hx-trigger': 'input changed delay:400ms',
        }}
      />
      {!isComposer && time}
      {!isComposer && countWords}
      <div class="buttons">
        {isComposer && (
          <details open={(counted?.sendAt ?? fault?.fields.sendAt ?? '') !== ''}>
            <summary>Schedule</summary>
            {time}
          </details>
        )}
        {pictureLimit > 0 && (
          <details open={pictures.note !== null}>
            <summary>Pictures</summary>
            <label>
              Pictures to send
              <input
                name="picture"
                type="file"
                accept="image/png,image/jpeg,image/gif"
                multiple={pictureLimit > 1}
                {...pictures.marks}
              />
              {pictures.note}
              <small>
                {pictureLimit === 1 ? 'One picture' : `Up to ${pictureLimit} pictures`}, each smaller than 5
                MB.
              </small>
            </label>
          </details>
        )}
        {isComposer && countWords}
        <button
          type="submit"
          class="secondary"
          formaction={counting}
          formenctype={URLENCODED}
          formnovalidate
          {...count}
          {...REFUSED}
        >
          Count segments
        </button>
        <button type="submit" class="primary">
          Send
        </button>
      </div>
    </Form>
  )
}

/**
 * True if the page answers this form, with what was typed in it. Then the form stays, even if the line cannot send any
 * more.
 */
export function isAnswerTo(
  page: Page,
  { action, counted }: { action: string; counted: CountedText | undefined },
): boolean {
  return counted !== undefined || [action, `${action}/segments`].includes(page.fault?.action ?? '')
}

/** The form has two buttons with two paths. A fault of either path is shown at this form. */
function ofThisForm(page: Page, path: string, action: string): Page {
  return page.fault?.action === path ? { ...page, fault: { ...page.fault, action } } : page
}

/** @throws UserError */
export async function sendText(
  context: Context,
  ctx: KoaContext,
  toNumber: string,
  mediaUrls: readonly string[] = [],
): Promise<{ id: string }> {
  if (fieldOf(ctx, 'text').trim() === '' && mediaUrls.length === 0) throw new UserError('text is required')
  const accepted = postMessage(context, {
    isFromConsole: true,
    userId: sessionOf(ctx).userId,
    applicationId: undefined,
    lineId: idOf(ctx, 'lineId'),
    toNumber,
    text: fieldOf(ctx, 'text'),
    ...(mediaUrls.length === 0 ? {} : { mediaUrls }),
    idempotencyKey: keyOf(ctx, [toNumber, ...mediaUrls]),
    sendAt: readSendTime(ctx),
  })
  return accepted.catch((error: unknown) => {
    // Programs compare the API's words with their own; people need to know what to do.
    const words = error instanceof UserError ? WORDS[error.message] : undefined
    throw error instanceof UserError && words !== undefined ? new UserError(words, error.status) : error
  })
}

/**
 * Makes the key of one message: a second press of the form's button finds the message that the first one made. Whoever
 * goes back to the form and changes it wants another message, so what was typed is part of the key.
 */
function keyOf(ctx: KoaContext, others: readonly string[]): string | undefined {
  const key = fieldOf(ctx, 'key')
  if (key === '') return undefined
  const typed = ['text', 'sendAt', 'zone'].map((name) => fieldOf(ctx, name))
  return `${key}-${sha256(JSON.stringify([...typed, ...others])).toString('hex', 0, 8)}`
}

const WORDS: Partial<Record<string, string>> = {
  [REFUSALS.notANumber]: 'To: this is not a phone number. Include the country code, such as +15551234567',
  [REFUSALS.optedOut]: explainFailure('opted_out'),
}

export async function countText(
  context: Context,
  ctx: KoaContext,
  toNumber: string,
): Promise<ShownOnce | undefined> {
  const { carrierAccount } = await askedLine(context, ctx)
  const text = fieldOf(ctx, 'text')
  const measure = measureText(text, await languagesFor(context, carrierAccount, text))
  const key = fieldOf(ctx, 'key') || newId()
  const time = { sendAt: fieldOf(ctx, 'sendAt'), zone: fieldOf(ctx, 'zone') }
  const counted: CountedText = { toNumber, text, key, measure, ...time }
  return answerPiece(ctx, { counted }, <SegmentCount measure={measure} />)
}
