import type { Middleware } from 'koa'
import { listAuthorizedApplications } from '../../../../domain/applications/authorizations.js'
import type { Context } from '../../../../domain/context.js'
import { LineAuthorizations } from './authorizations.js'
import { Connection } from './connection.js'
import { lineTab } from './tab.js'

/** Shows who may use the line: the owner's own programs, and applications. */
export function showLineAccess(context: Context): Middleware {
  return lineTab(context, 'access', async (_ctx, view) => {
    const { userId, id } = view.line
    const applications = await listAuthorizedApplications(context, userId, id)
    return (
      <div class="sections">
        <Connection view={view} />
        <LineAuthorizations applications={applications} />
      </div>
    )
  })
}
