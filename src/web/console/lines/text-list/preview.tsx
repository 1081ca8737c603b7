import type { ListCost } from '../../../../domain/messages/text-list/cost.js'
import type { ListPlan, PlannedText } from '../../../../domain/messages/text-list/plan.js'
import { measureText } from '../../../../domain/messages/segments.js'
import { countOf, describeCount } from '../../../../domain/operating/overview/figures.js'
import { Form } from '../../form.js'
import { PhoneNumber } from '../../messages/phone-number.js'
import type { Page } from '../../page.js'
import { Fact } from '../../parts/facts.js'
import { Table } from '../../parts/table.js'
import { UserText } from '../../user-text.js'

export interface PreviewedList {
  /** The file as text. */
  csv: string
  text: string
  columns: string[]
  plan: ListPlan
  cost: ListCost
  /** The messages that the line sends in a minute. */
  perMinute: number
  /** The id for the task. */
  key: string
}

const TEXTS_SHOWN = 3
/** The task's results have all of them. */
const SKIPPED_SHOWN = 20

/** Shows the result in advance, and the button that sends it. */
export function Preview({ page, path, list }: { page: Page; path: string; list: PreviewedList }) {
  const { plan, columns, cost, perMinute } = list
  const { texts, goodCount, segmentCount } = plan
  const good = texts.filter(({ text }) => text !== null)
  const skipped = texts.filter(({ text }) => text === null)
  return (
    <section aria-labelledby="preview" tabIndex={-1} autofocus>
      <h2 id="preview">Preview</h2>
      <dl class="pairs">
        <Fact label="Rows">
          {describeCount(goodCount)} of {describeCount(texts.length)} will be sent
          {skipped.length > 0 && `, ${describeCount(skipped.length)} skipped`}
        </Fact>
        {goodCount > 0 && (
          <Fact label="Sending takes">
            About {durationOf(goodCount / perMinute)} at {describeCount(perMinute)} a minute
          </Fact>
        )}
        <Fact label="Segments">{describeCount(segmentCount)}</Fact>
        {cost.estimate !== undefined && (
          <Fact label="Estimated cost">
            About {cost.estimate.amount.toFixed(2)} {cost.estimate.currency}, at this line's recent prices
          </Fact>
        )}
        <Fact label="Phone numbers">
          Column “<UserText>{plan.column}</UserText>”
        </Fact>
        <Fact label="Columns">
          <UserText>{columns.join(', ')}</UserText>
        </Fact>
      </dl>
      {cost.segmentsLeft !== undefined && cost.segmentsLeft < segmentCount && (
        <p class="fault">
          The daily segment cap has room for {countOf(cost.segmentsLeft, 'segment')} today. Sending stops when
          it is reached.
        </p>
      )}
      {good.length > 0 && <First texts={good.slice(0, TEXTS_SHOWN)} plan={plan} />}
      {skipped.length > 0 && <Skipped texts={skipped} />}
      <Send page={page} action={`${path}/messages`} list={list} />
    </section>
  )
}

function First({ texts, plan: { goodCount, languages } }: { texts: readonly PlannedText[]; plan: ListPlan }) {
  return (
    <>
      <h3>{goodCount <= texts.length ? 'Texts' : `First ${texts.length} texts`}</h3>
      <Table
        rows={texts}
        columns={{
          To: ({ toNumber }) => <PhoneNumber number={toNumber ?? ''} />,
          Text: ({ text }) => <UserText>{text ?? ''}</UserText>,
          Segments: ({ text }) => measureText(text ?? '', languages).segmentCount,
        }}
      />
    </>
  )
}

function Skipped({ texts }: { texts: readonly PlannedText[] }) {
  const reasons = countReasons(texts)
  return (
    <>
      <h3>Skipped rows</h3>
      {reasons.length > 1 && (
        <dl class="pairs">
          {reasons.map(([reason, rows]) => (
            <Fact key={reason} label={<UserText>{reason}</UserText>}>
              {countOf(rows, 'row')}
            </Fact>
          ))}
        </dl>
      )}
      <Table
        rows={texts.slice(0, SKIPPED_SHOWN)}
        columns={{
          Row: ({ line }) => `Row ${line}`,
          Number: ({ writtenNumber }) => <UserText>{writtenNumber.slice(0, 40)}</UserText>,
          Reason: ({ reason }) => <UserText>{reason ?? ''}</UserText>,
        }}
      />
      {texts.length > SKIPPED_SHOWN && (
        <p class="muted">
          And {describeCount(texts.length - SKIPPED_SHOWN)} more. The results list all of them.
        </p>
      )}
    </>
  )
}

function Send({ page, action, list }: { page: Page; action: string; list: PreviewedList }) {
  const { csv, text, key, plan } = list
  if (plan.goodCount === 0) return <p class="fault">None of the rows can be sent.</p>
  return (
    <Form page={page} action={action} isMultipart>
      <input type="hidden" name="key" value={key} />
      <input type="hidden" name="text" value={text} />
      <input type="hidden" name="column" value={plan.column} />
      <input type="hidden" name="csv" value={csv} />
      <button type="submit" class="primary">
        Send {countOf(plan.goodCount, 'text')}
      </button>
    </Form>
  )
}

/** Counts the rows by reason, most first; the other row of a repeated number is left out. */
function countReasons(texts: readonly PlannedText[]): [reason: string, rows: number][] {
  const counts = new Map<string, number>()
  for (const { reason } of texts) {
    const shared = (reason ?? '').replace(/ as row \d+$/, ' as an earlier row')
    counts.set(shared, (counts.get(shared) ?? 0) + 1)
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)
}

function durationOf(minutes: number): string {
  const whole = Math.ceil(minutes)
  if (whole < 60) return whole === 1 ? 'a minute' : `${whole} minutes`
  const hours = Math.round(minutes / 6) / 10
  return hours === 1 ? 'an hour' : `${describeCount(hours)} hours`
}
