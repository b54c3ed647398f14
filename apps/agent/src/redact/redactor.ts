/**
 * Removes secrets from text before it is written or sent (LOG-9): known tokens, private keys, assignments to names that mean
 * a secret, and the values of this environment's own credentials. Pure; returns how many it removed.
 */
import {
  anySign,
  assignment,
  authorization,
  isSecretName,
  isSecretValue,
  privateKeyBlock,
  SHORTEST_SECRET,
  tokenPatterns,
  urlPassword,
} from './patterns'

export interface Redacted {
  text: string
  count: number
}

/** What stands in a secret's place. */
export type Mask = (kind: string, secret: string) => string
export const plainMask: Mask = (kind) => `[redacted:${kind}]`

export type Redactor = (text: string, mask?: Mask) => Redacted

/** Shorter values would be found in ordinary text. */
const SHORTEST_CREDENTIAL = 8

/** The values in an environment that are credentials by their names. */
export function credentialsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isSecretName(name) && value.length >= SHORTEST_CREDENTIAL ? [value] : [],
  )
  // Longest first: one may begin with another.
  return [...new Set(values)].sort((a, b) => b.length - a.length)
}

export function createRedactor(credentials: readonly string[]): Redactor {
  return (text, mask = plainMask) => {
    let count = 0
    const hide = (kind: string, secret: string) => {
      count += 1
      return mask(kind, secret)
    }
    if (text.length < SHORTEST_SECRET) return { text, count }
    let clean = text
    for (const credential of credentials) {
      if (clean.includes(credential)) clean = clean.replaceAll(credential, () => hide('credential', credential))
    }
    if (!anySign.test(clean)) return { text: clean, count }
    if (clean.includes('PRIVATE KEY')) clean = clean.replace(privateKeyBlock, (found) => hide('private-key', found))
    for (const { kind, pattern } of tokenPatterns) clean = clean.replace(pattern, (found) => hide(kind, found))
    clean = clean.replace(urlPassword, (all, before: string, secret: string) =>
      secret.startsWith('[redacted') ? all : before + hide('password', secret),
    )
    clean = clean.replace(
      authorization,
      (_all, before: string, secret: string) => before + hide('authorization', secret),
    )
    clean = clean.replace(assignment, (all, name: string, separator: string, value: string) =>
      isSecretValue(name, separator, value) ? name + separator + hide('assignment', value) : all,
    )
    return { text: clean, count }
  }
}
