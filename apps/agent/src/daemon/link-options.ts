/** The options of the hub link, and what it tells the daemon about a hub that refuses it. */
import type { AgentHome } from '../files/agent-home'
import type { LogLine } from '../files/log-line'
import type { HubLinkOptions } from '../hub-link'
import { askChallenge } from '../identity/challenge'
import { fingerprintLines } from '../identity/fingerprint-lines'
import { postJson, postWithin } from '../identity/hub-http'
import { requireIdentity } from '../identity/identity-file'
import { settleKey } from './home/change-key'

interface LinkOptionsParts {
  home: AgentHome
  random?: (() => number) | undefined
  log: LogLine
  pending(): void
  revoked(reason: string): void
}

export function linkOptions({ home, random = Math.random, log, pending, revoked }: LinkOptionsParts): HubLinkOptions {
  return {
    askChallenge: async ({ hubUrl, hubPublicKey, agentId }, limitMs) => {
      await settleKey(postJson, home, log)
      return askChallenge(postWithin(limitMs), hubUrl, { publicKey: hubPublicKey }, agentId)
    },
    onPending: () => {
      pending()
      const keys = fingerprintLines(requireIdentity(home.identityFile))
      log(['waits for approval at the hub; compare there, in Agents:', ...keys].join('\n'))
    },
    random,
    onRevoked: revoked,
  }
}
