/** The place where something is fixed. */
export type Cure =
  | { at: 'line' | 'line sending' | 'line endpoints'; userId: string; lineId: string }
  | { at: 'endpoint'; userId: string; endpointId: string }
  | { at: 'unknown messages'; userId: string; lineId?: string }
  | { at: 'message'; userId: string; messageId: string }
  | { at: 'failed messages'; userId: string }
  | { at: 'carrier'; id: string }
  | { at: 'queues' }
  | { at: 'sending' }
  /** `own` is where the user can do something about it, because the page of a user is for operators. */
  | { at: 'user'; userId: string; own?: 'usage' | 'settings' }
  | { at: 'second factor'; userId: string }
  /** A part of the overview itself says more. */
  | { at: 'here'; part: 'postgres' | 'redis' | 'storage' | 'queues' | 'endpoints' }
