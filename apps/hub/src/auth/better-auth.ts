/**
 * What better-auth does for logins: password hashes (Argon2id), passkeys, and the redirect to the identity provider and
 * back. It sets no cookie and reads none: routes pass it the values that it needs again (`LoginStep`). Its writes pass the
 * guard of `guarded-adapter.ts`. Nobody signs up: a user is created only inside `provisioning.run(true, ...)`.
 */
import { passkey } from '@better-auth/passkey'
import { hash, verify } from '@node-rs/argon2'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { APIError } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal' // without its own database layer: Prisma is ours
import { createAccessControl } from 'better-auth/plugins/access'
import { admin } from 'better-auth/plugins/admin'
import { adminAc, defaultStatements, userAc } from 'better-auth/plugins/admin/access'
import type { PrismaClient } from '../../../../prisma/generated/client'
import { acting, guardedAdapter, provisioning } from './guarded-adapter'
import { HashTurns } from './hash-turns'
import { type createOidcProvider, OIDC, oidcPlugin } from './oidc'
import type { WebGuard } from './web-guard'

/** Set by the server on every request from what `ClientAddress` says; what a client sends under this name is dropped. */
export const CLIENT_ADDRESS_HEADER = 'x-roundhouse-client-address'

/** OWASP's first recommendation for Argon2id: 19 MiB, two passes, one lane. */
const argon2id = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const appName = 'Roundhouse'

const access = createAccessControl(defaultStatements)
const manages = () => access.newRole(adminAc.statements)
const uses = () => access.newRole(userAc.statements)

export interface AuthOptions {
  prisma: PrismaClient
  publicUrl: string
  guard: WebGuard
  secret: string
  /** Another role, another name, banned or not: what live sockets know of this person is old. */
  onPersonChanged: (userId: string) => void
  /** By which people may sign in beside their password. */
  oidc?: ReturnType<typeof createOidcProvider> | undefined
}

export function createAuth(options: AuthOptions) {
  const hashing = new HashTurns()
  const { protocol, hostname: rpID, origin } = new URL(options.publicUrl)
  return betterAuth({
    appName,
    baseURL: options.publicUrl,
    basePath: '/api/auth',
    secret: options.secret,
    trustedOrigins: [...options.guard.origins],
    telemetry: { enabled: false },
    logger: { level: 'error' },
    database: guardedAdapter(prismaAdapter(options.prisma, { provider: 'sqlite', transaction: true })),
    session: { modelName: 'authSession', additionalFields: { keyId: ofTheKey, publicKey: ofTheKey } },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 12,
      password: {
        hash: (password) => hashing.run(() => hash(password, argon2id)),
        verify: ({ hash: stored, password }) => hashing.run(() => verify(stored, password)),
      },
    },
    // Attempts are counted earlier, over a longer time (`wrong-logins.ts`).
    rateLimit: { enabled: false },
    // Only ever by the person themselves: `oidc.ts` gives no address that could be matched.
    account: {
      accountLinking: { disableImplicitLinking: true, allowDifferentEmails: true, trustedProviders: [OIDC] },
      updateAccountOnSignIn: false,
    },
    advanced: {
      cookiePrefix: 'roundhouse',
      useSecureCookies: protocol === 'https:',
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      defaultCookieAttributes: { sameSite: 'lax' },
    },
    databaseHooks: {
      user: {
        create: {
          before: async (user) => {
            if (!provisioning.getStore()) throw new APIError('FORBIDDEN', { message: 'Sign-up is closed.' })
            return { data: user }
          },
        },
        update: { after: async (user) => options.onPersonChanged(String(user.id)) },
        delete: { after: async (user) => options.onPersonChanged(String(user.id)) },
      },
      // The provider's tokens are not kept.
      account: { create: { before: async (account) => ({ data: { ...account, idToken: null } }) } },
    },
    plugins: [
      admin({
        defaultRole: 'viewer',
        adminRoles: ['owner', 'admin'],
        ac: access,
        roles: { owner: manages(), admin: manages(), operator: uses(), approver: uses(), viewer: uses() },
      }),
      // A person who registers a passkey has already proved their identity (`passkey-logins.ts`); the age of the login
      // does not matter.
      passkey({
        rpID,
        rpName: appName,
        origin,
        registration: { requireSession: false, resolveUser: personActing, afterVerification: requireVerifiedPerson },
        authentication: { afterVerification: requireVerifiedPerson },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        advanced: { webAuthnChallengeCookie: 'passkey_challenge' },
      }),
      oidcPlugin(options.oidc),
    ],
  })
}

const ofTheKey = { type: 'string', required: true, input: false, returned: false } as const

/** The login that the route has checked. */
async function personActing() {
  const who = acting.getStore()
  if (who?.as !== 'person') throw new APIError('UNAUTHORIZED', { message: 'Sign in first.' })
  return { id: who.userId, name: who.name, displayName: who.name }
}

/** A passkey stands for two factors only where its device has asked for a finger, a face or a PIN. The library does not insist. */
async function requireVerifiedPerson({ verification }: { verification: Verified }): Promise<void> {
  const facts = 'authenticationInfo' in verification ? verification.authenticationInfo : verification.registrationInfo
  if (facts?.userVerified !== true) throw new APIError('UNAUTHORIZED', { message: 'The person was not verified.' })
}

type Verified =
  | { authenticationInfo: { userVerified: boolean } }
  | { registrationInfo?: { userVerified: boolean } | undefined }

export type Auth = ReturnType<typeof createAuth>
