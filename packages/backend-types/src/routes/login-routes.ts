/**
 * The routes under `/api/auth`, by path. Each is a POST with JSON and a proof by a browser key. The hub's handlers, the
 * calls of the pages and the OpenAPI document derive from this table. No other path of the login library is reachable.
 */
import { z } from 'zod'
import { OidcAnswer, Password } from '../link/people'
import { Ok } from '../link/rest'
import { OwnProof, PasskeyName, SecondCode } from '../link/second-factors'

export interface LoginRouteSpec {
  summary: string
  /**
   * Who may call it: `beginner` shows a new key, `half` one that showed a password and owes a code, `anybody` may be signed
   * out already, `person` is signed in. No token reaches these routes.
   */
  who: 'beginner' | 'half' | 'anybody' | 'person'
  body: z.ZodType
  answer: z.ZodType
  /** Exists only where the hub has an identity provider. */
  needsProvider?: true
}

/** What a browser's authenticator answers. The login library reads the rest of it. */
const Credential = z.object({ id: z.string().max(2_000) }).loose()
/** For a browser's authenticator, from the login library. */
const Options = z.object({ challenge: z.string() }).loose()
/** The address of the provider, where the browser goes next. */
const Way = z.object({ url: z.string() })

export const loginRoutes = {
  '/sign-in/email': {
    summary: 'Sign in',
    who: 'beginner',
    body: z.object({ email: z.string().max(320), password: z.string().max(1_000) }),
    answer: Ok.extend({ codeNeeded: z.boolean() }),
  },
  '/second-step': {
    summary: 'Send the code after the password',
    who: 'half',
    body: z.object({ code: SecondCode }),
    answer: Ok,
  },
  '/sign-out': { summary: 'Sign out', who: 'anybody', body: z.strictObject({}), answer: Ok },
  '/change-password': {
    summary: 'Change my password',
    who: 'person',
    body: z.object({
      currentPassword: z.string().max(1_000),
      newPassword: Password,
      revokeOtherSessions: z.boolean().optional(),
    }),
    answer: Ok,
  },
  '/passkey/options': {
    summary: 'Start a sign-in with a passkey',
    who: 'beginner',
    body: z.object({}),
    answer: Options,
  },
  '/passkey/sign-in': {
    summary: 'Sign in with a passkey',
    who: 'beginner',
    body: z.object({ response: Credential }),
    answer: Ok,
  },
  '/passkey/register-options': { summary: 'Start adding a passkey', who: 'person', body: OwnProof, answer: Options },
  '/passkey/register': {
    summary: 'Add a passkey',
    who: 'person',
    body: PasskeyName.extend({ response: Credential }),
    answer: Ok,
  },
  '/sign-in/social': {
    summary: 'Start a sign-in by the identity provider',
    who: 'beginner',
    body: z.object({ next: z.string().max(2_000).default('/') }),
    answer: Way,
    needsProvider: true,
  },
  '/sign-in/back': {
    summary: 'Submit the answer of the identity provider, with the key',
    who: 'beginner',
    body: OidcAnswer,
    answer: z.object({ to: z.string(), signedIn: z.boolean() }),
    needsProvider: true,
  },
  '/link-social': {
    summary: 'Start linking the identity provider',
    who: 'person',
    body: OwnProof,
    answer: Way,
    needsProvider: true,
  },
  '/link-back': {
    summary: 'Submit the answer of the identity provider to a link',
    who: 'person',
    body: OidcAnswer,
    answer: z.object({ to: z.string() }),
    needsProvider: true,
  },
} as const satisfies Record<string, LoginRouteSpec>

type LoginRoutes = typeof loginRoutes
/** Below `/api/auth`. */
export type LoginPath = keyof LoginRoutes
/** As it is sent. */
export type LoginBody<P extends LoginPath> = z.input<LoginRoutes[P]['body']>
/** As the handler gets it. */
export type LoginBodyRead<P extends LoginPath> = z.output<LoginRoutes[P]['body']>
export type LoginAnswer<P extends LoginPath> = z.output<LoginRoutes[P]['answer']>
export type LoginWho<P extends LoginPath> = LoginRoutes[P]['who']
