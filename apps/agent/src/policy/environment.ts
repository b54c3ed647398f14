/**
 * Two environments. From the owner's, programs get the listed variables of the daemon's environment, and those that the
 * backends name. From the hub's, a session may add variables of a much shorter list. Neither passes on the daemon's whole
 * environment.
 */
import { variableName } from '@roundhouse/backend-types'
import { backendVariables } from '../backends/built-in'

export const OWNER_NAMES = ['PATH', 'HOME', 'LANG', 'LC_*', 'TERM', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL', 'TZ'] as const

export const HUB_NAMES = ['LANG', 'LC_*', 'TZ', 'NO_COLOR', 'CI'] as const

/**
 * What a hub may never set, whatever the policy's list says: each of these makes an innocent program run or load
 * something else, or talk to somebody else.
 */
const NEVER_FROM_HUB = [
  /^NODE_/,
  /^LD_/,
  /^DYLD_/,
  /^GIT_/,
  /^BASH_/,
  /^(ENV|PATH|HOME|SHELL|IFS|PS4|PROMPT_COMMAND|PYTHONSTARTUP|PYTHONPATH|PERL5LIB|PERL5OPT|RUBYOPT|RUBYLIB)$/,
  /^(EDITOR|VISUAL|PAGER|BROWSER|SSH_ASKPASS|SUDO_ASKPASS)$/,
  /_HOME$/,
  /^XDG_/,
  /_?PROXY$/,
  /(BASE_URL|API_BASE)$/,
  /(CONFIG_DIR|CA_BUNDLE)$/,
  /^(SSL_CERT_|NPM_CONFIG_|PIP_|CARGO_|RUSTC_)/,
  /^(JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|DOTNET_STARTUP_HOOKS)$/,
  /_ENDPOINT$/,
  /^ROUNDHOUSE/,
]

/** `LC_*` stands for every name with that beginning. */
const matchesName = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

const isListed = (patterns: readonly string[], name: string) => patterns.some((pattern) => matchesName(pattern, name))

/** The part of the owner's environment that a session host, and with it every program, inherits. */
export function ownerEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  envAllow: readonly string[],
): Record<string, string> {
  const patterns = [...OWNER_NAMES, ...backendVariables, ...envAllow]
  return Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) =>
      value !== undefined && variableName.test(name) && isListed(patterns, name) ? [[name, value]] : [],
    ),
  )
}

/** What `git -c` passes on. Git adds it to `GIT_CONFIG_COUNT`, which has names that some programs hide as keys of a secret. */
const GIT_SETTINGS = 'GIT_CONFIG_PARAMETERS'
/** A folder that came with a repository, and has the files of another one, is none to git (PERM-10). */
const ONLY_NAMED_BARE = "'safe.bareRepository=explicit'"

/** The owner's environment for programs, in which git obeys no repository that nobody named as one. */
export function programEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  envAllow: readonly string[],
): Record<string, string> {
  const env = ownerEnvironment(own, envAllow)
  const given = env[GIT_SETTINGS]
  return { ...env, [GIT_SETTINGS]: given ? `${given} ${ONLY_NAMED_BARE}` : ONLY_NAMED_BARE }
}

/** The names, of those a hub wants to set, that it may not set. */
export function forbiddenFromHub(names: readonly string[], hubEnvAllow: readonly string[]): string[] {
  return names.filter(
    (name) =>
      !variableName.test(name) ||
      NEVER_FROM_HUB.some((pattern) => pattern.test(name.toUpperCase())) ||
      !isListed([...HUB_NAMES, ...hubEnvAllow], name),
  )
}
