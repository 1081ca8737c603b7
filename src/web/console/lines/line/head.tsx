import type { Context } from '../../../../domain/context.js'
import { renameLine } from '../../../../domain/lines/lines.js'
import { MAX_NAME_LENGTH } from '../../../../domain/names.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Field, Form } from '../../form.js'
import { LineStatus } from '../lines.js'
import type { Act } from '../../page.js'
import { PhoneNumber } from '../../messages/phone-number.js'
import { sessionOf } from '../../people/session.js'
import { UserText } from '../../user-text.js'
import { hasPhones, lineWithNotice, type LineView } from './section.js'

/** Which line this is, and what it is called. */
export function Head({ view }: { view: LineView }) {
  const { page, line, path } = view
  const action = `${path}/name`
  return (
    <header>
      <h1>
        {line.name === line.number ? <PhoneNumber number={line.number} /> : <UserText>{line.name}</UserText>}
      </h1>
      <p class="facts">
        {line.name !== line.number && (
          <strong>
            <PhoneNumber number={line.number} />
          </strong>
        )}
        <LineStatus line={line} />
        <span>at {line.carrierAccount}</span>
        {hasPhones(view) && <a href="/simulator">Phone simulator</a>}
      </p>
      {line.status === 'disabled' && <Disabled view={view} />}
      <details open={page.fault?.action === action}>
        <summary>Rename</summary>
        <Form page={page} action={action} class="row">
          <Field
            page={page}
            action={action}
            name="name"
            label="Name"
            value={line.name}
            required
            more={{ maxlength: MAX_NAME_LENGTH }}
          />
          <button type="submit">Save the name</button>
        </Form>
      </details>
    </header>
  )
}

function Disabled({ view: { page, line } }: { view: LineView }) {
  return (
    <p class="fault">
      This line is disabled: it sends and receives nothing, and its incoming webhook answers 404. What you set
      here counts when it is enabled again:{' '}
      {page.session?.role === 'operator' ? (
        <a href={`/console/users/${line.userId}`}>enable it under Users</a>
      ) : (
        'ask whoever runs this service'
      )}
      .
    </p>
  )
}

export function postName(context: Context): Act {
  return async (ctx) => {
    const lineId = idOf(ctx, 'lineId')
    await renameLine(context, sessionOf(ctx).userId, lineId, fieldOf(ctx, 'name'))
    return lineWithNotice(lineId, 'renamed')
  }
}
