/**
 * Admits an agent: checks a signature over one of the hub's nonces (LINK-1), raises `connEpoch`, closes an older
 * connection, and welcomes the agent (LINK-2, LINK-3).
 */

import { CodedError, linkLimits, PROTOCOL_VERSIONS, signedText } from '@roundhouse/backend-types'
import { isSignedBy } from '@roundhouse/keys'
import { MachineClock } from '../common/clock'
import { barOf } from '../machines/barred'
import { chainGiven, makeChainValue } from '../machines/chain'
import type { Challenges } from '../machines/challenges'
import type { AgentCredential, AgentGate, AgentLink, LinkSession } from '../machines/link-ports'
import { ANOTHER_KEY } from '../machines/rotate-key'
import { ServedSessions } from '../machines/served-sessions'
import { createLinkSession, type LinkSessionDeps } from './link-session'

export interface AgentGateDeps extends LinkSessionDeps {
  challenges: Challenges
}

export function createAgentGate(deps: AgentGateDeps): AgentGate {
  return {
    judgeUpgrade: async ({ agentId, nonce, signature }) => {
      const { hub, challenges, reads, door } = deps
      if (!challenges.isOpen(nonce, agentId)) return null
      const agent = await reads.machines.find(agentId)
      const signed = (url: string) => signedText.agentAuth(hub.hubId, agentId, nonce, url)
      if (!agent || !hub.urls().some((url) => isSignedBy(agent.publicKey, signed(url), signature))) return null
      if (!challenges.use(nonce)) return null
      door.proved(agentId)
      return { agentId, publicKey: agent.publicKey, barred: barOf(agent) }
    },
    accept: (proven, link) => accept(deps, proven, link),
  }
}

type Proven = Pick<AgentCredential, 'agentId' | 'publicKey'>

async function accept(deps: AgentGateDeps, { agentId, publicKey }: Proven, link: AgentLink): Promise<LinkSession> {
  const { hub, door, presence, now } = deps
  const { connEpoch, clockOffsetMs, chain } = await door.write(
    { machines: [agentId] },
    (set) => {
      const agent = set.machines.find(agentId)
      if (!agent) throw new CodedError('AUTH_FAILED')
      // Seconds may pass between the upgrade and the first frame, in which the machine may have received another key.
      if (agent.publicKey !== publicKey) throw new CodedError('FENCED', ANOTHER_KEY)
      const barred = barOf(agent)
      if (barred) throw new CodedError(barred)
      const epoch = agent.connEpoch + 1
      const chain = makeChainValue(hub.privateKey, agentId, epoch)
      const { chains } = chainGiven(agent, chain)
      set.machines.update(agentId, { connEpoch: epoch, chains, lastSeenAt: now() })
      return { connEpoch: epoch, clockOffsetMs: agent.clockOffsetMs, chain }
    },
    'new',
  )
  const served = new ServedSessions()
  const older = presence.enter(agentId, { link, connEpoch, ready: false, served })
  older?.link.close({ code: 'FENCED', message: 'A newer connection of this machine has taken over.' })
  const welcome = {
    hubId: hub.hubId,
    hubEpoch: hub.hubEpoch,
    connEpoch,
    chain,
    protocol: PROTOCOL_VERSIONS.at(-1) ?? 1,
    limits: { ...linkLimits },
    now: now(),
  }
  const clock = new MachineClock(clockOffsetMs)
  const facts = {
    agentId,
    connEpoch,
    clock,
    get clockOffsetMs() {
      return clock.offsetMs
    },
    link,
    welcome,
    served,
    crowded: new Set<string>(),
  }
  return createLinkSession(deps, facts)
}
