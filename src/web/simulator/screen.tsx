import { MAGIC_NUMBERS } from '../../carriers/simulator.js'
import type { OwnLine } from '../../database/lines/lines.js'
import type { ConversationMessage } from '../../domain/simulator/phones.js'
import { Empty } from '../console/form.js'
import { Layout } from '../console/layout.js'
import type { Page } from '../console/page.js'
import { livePath, messagesPath, voicemailsPath } from './paths.js'
import { Fault, Phone } from './phone.js'

export interface ScreenProps {
  page: Page
  lines: readonly OwnLine[]
  phones: readonly { phone: string; messages: readonly ConversationMessage[] }[]
}

export function Screen({ page, lines, phones }: ScreenProps) {
  const numbers = phones.map(({ phone }) => phone)
  return (
    <Layout page={page} title="Phone simulator">
      <h1>Phone simulator</h1>
      {page.fault !== undefined && !hasPlace(page.fault.action, numbers) && <Fault fault={page.fault} />}
      {lines.length === 0 ? (
        <NoLines isOperator={page.session?.role === 'operator'} />
      ) : (
        <>
          <p>
            Each phone represents an external number. Its messages reach your line as if they came from a real
            carrier, and your line's messages to it appear here automatically.
          </p>
          <AddPhone page={page} phones={numbers} />
          <div {...{ 'data-live': livePath(numbers), 'data-hx-swap': 'none' }} />
          <div class="phones">
            {phones.map(({ phone, messages }) => (
              <Phone key={phone} {...{ page, lines, phone, messages }} phones={numbers} />
            ))}
          </div>
          <MagicNumbers />
        </>
      )}
    </Layout>
  )
}

/** True if a form on the screen shows the fault itself. */
function hasPlace(action: string, phones: readonly string[]): boolean {
  return (
    action === '/simulator' ||
    phones.some((phone) => [messagesPath(phone), voicemailsPath(phone)].includes(action))
  )
}

function AddPhone({ page, phones }: { page: Page; phones: readonly string[] }) {
  const fault = page.fault?.action === '/simulator' ? page.fault : undefined
  return (
    <form method="get" action="/simulator" class="add-phone">
      {phones.map((phone) => (
        <input key={phone} type="hidden" name="phone" value={phone} />
      ))}
      <Fault fault={fault} />
      <label>
        Another phone
        <input
          type="tel"
          name="add"
          required
          placeholder="+15005550123"
          autocomplete="off"
          value={fault?.fields.add ?? ''}
        />
      </label>
      <button type="submit" class="secondary">
        Add phone
      </button>
    </form>
  )
}

function NoLines({ isOperator }: { isOperator: boolean }) {
  return (
    <Empty>
      <p>You have no lines on the simulator yet. A phone needs a line to text.</p>
      {isOperator ? (
        <p>
          Add one with the carrier <code>simulator</code>: choose its owner under{' '}
          <a href="/console/users">Users</a>, or use <code>linehook line add</code>.
        </p>
      ) : (
        <p>Ask your operator to add one for you, with the carrier “simulator”.</p>
      )}
    </Empty>
  )
}

const BEHAVIOURS: Record<keyof typeof MAGIC_NUMBERS, string> = {
  rejected: 'rejects every message',
  throttled: 'throttles messages for the first 2 seconds',
  unavailableTwice: 'is not available for the first two attempts',
  outcomeUnknown: 'never confirms whether it accepted the message',
  neverAnswers: 'does not respond at all',
}

function MagicNumbers() {
  return (
    <details class="magic-numbers">
      <summary>Test numbers for failures</summary>
      <p>Send a message from a line to one of these numbers, and the simulator:</p>
      <dl>
        {Object.entries(BEHAVIOURS).map(([name, behaviour]) => (
          <div key={name}>
            <dt>
              <code>{MAGIC_NUMBERS[name as keyof typeof MAGIC_NUMBERS]}</code>
            </dt>
            <dd>{behaviour}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
