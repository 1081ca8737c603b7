import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { findPerson, forgetPerson, readPerson, type PersonCounts } from '../../../domain/people/forget.js'
import { fieldOf } from '../form-values.js'
import { Confirm, Empty, Field, Form } from '../form.js'
import { Layout } from '../layout.js'
import { answerPage, pageOf, shownOnce, type Page, type ShownOnce } from '../page.js'

const PEOPLE = '/console/people'
const FORGET = `${PEOPLE}/forget`
const EXPORT = `${PEOPLE}/export`
/** A page may wait this long for workers to finish; most take less than a second. */
const PATIENCE_MS = 5000

interface Shown {
  /** The person's number in E.164; it is not in any address, so it gets into neither a log nor the history. */
  number: string
  counts: PersonCounts
  isForgotten: boolean
}

/** Shows operators the data about a person, and lets them erase it. */
export function showPeople(context: Context): Middleware {
  return (ctx) => {
    const shown = shownOnce<Shown>(ctx)
    const page = pageOf(ctx, context)
    answerPage(
      ctx,
      <Layout page={page} title="People">
        <h1>People</h1>
        <p>
          People can ask for a copy of their data, or to have it erased. Look them up by their number, across
          all users' lines.
        </p>
        <Form page={page} action={PEOPLE}>
          <Field
            name="number"
            label="Number"
            type="tel"
            required
            hint="E.164, such as +15551234567."
            value={shown.number}
          />
          <button type="submit" class="primary">
            Look up
          </button>
        </Form>
        <Person page={page} shown={shown} number={shown.number ?? page.fault?.fields.number} />
      </Layout>,
    )
    return Promise.resolve()
  }
}

function Person({ page, shown, number }: { page: Page; shown: Partial<Shown>; number: string | undefined }) {
  const { counts, isForgotten = false } = shown
  // Forgetting was refused: the form is shown again with the reason.
  const isRefused = page.fault !== undefined && page.fault.action !== PEOPLE
  if (counts === undefined && !isRefused) return null
  return (
    <section aria-labelledby="found">
      <h2 id="found">{isForgotten ? 'Data erased' : 'Stored data'}</h2>
      {isForgotten && (
        <p role="status">This person's data has been erased. The counts show what was erased.</p>
      )}
      {counts !== undefined && <Counts counts={counts} />}
      {!isForgotten && number !== undefined && (isRefused || hasAny(counts)) && (
        <>
          <p>
            Downloading the data and erasing it both require a reason. It is shown to every user whose lines
            have been in contact with the number, and recorded in the <a href="/console/audit">audit log</a>.
          </p>
          <Form page={page} action={EXPORT}>
            <input type="hidden" name="number" value={number} />
            <Reason />
            <button type="submit">Download ZIP</button>
          </Form>
          <Confirm
            page={page}
            action={FORGET}
            label="Erase this person's data"
            consequence="All texts, media, excerpts and contacts of this number are erased on all lines, and its waiting messages fail. IDs, states, times and opt-outs are kept. This cannot be undone."
            button="Erase data"
          >
            <input type="hidden" name="number" value={number} />
            <Reason />
          </Confirm>
        </>
      )}
    </section>
  )
}

function Reason() {
  return (
    <Field
      name="reason"
      label="Reason"
      hint="For example a ticket number."
      required
      more={{ maxLength: 300 }}
    />
  )
}

function Counts({ counts }: { counts: PersonCounts }) {
  if (!hasAny(counts)) return <Empty>No line has been in contact with this number.</Empty>
  const rows: [what: string, count: number][] = [
    ['Messages', counts.messages],
    ['Media', counts.media],
    ['Event deliveries', counts.deliveries],
    ['Rows in text lists', counts.listed],
    ['Lines in contact with the number', counts.peers],
    ['Opt-outs (kept)', counts.optOuts],
    ['Texts on the phone simulator', counts.simulated],
    ['Users who have them as a contact', counts.named],
  ]
  return (
    <table class="rows">
      <tbody>
        {rows.map(([what, count]) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>{count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function hasAny(counts: PersonCounts | undefined): boolean {
  return counts !== undefined && Object.values(counts).some((count) => count > 0)
}

export function postPerson(context: Context) {
  return async (ctx: KoaContext): Promise<ShownOnce> => {
    const number = readPerson(fieldOf(ctx, 'number'))
    return {
      shown: { number, counts: await findPerson(context, number) } satisfies Omit<Shown, 'isForgotten'>,
    }
  }
}

export function postForgetPerson(context: Context) {
  return async (ctx: KoaContext): Promise<ShownOnce | undefined> => {
    const number = readPerson(fieldOf(ctx, 'number'))
    const counts = await forgetPerson(context, number, fieldOf(ctx, 'reason'), { patienceMs: PATIENCE_MS })
    return { shown: { counts, isForgotten: true } satisfies Omit<Shown, 'number'> }
  }
}
