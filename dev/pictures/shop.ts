import type { TestLine } from '../../test/helpers/factories.js'

/** The customer whom the front desk talks to. */
export const CUSTOMER = '+14155550142'

export interface Shop {
  operatorId: string
  /** Somebody who is not an operator, and has a line and an application. */
  userId: string
  applicationId: string
  frontDesk: TestLine
  /** The line whose server fails. */
  deliveries: TestLine
  newLine: TestLine
}

/** The last text of a customer, and the attempt to deliver it. */
export interface FoundIds {
  messageId: string
  attemptId: string
}
