import type { Actor } from './access'

/** Somebody who is signed in, and by which login. */
export interface Signed {
  actor: Actor
  loginId: string
}

/** Somebody who is signed in, or a program with a token of theirs. */
export interface ProgramLogin {
  actor: Actor
  loginId: string
  email: string
  program: true
}
