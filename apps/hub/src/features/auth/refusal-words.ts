import { OidcRefusal } from '@roundhouse/backend-types'

/** What to tell a person whom the way back from the identity provider led nowhere. Null: nothing of the kind was said. */
export function refusalWords(said: string | null, provider: string): { code: string; message: string } | null {
  const { data } = OidcRefusal.safeParse(said)
  return data ? { code: 'AUTH_FAILED', message: words[data](provider) } : null
}

const words: Readonly<Record<OidcRefusal, (provider: string) => string>> = {
  unknown: (name) =>
    `Nobody here is linked with that account of ${name}. Sign in by password and link it on your page.`,
  disabled: () => 'Your account here is disabled.',
  taken: (name) => `That account of ${name} is linked with somebody else here.`,
  stale: () => 'That did not begin in this browser, or took too long. Try again.',
  denied: (name) => `${name} was told not to go on.`,
  failed: (name) => `What ${name} answered was not accepted. Whoever runs this hub finds the reason in its log.`,
}
