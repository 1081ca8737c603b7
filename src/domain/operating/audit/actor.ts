/** The kinds of actors, and the words for each. */
export const ACTOR_KINDS = {
  user: 'a person in the console',
  api_token: "one of the user's programs, with an API token",
  portal_link: 'someone with a portal link that an operator made',
  application: 'an application the user authorized',
  command_line: 'an operator on the command line',
  queues_password: 'someone with QUEUES_PASSWORD in the queue dashboard (now read-only)',
  visitor: 'someone who is not signed in',
  service: 'Linehook itself',
} as const

export type ActorKind = keyof typeof ACTOR_KINDS

/** On whose behalf domain functions act. */
export interface Actor {
  kind: ActorKind
  /** The user, the one for whom an application acts, or the operator who made a portal link; null if it is not a user. */
  userId: string | null
  /** The session, the API token or the application. */
  credentialId: string | null
  /** An IP address; for the command line, the account of the operating system and its machine. */
  address: string | null
}

/** The actor for work that nobody requested: that of workers, and whatever a process does by itself. */
export const SERVICE: Actor = { kind: 'service', userId: null, credentialId: null, address: null }
