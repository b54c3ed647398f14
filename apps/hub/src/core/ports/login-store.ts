/** The store of logins. A login is found by its browser's key. */
import type { Role } from '@roundhouse/backend-types'

/** The public half of the key, and the hash by which requests name it. */
export interface BrowserKey {
  keyId: string
  publicKey: string
}

/** What a key began and has not finished. Valid for ten minutes, once, and only with that key. */
export type LoginStep =
  /** The password was right, and a code is still needed. `basis`: the hash of the password's hash. */
  | { kind: 'code'; userId: string; basis: string }
  /** What the login library needs again: a challenge to a passkey, or the state of a redirect to the provider. */
  | ({ kind: 'passkey' } & LibraryStep)
  | ({ kind: 'provider' } & LibraryStep)

interface LibraryStep {
  cookies: string
  /** Identifies the password that a signed-in person has shown for it. */
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
  /** Null if it has expired. */
  step(keyId: string, now: number): Promise<LoginStep | null>
  personOfKey(keyId: string): Promise<string | null>
  /** The person that this key signed in, now or before. */
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

/** The inputs of a sign-in, read again when the login is created. */
export interface SignInBasis {
  name: string
  role: Role
  banned: boolean
  passwordHash: string | null
  /** A code is needed after the password. */
  codes: boolean
}

/** In the transaction of a sign-in or of a signed-in person. */
export interface LoginWrites {
  basis(userId: string): Promise<SignInBasis | null>
  has(keyId: string): Promise<boolean>
  /** False if the key has a login already. */
  insert(login: NewLogin): Promise<boolean>
  /** The newest few of each person are kept. */
  rememberKey(key: Omit<KnownKey, 'email'>, at: number): Promise<void>
  /** Replaces what this key began before. */
  keepStep(keyId: string, step: LoginStep, expiresAt: number, now: number): Promise<void>
  /** False if the step is gone or differs. */
  dropStep(keyId: string, step: LoginStep): Promise<boolean>
  /** False if the login is not this person's or is gone. Forgets its browser, unless `keepKey`. */
  end(userId: string, loginId: string, options?: { keepKey: boolean }): Promise<boolean>
  /** Also forgets their browsers. */
  endAll(userId: string): Promise<void>
  /** Returns the ids of the ended logins. */
  endOthers(userId: string, loginId: string): Promise<string[]>
}

/** A login and the person behind it, as a request finds them. */
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
