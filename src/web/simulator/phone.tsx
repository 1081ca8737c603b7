import type { OwnLine } from '../../database/lines/lines.js'
import { MAX_TEXT_LENGTH } from '../../domain/messages/submit/refusals.js'
import type { ConversationMessage } from '../../domain/simulator/phones.js'
import { CsrfField } from '../console/form.js'
import { REFUSAL, type FormFault } from '../console/form-fault.js'
import type { Page } from '../console/page.js'
import { PhoneNumber } from '../console/messages/phone-number.js'
import { labelOf, optionText } from '../console/user-text.js'
import { Conversation, conversationId } from './conversation.js'
import { digitsOf, messagesPath, pagePath, voicemailsPath, withPhones } from './paths.js'
import { Words } from '../console/parts/words.js'

export interface PhoneProps {
  page: Page
  /** An E.164 number. */
  phone: string
  /** All phones on the screen. */
  phones: readonly string[]
  lines: readonly OwnLine[]
  messages: readonly ConversationMessage[]
}

export function Phone(props: PhoneProps) {
  const { phone, phones, messages } = props
  const others = phones.filter((each) => each !== phone)
  return (
    <section class="phone" aria-label={`Phone ${phone}`}>
      <header>
        <h2>
          <PhoneNumber number={phone} />
        </h2>
        {others.length > 0 && (
          <a href={pagePath(others)} aria-label={`Remove the phone ${phone} from the screen`}>
            Remove
          </a>
        )}
      </header>
      <div class="screen" role="log" aria-label={`Messages on ${phone}`} tabIndex={0}>
        <div id={conversationId(phone)}>
          <Conversation phone={phone} messages={messages} />
        </div>
      </div>
      <PhoneForm {...props} />
    </section>
  )
}

/**
 * The form has two buttons for two acts, and one choice of the line. With a script only the sent form and the
 * conversation are swapped, so that everything else that is typed or chosen on the page stays.
 */
function PhoneForm({ page, phone, phones, lines, messages }: PhoneProps) {
  const digits = digitsOf(phone)
  const [composeId, voicemailId] = [`compose-${digits}`, `voicemail-${digits}`]
  const sending = faultAt(page, messagesPath(phone))
  const calling = faultAt(page, voicemailsPath(phone))
  const typed = (sending ?? calling)?.fields
  // This is the line that was last in touch with the phone.
  const lineId = typed?.lineId ?? messages.at(-1)?.lineId
  const sendPath = withPhones(messagesPath(phone), phones)
  const callPath = withPhones(voicemailsPath(phone), phones)
  return (
    <form method="post" action={sendPath} enctype="multipart/form-data" {...swap(phone, sendPath, composeId)}>
      <CsrfField page={page} />
      <div id={composeId}>
        <Fault fault={sending} />
        <label>
          Line
          <select id={`line-${digits}`} name="lineId">
            {lines.map(({ id, name, number }) => (
              <option key={id} value={id} selected={id === lineId}>
                {optionText(labelOf(name, number))}
              </option>
            ))}
          </select>
        </label>
        <div class="compose">
          <input
            id={`text-${digits}`}
            name="text"
            type="text"
            dir="auto"
            aria-label="Text"
            placeholder="Text"
            autocomplete="off"
            maxLength={MAX_TEXT_LENGTH}
            value={typed?.text ?? ''}
          />
          <button id={`send-${digits}`} type="submit">
            Send
          </button>
        </div>
        <label>
          Pictures to send
          <input name="picture" type="file" accept="image/png,image/jpeg,image/gif" multiple />
        </label>
      </div>
      <details open={calling !== undefined}>
        <summary>Leave a voicemail</summary>
        <div id={voicemailId}>
          <Fault fault={calling} />
          <label>
            Recording
            <input name="recording" type="file" accept="audio/*,.amr" />
            <small>Without a file, a short sample is used.</small>
          </label>
          <button
            id={`call-${digits}`}
            type="submit"
            class="secondary"
            formaction={callPath}
            {...swap(phone, callPath, voicemailId)}
          >
            Leave voicemail
          </button>
        </div>
      </details>
    </form>
  )
}

export function Fault({ fault }: { fault: FormFault | undefined }) {
  return fault === undefined ? null : (
    <p role="alert" class="fault" {...REFUSAL}>
      <Words>{fault.message}</Words>
    </p>
  )
}

function faultAt(page: Page, path: string): FormFault | undefined {
  return page.fault?.action === path ? page.fault : undefined
}

/** The attributes for htmx: from the page that answers, it takes this element and the phone's conversation. */
function swap(phone: string, action: string, id: string): Record<string, string> {
  // An answer that is another page (signed out, out of date) replaces this one.
  const whole = 'target:#content, select:#content'
  return {
    'data-hx-post': action,
    'data-hx-target': `#${id}`,
    'data-hx-select': `#${id}`,
    'data-hx-swap': 'outerHTML',
    'data-hx-select-oob': `#${conversationId(phone)}:innerMorph`,
    'data-hx-sync': 'this:drop',
    'data-hx-status-401': whole,
    'data-hx-status-403': whole,
    'data-hx-status-5xx': whole,
  }
}
