/**
 * The patterns of secrets. Each rule has a name, which replaces the secret in the text. The text comes from programs, which
 * may be hostile, so each rule takes time in proportion to its length: a rule that looks ahead begins only at the start of a
 * word, and a long run is never scanned once for each possible start.
 */

export interface SecretPattern {
  kind: string
  pattern: RegExp
}

/** Tokens that carry their issuer's prefix, so that a match is hardly ever wrong. */
export const tokenPatterns: readonly SecretPattern[] = [
  { kind: 'anthropic-key', pattern: /\bsk-ant-[A-Za-z0-9_-]{16,}/g },
  { kind: 'openai-key', pattern: /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}/g },
  { kind: 'github-token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})/g },
  { kind: 'gitlab-token', pattern: /\bgl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_-]{20,}/g },
  { kind: 'slack-token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g },
  { kind: 'aws-key-id', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { kind: 'google-key', pattern: /\b(?:AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,})/g },
  { kind: 'npm-token', pattern: /\bnpm_[A-Za-z0-9]{36,}/g },
  { kind: 'pypi-token', pattern: /\bpypi-[A-Za-z0-9_-]{50,}/g },
  { kind: 'huggingface-token', pattern: /\bhf_[A-Za-z0-9]{30,}/g },
  { kind: 'stripe-key', pattern: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { kind: 'sendgrid-key', pattern: /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g },
  { kind: 'age-key', pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{50,}/g },
  { kind: 'enrollment-token', pattern: /\brhe_[A-Za-z0-9]{10}_[A-Za-z0-9_-]{43}_[A-Za-z0-9]{6}/g },
  {
    kind: 'jwt',
    pattern: /(?<![\w-])(?=[\w-]*?\beyJ[\w-]{8})[\w-]+\.eyJ[\w-]{8,}\.[\w-]{8,}/g,
  },
]

/** Some part of whatever the rules find. One look at this spares most text all the others. */
export const anySign =
  /sk-|gh[pousr]_|github_pat_|gl[a-z]{2,3}-|xox|AKIA|ASIA|AIza|ya29|npm_|pypi-|hf_|k_live|k_test|SG\.|AGE-SEC|rhe_|eyJ|:\/\/|PRIVATE KEY|bearer|basic|secret|token|passw|passphrase|key|credential/i

/** Nothing shorter is taken for a secret. */
export const SHORTEST_SECRET = 6

/** The end may be missing: a cut key is still a key. */
export const privateKeyBlock =
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/g
export const privateKeyBegin = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/
export const privateKeyEnd = /-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/

/** `//user:password@host`: the password is the second group. */
export const urlPassword = /(\/\/[^\s/:@]{1,128}:)([^\s/@]{3,256})(?=@)/g

/** `Authorization: Bearer ...` and the like: the credential is the second group. */
export const authorization = /\b((?:bearer|basic)\s+)([A-Za-z0-9+/_.=-]{16,})/gi

/** `NAME=value` and `"name": "value"`: name, separator, value. */
export const assignment =
  /(?<![\w.-])(?=[\w.-]*?(?:secret|token|passw(?:or)?d|passphrase|api_?-?key|access_?-?key|private_?-?key|credential))([\w.-]+)(["']?\s*[=:]\s*["'`]?)([^\s"'`,;]{6,512})/gi

const secretName = /secret|token|passw(?:or)?d|passphrase|api_?-?key|access_?-?key|private_?-?key|credential/i

export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/**
 * Whether a value assigned to such a name is worth hiding. Code is full of `token: string` and `password = getpass()`:
 * in the style of an environment file (upper-case name, `=`) everything but a reference is hidden, elsewhere only what
 * reads like random text.
 */
export function isSecretValue(name: string, separator: string, value: string): boolean {
  if (
    /^[$<{[(*%]|^(?:process|os|env|self|this|import)\.|^(?:true|false|null|none|undefined|string|number)\b/i.test(value)
  ) {
    return false
  }
  // A flag has dashes before its name.
  if (/^[.-]*[A-Z0-9_]+$/.test(name) && separator.trim().startsWith('=')) return !/[({]/.test(value)
  return value.length >= 12 && /[0-9]/.test(value) && /[A-Za-z]/.test(value) && bitsPerCharacter(value) >= 3
}

function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
