import type { OpenCause, PresentCause } from '../../../database/operating/notice-causes.js'
import type { NewNotice } from '../../../database/operating/notices.js'
import type { NoticeKind } from './kinds.js'

/** A fault that exists now. */
export interface Trouble extends PresentCause {
  kind: NoticeKind
  /** The user who is affected; null if it is the service. */
  userId: string | null
  details: NewNotice['details']
}

/** The end of a trouble that existed before. */
export type End =
  /** It is well again, and the people who were notified of the trouble are notified of this too. */
  | { kind: 'recovered'; as: NoticeKind; userId: string | null; details: NewNotice['details'] }
  /** It is over, and there is nothing to report. */
  | { kind: 'over' }
  /** It is no longer wrong, but not well yet. */
  | { kind: 'unclear' }

/** The result of one check of a part of the service. */
export interface Found {
  troubles: Trouble[]
  /** Returns how a cause ended that was open when the check began and is not among the troubles. */
  endOf: (cause: OpenCause) => End
}

/** A part of the service that is watched, and the kinds of trouble that it may have. */
export interface Watched<Kind extends NoticeKind = NoticeKind> {
  kinds: readonly Kind[]
  /** @param open the troubles that it had before */
  findTroubles: (open: readonly OpenCause[]) => Promise<Found>
}

/** The troubles that were open stay in view, or others beyond a bound would end them and bring them back by turns. */
export function subjectsOf(open: readonly OpenCause[]): string[] {
  return open.map(({ subject }) => subject)
}
