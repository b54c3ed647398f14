/**
 * LINK-2: the hello of an accepted connection. Checks the protocol (VER-1) and the chain (JOIN-4), then stores the
 * agent's own facts.
 */

import { CodedError, type Hello, PROTOCOL_VERSIONS } from '@roundhouse/backend-types'
import { asMachine, refusalOf } from '../audit/audit'
import type { CommandPump } from '../commands/command-pump'
import { requireEpoch } from '../commands/require-epoch'
import type { Changes } from '../doorbells/changes'
import { chainShown, connectionOfChain } from '../machines/chain'
import type { Door } from '../machines/door'
import { boundManifest, machineLimits } from '../machines/machine-limits'
import type { MachineFacts } from '../ports/machine-store'
import type { Reads } from '../ports/stores'
import type { Attention } from '../views/attention'
import type { AuditHeads } from './audit-heads'
import { type HubRestoredDeps, hubRestored } from './hub-restored'
import type { LinkFacts } from './link-facts'
import { type MisdeedsDeps, tellMisdeed } from './misdeeds'
import { type TakeAuditHeadsDeps, takeHeads } from './take-audit-heads'

export interface LinkHelloDeps extends HubRestoredDeps, MisdeedsDeps, TakeAuditHeadsDeps {
  reads: Pick<Reads, 'commands' | 'machines' | 'sessions'>
  attention: Attention
  auditHeads: AuditHeads
  changes: Changes
  door: Door
  pump: CommandPump
}

export async function acceptHello(deps: LinkHelloDeps, facts: LinkFacts, hello: Hello): Promise<{ protocol: number }> {
  const { door, presence, changes, pump, reads, now } = deps
  const { agentId, connEpoch } = facts
  const protocol = agreedProtocol(hello.protocol)
  const receivedAt = now()
  const said = boundHello(deps, facts, hello)
  const keys = { machines: [agentId], headsGiven: true }
  const outcome = await door.write(
    keys,
    (set) => {
      const agent = requireEpoch(set.machines.find(agentId), facts)
      const { hubEpoch, publicKey } = deps.hub
      const shownFor = connectionOfChain(publicKey, agentId, hello.chain)
      const shown = chainShown(agent, hello.chain, facts.welcome.chain, hubEpoch, { connEpoch, shownFor })
      if (shown.kind === 'hub_restored') return shown.kind
      if (shown.kind === 'cloned') {
        set.machines.update(agentId, { clonedAt: receivedAt })
        set.hub.appendAudit(refusalOf(asMachine(agent), 'agent.cloned'), receivedAt)
        return 'cloned'
      }
      const heads = takeHeads(deps, set, agent, hello)
      if (heads === 'hub_restored') return heads
      set.machines.update(agentId, {
        chains: shown.next.chains,
        chainEpoch: shown.next.chainEpoch,
        ...said,
        software: hello.software,
        platform: `${hello.host.platform} ${hello.host.arch}`,
        policyDigest: hello.policyDigest,
        pausedAt: hello.policy.pausedAt ?? null,
        clockOffsetMs: hello.now - receivedAt,
        lastSeenAt: null,
      })
      return 'welcome'
    },
    'begun',
  )
  if (outcome === 'hub_restored') return hubRestored(deps, facts)
  if (outcome === 'cloned') {
    changes.agent(agentId)
    throw new CodedError('AGENT_CLONED')
  }
  facts.clock.begin(hello.now - receivedAt)
  const connected = presence.current(agentId)
  if (connected?.connEpoch !== connEpoch) throw new CodedError('FENCED')
  presence.ready(connected, agentId, receivedAt)
  changes.agent(agentId)
  pump.resume(agentId)
  deps.attention.tell(agentId)
  // Read after `ready`, so a session that is created meanwhile is shown too.
  for (const sessionId of await reads.sessions.idsOfMachine(agentId)) changes.session(sessionId)
  // SES-3: no report of a deleted session would bring its verdict.
  for (const sessionId of await reads.commands.undoneDeletions(agentId))
    facts.link.verdict({ sessionId, verdict: 'deleted' })
  deps.auditHeads.want(agentId)
  return { protocol }
}

/** BAD-4: limits what a machine can make the hub store about itself. */
function boundHello(deps: LinkHelloDeps, facts: LinkFacts, { manifest, policy }: Hello): Partial<MachineFacts> {
  const { roots, pathChars, wordChars, sentenceChars } = machineLimits
  // An agent that has just started has not asked its programs yet: what it said before stays.
  const bounded = manifestOf(deps, facts, manifest)
  const kept = bounded?.backends.length === 0 ? null : bounded
  return {
    ...(kept === null ? {} : { manifest: kept }),
    roots: policy.roots.slice(0, roots).map((root) => root.slice(0, pathChars)),
    maxSandbox: policy.maxSandbox.slice(0, wordChars),
    policySummary: policy.summary.slice(0, sentenceChars),
  }
}

/** Reports a manifest that is too large. */
export function manifestOf(
  deps: MisdeedsDeps,
  facts: LinkFacts,
  manifest: Hello['manifest'],
): Hello['manifest'] | null {
  const kept = boundManifest(manifest)
  if (kept === null)
    tellMisdeed(deps, facts, 'MANIFEST_TOO_LARGE', { bytes: Buffer.byteLength(JSON.stringify(manifest)) })
  return kept
}

function agreedProtocol(offered: readonly number[]): number {
  const common = PROTOCOL_VERSIONS.filter((version) => offered.includes(version)).at(-1)
  if (common === undefined) {
    const needed = `This hub speaks protocol version ${PROTOCOL_VERSIONS.join(' or ')}, and the agent ${offered.join(', ')}.`
    throw new CodedError('PROTOCOL_UNSUPPORTED', needed, { supported: [...PROTOCOL_VERSIONS], offered: [...offered] })
  }
  return common
}
