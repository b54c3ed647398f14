/**
 * Whose password was right in this browser while the code is still owed. Asked by the hub's own routes alone: the endpoint
 * has no path. Such a cookie opens nothing; it only says of whom a code is expected.
 */
import { createAuthEndpoint } from '@better-auth/core/api'
import type { BetterAuthPlugin } from 'better-auth'

export const halfDone = {
  id: 'roundhouse-half-done',
  endpoints: {
    halfDone: createAuthEndpoint.serverOnly({ method: 'GET', requireHeaders: true }, async (ctx) => {
      const cookie = ctx.context.createAuthCookie('two_factor')
      const challenge = await ctx.getSignedCookie(cookie.name, ctx.context.secret)
      const kept = challenge ? await ctx.context.internalAdapter.findVerificationValue(challenge) : null
      const user =
        kept && kept.expiresAt > new Date() ? await ctx.context.internalAdapter.findUserById(kept.value) : null
      return user && { userId: user.id, email: user.email }
    }),
  },
} satisfies BetterAuthPlugin
