import { renameLine } from '../../../../domain/lines/lines.js'
import { MAX_NAME_LENGTH } from '../../../../domain/names.js'
import { fieldOf } from '../../form-values.js'
import { Field, Form } from '../../form.js'
import { PageHead } from '../../parts/page-head.js'
import { PhoneNumber } from '../../messages/phone-number.js'
import { UserText } from '../../user-text.js'
import { lineAct } from './act.js'
import { LineState } from './state.js'
import { LINES, sectionPath, type LineView, type Tab } from './section.js'

/** Shows which line this is, its state, and a button to send with it, which the tab that sends does not need. */
export function Head({ view, tab }: { view: LineView; tab: Tab }) {
  const { line, health } = view
  return (
    <>
      <PageHead
        crumbs={[['Lines', LINES]]}
        title={<UserText>{line.name}</UserText>}
        beside={
          <>
            {line.name !== line.number && <PhoneNumber number={line.number} />}
            <LineState line={line} health={health} />
          </>
        }
        acts={
          line.status === 'active' &&
          tab !== 'send' && (
            <a href={sectionPath(line.id, 'messages')} role="button" class="primary">
              Send message
            </a>
          )
        }
      />
      {line.status === 'disabled' && <Disabled view={view} />}
    </>
  )
}

/** Shows the form for the line's name. */
export function Rename({ view: { page, line, path } }: { view: LineView }) {
  const action = `${path}/name`
  return (
    <details open={page.fault?.action === action}>
      <summary>Rename</summary>
      <Form page={page} action={action}>
        <Field name="name" label="Name" value={line.name} required more={{ maxlength: MAX_NAME_LENGTH }} />
        <button type="submit">Save</button>
      </Form>
    </details>
  )
}

function Disabled({ view: { page, line } }: { view: LineView }) {
  return (
    <p class="fault">
      This line is disabled. It does not send or receive, and its incoming webhook returns 404. Changes take
      effect when it is enabled again:{' '}
      {page.session?.role === 'operator' ? (
        <a href={`/console/users/${line.userId}`}>enable it under Users</a>
      ) : (
        'ask your operator'
      )}
      .
    </p>
  )
}

export const postName = lineAct('renamed', (context, userId, lineId, ctx) =>
  renameLine(context, userId, lineId, fieldOf(ctx, 'name')),
)
