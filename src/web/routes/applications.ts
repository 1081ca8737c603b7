import { postDeleteApplication, showApplication } from '../console/applications/application.js'
import { postClientSecret } from '../console/applications/application/credentials.js'
import { postFields } from '../console/applications/application/fields-form.js'
import { postApplication, showApplications } from '../console/applications/applications.js'
import {
  postEndAuthorization,
  postEndAuthorizations,
  showAuthorizations,
} from '../console/applications/authorizations.js'
import { fresh } from '../console/people/confirm-first.js'
import type { Routes } from './kinds.js'

/** The pages of applications and authorizations, and their forms. */
export function applicationPages({ page, form }: Routes): void {
  // oxfmt-ignore
  {
    page(         '/console/applications',                                          showApplications)
    form(         '/console/applications',                                          postApplication, showApplications, fresh)
    page(         '/console/applications/:applicationId',                           showApplication)
    form(         '/console/applications/:applicationId/fields',                    postFields, showApplication, fresh)
    form(         '/console/applications/:applicationId/client-secret/rotate',      postClientSecret, showApplication, fresh)
    form(         '/console/applications/:applicationId/delete',                    postDeleteApplication, showApplication)
    page(         '/console/authorized-applications',                               showAuthorizations)
    form(         '/console/authorized-applications/:applicationId/disconnect',     postEndAuthorizations, showAuthorizations)
    form(         '/console/authorized-applications/:applicationId/lines/:lineId/disconnect', postEndAuthorization, showAuthorizations)
  }
}
