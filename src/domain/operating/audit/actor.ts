/** The kinds of actors, and the words for each. */
export const ACTOR_KINDS = {
  user: 'a person in the console',
  api_token: 'a program of the user, by an API token',
  application: 'an application that the user authorized',
  command_line: 'an operator on the command line',
  queues_password: 'whoever had QUEUES_PASSWORD, at the dashboard; now it only looks',
  visitor: 'somebody who is not signed in',
  service: 'Linehook itself',
} as const

export type ActorKind = keyof typeof ACTOR_KINDS

/** The one on whose behalf domain functions act. */
export interface Actor {
  kind: ActorKind
  /** The user, or the one for whom an application acts; null if it is not a user. */
  userId: string | null
  /** The session, the API token or the application. */
  credentialId: string | null
  /** An IP address; for the command line, the account of the operating system and its machine. */
  address: string | null
}

/** The actor for work that was not requested: that of workers, and what a process does by itself. */
export const SERVICE: Actor = { kind: 'service', userId: null, credentialId: null, address: null }
