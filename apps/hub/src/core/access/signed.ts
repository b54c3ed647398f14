import type { Actor } from './access'

/** A person who is signed in, and the login. */
export interface Signed {
  actor: Actor
  loginId: string
}

/** A person who is signed in, or a program with one of the person's tokens. */
export interface ProgramLogin {
  actor: Actor
  loginId: string
  email: string
  program: true
}
