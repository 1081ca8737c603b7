import type { Application } from '../../../../domain/applications/applications.js'
import type { Page } from '../../page.js'

export const APPLICATIONS = '/console/applications'

/** The data for every section of an application's page. */
export interface ApplicationView {
  page: Page
  application: Application
  /** A path such as `/console/applications/…`. */
  path: string
}

export function applicationPath(id: string): string {
  return `${APPLICATIONS}/${id}`
}
