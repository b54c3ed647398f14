/** LINK-2: the hello of an accepted connection: protocol (VER-1), chain (JOIN-4), then the agent's own facts are stored. */
import { CodedError, type Hello, PROTOCOL_VERSIONS } from '@roundhouse/backend-types'
import { chainShown } from './chain'
import type { Context } from './context'
import { barredBy } from './ingest'
import type { LinkFacts } from './link-facts'
import type { WriteTx } from './ports'

export async function sayHello(context: Context, facts: LinkFacts, hello: Hello): Promise<{ protocol: number }> {
  const { transactions, presence, changes, pump, reads, now } = context
  const { agentId, connEpoch } = facts
  const protocol = agreedProtocol(hello.protocol)
  const receivedAt = now()
  const outcome = await transactions.write(async (tx) => {
    const agent = await requireEpoch(tx, facts)
    const chain = { chains: JSON.parse(agent.chains) as string[], chainEpoch: agent.chainEpoch }
    const shown = chainShown(chain, hello.chain, facts.welcome.chain, context.hub.hubEpoch)
    if (shown.kind === 'cloned') {
      await tx.updateAgent(agentId, { clonedAt: receivedAt })
      await tx.audit({ ...asAgent(agentId, agent.name), action: 'agent.cloned', outcome: 'refused' }, receivedAt)
      return 'cloned'
    }
    await tx.updateAgent(agentId, {
      chains: JSON.stringify(shown.next.chains),
      chainEpoch: shown.next.chainEpoch,
      software: hello.software,
      platform: `${hello.host.platform} ${hello.host.arch}`,
      manifest: JSON.stringify(hello.manifest),
      roots: JSON.stringify(hello.policy.roots),
      maxSandbox: hello.policy.maxSandbox,
      policyDigest: hello.policyDigest,
      policySummary: hello.policy.summary,
      clockOffsetMs: hello.now - receivedAt,
      lastSeenAt: receivedAt,
    })
    return 'welcome'
  })
  if (outcome === 'cloned') {
    changes.agent(agentId)
    throw new CodedError('AGENT_CLONED')
  }
  facts.clockOffsetMs = hello.now - receivedAt
  const connected = presence.current(agentId)
  if (connected?.connEpoch !== connEpoch) throw new CodedError('FENCED')
  connected.ready = true
  changes.agent(agentId)
  for (const sessionId of reads.sessionIdsOfAgent(agentId)) changes.session(sessionId)
  pump.resume(agentId)
  return { protocol }
}

/** Fences a write through Prisma as `fence` does the stream. */
export async function requireEpoch(tx: WriteTx, facts: Pick<LinkFacts, 'agentId' | 'connEpoch'>) {
  const agent = await tx.findAgent(facts.agentId)
  if (!agent) throw new CodedError('AUTH_FAILED')
  const barred = barredBy[agent.state]
  if (barred) throw new CodedError(barred)
  if (agent.connEpoch !== facts.connEpoch) throw new CodedError('FENCED')
  return agent
}

export const asAgent = (agentId: string, name: string) => ({ actorId: `agent:${agentId}`, actorName: name })

function agreedProtocol(offered: readonly number[]): number {
  const common = PROTOCOL_VERSIONS.filter((version) => offered.includes(version)).at(-1)
  if (common === undefined) {
    throw new CodedError('PROTOCOL_UNSUPPORTED', undefined, {
      supported: [...PROTOCOL_VERSIONS],
      offered: [...offered],
    })
  }
  return common
}
