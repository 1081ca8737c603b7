import type { OpenCause, PresentCause } from '../../../database/operating/notice-causes.js'
import type { NewNotice } from '../../../database/operating/notices.js'
import type { NoticeKind } from './kinds.js'

/** Something that is wrong now. */
export interface Trouble extends PresentCause {
  kind: NoticeKind
  /** The user whose trouble it is; null when it is the service's. */
  userId: string | null
  details: NewNotice['details']
}

/** What becomes of something that was wrong and is not any more. */
export type End =
  /** It is well, and who was told of the trouble is told that. */
  | { kind: 'recovered'; as: NoticeKind; userId: string | null; details: NewNotice['details'] }
  /** It is over, and there is nothing to say. */
  | { kind: 'over' }
  /** It is neither wrong nor well yet. */
  | { kind: 'unclear' }

/** What one look at a part of the service found. */
export interface Found {
  troubles: Trouble[]
  /** How a cause ends that was open when the look began and is not among the troubles. */
  endOf: (cause: OpenCause) => End
}

/** A part of the service that is looked at, and the kinds of trouble that it may have. */
export interface Watched<Kind extends NoticeKind = NoticeKind> {
  kinds: readonly Kind[]
  /** @param open what was wrong with it before */
  look: (open: readonly OpenCause[]) => Promise<Found>
}
