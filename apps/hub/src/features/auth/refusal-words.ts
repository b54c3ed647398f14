import { OidcRefusal } from '@roundhouse/backend-types'

/** The message for a failed sign-in by the identity provider. Null: there was none. */
export function refusalWords(said: string | null, provider: string): { code: string; message: string } | null {
  const { data } = OidcRefusal.safeParse(said)
  return data ? { code: 'AUTH_FAILED', message: words[data](provider) } : null
}

const words: Readonly<Record<OidcRefusal, (provider: string) => string>> = {
  unknown: (name) =>
    `No account here is linked to that ${name} account. Sign in with your password and link it on your account page.`,
  disabled: () => 'Your account here is disabled.',
  taken: (name) => `That ${name} account is linked to someone else here.`,
  stale: () => 'The sign-in did not start in this browser, or it took too long. Try again.',
  denied: (name) => `The sign-in at ${name} was canceled.`,
  failed: (name) => `The answer from ${name} was not accepted. The reason is in the log of this hub.`,
}
