/** What the core needs of a store for logins. A login is found by its browser's key. */
import type { Role } from '@roundhouse/backend-types'

/** The public half, and the hash by which requests name it. */
export interface BrowserKey {
  keyId: string
  publicKey: string
}

/** What a key began and has not finished. Good for ten minutes, once, and with that key alone. */
export type LoginStep =
  /** The password was right and a code is owed. `basis`: the hash of the password's own hash. */
  | { kind: 'code'; userId: string; basis: string }
  /** What the login library wants to see again: a challenge to a passkey, or the state of a way out to the provider. */
  | ({ kind: 'passkey' } & LibraryStep)
  | ({ kind: 'provider' } & LibraryStep)

interface LibraryStep {
  cookies: string
  /** Names the password that somebody who is signed in has shown for it. */
  basis?: string
}

export interface KnownKey extends BrowserKey {
  userId: string
  email: string
}

export interface LoginReads {
  /** Null once it has run out. */
  loginStep(keyId: string, now: number): LoginStep | null
  personOfKey(keyId: string): string | null
  /** Whom this key signed in, now or before. */
  knownKey(keyId: string): KnownKey | undefined
}

export interface NewLogin extends BrowserKey {
  loginId: string
  userId: string
  tokenHash: string
  createdAt: number
  expiresAt: number
  address: string
  userAgent: string
}

/** What a sign-in rests on, read again where the login is made. */
export interface SignInBasis {
  name: string
  role: Role
  banned: boolean
  passwordHash: string | null
  /** A code is asked after the password. */
  codes: boolean
}

/** The part of a write transaction that is about logins. */
export interface LoginTx {
  findBasis(userId: string): Promise<SignInBasis | null>
  hasLogin(keyId: string): Promise<boolean>
  /** False where the key has a login already. */
  insertLogin(login: NewLogin): Promise<boolean>
  /** The newest few of each person are kept. */
  rememberKey(key: Omit<KnownKey, 'email'>, at: number): Promise<void>
  /** In place of what this key began before. */
  keepStep(keyId: string, step: LoginStep, expiresAt: number, now: number): Promise<void>
  /** False: it is gone, or another. */
  dropStep(keyId: string, step: LoginStep): Promise<boolean>
  /** False where the password is not `before` any more. */
  replacePassword(userId: string, before: string, after: string): Promise<boolean>
  /** Until when no code is taken from this person, or null. */
  codesLockedUntil(userId: string): Promise<number | null>
  /** Ten in a row lock codes until `lockUntil`. */
  countWrongCode(userId: string, lockUntil: number): Promise<void>
  forgetWrongCodes(userId: string): Promise<void>
}

/** A login and the person behind it, as the request finds them. */
export interface LoginRow {
  loginId: string
  keyId: string
  publicKey: string
  expiresAt: number
  userId: string
  name: string
  email: string
  role: string | null
  banned: number | null
  /** JSON list: the machines shared with the person. */
  shared: string
}

/** By the key of its browser; read at once. */
export type FindLogin = (keyId: string) => LoginRow | undefined
