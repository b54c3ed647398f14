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

export interface OwnLogin {
  loginId: string
  userAgent: string | null
  address: string | null
  createdAt: number
  expiresAt: number
}

export interface LoginStore {
  ofPerson(userId: string, now: number): Promise<OwnLogin[]>
  /** Null once it has run out. */
  step(keyId: string, now: number): Promise<LoginStep | null>
  personOfKey(keyId: string): Promise<string | null>
  /** Whom this key signed in, now or before. */
  knownKey(keyId: string): Promise<KnownKey | undefined>
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

/** In the transaction of whoever signs in, or of somebody who is signed in. */
export interface LoginWrites {
  basis(userId: string): Promise<SignInBasis | null>
  has(keyId: string): Promise<boolean>
  /** False where the key has a login already. */
  insert(login: NewLogin): Promise<boolean>
  /** The newest few of each person are kept. */
  rememberKey(key: Omit<KnownKey, 'email'>, at: number): Promise<void>
  /** In place of what this key began before. */
  keepStep(keyId: string, step: LoginStep, expiresAt: number, now: number): Promise<void>
  /** False: it is gone, or another. */
  dropStep(keyId: string, step: LoginStep): Promise<boolean>
  /** False: it is not this person's, or gone. Its browser is not known any more, unless `keepKey`. */
  end(userId: string, loginId: string, options?: { keepKey: boolean }): Promise<boolean>
  /** And none of their browsers is known any more. */
  endAll(userId: string): Promise<void>
  /** Ids of those that were ended. */
  endOthers(userId: string, loginId: string): Promise<string[]>
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
  /** Ids of the machines shared with the person. */
  shared: readonly string[]
}

/** By the key of its browser; read at once. */
export type FindLogin = (keyId: string) => Promise<LoginRow | undefined>
