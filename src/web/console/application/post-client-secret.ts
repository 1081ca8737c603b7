import { rotateClientSecret } from '../../../domain/applications.js'
import type { Context } from '../../../domain/context.js'
import { showApplication } from '../application.js'
import { idOf } from '../form-values.js'
import type { Act } from '../page.js'
import { isConfirmed, sessionOf } from '../session.js'
import { applicationPath } from './page-model.js'

/** As at registration: shown in this answer only, so no redirect follows. */
export function postClientSecret(context: Context): Act {
  return async (ctx) => {
    const applicationId = idOf(ctx, 'applicationId')
    if (!isConfirmed(ctx, `${applicationPath(applicationId)}#credentials`)) return undefined
    const clientSecret = await rotateClientSecret(context, sessionOf(ctx).userId, applicationId)
    await showApplication(context, { applicationId, clientSecret })(ctx, () => Promise.resolve())
    return undefined
  }
}
