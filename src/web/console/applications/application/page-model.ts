import type { Application } from '../../../../domain/applications/applications.js'
import type { Page } from '../../page.js'

export const APPLICATIONS = '/console/applications'

/** What every section of an application's page may show. */
export interface ApplicationView {
  page: Page
  application: Application
  /** `/console/applications/…` */
  path: string
}

export function applicationPath(id: string): string {
  return `${APPLICATIONS}/${id}`
}
