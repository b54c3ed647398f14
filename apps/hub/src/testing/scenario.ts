/** Words for tests: sessions, events and asks with defaults. */
import type { HostState, PermissionAsk, SessionEvent, SessionEventOf, SessionSettings } from '@roundhouse/backend-types'
import type { FakeAgent } from './fake-agent'
import { ana, TestHub, type TestHubOptions } from './test-hub'

export const settings = { backend: 'scripted', workDir: '/code/demo' }

/** What most tests of the gateway begin with: a hub, a machine that is connected, and a session of it. */
export async function liveHub(
  options?: TestHubOptions,
): Promise<{ hub: TestHub; agent: FakeAgent; sessionId: string }> {
  const hub = await TestHub.start(options)
  const agent = await hub.connectedAgent()
  return { hub, agent, sessionId: await liveSession(hub, agent) }
}

/** Created by a person, taken by the agent, its log begun: head 1. */
export async function liveSession(
  hub: TestHub,
  agent: FakeAgent,
  prompt?: string,
  more: Partial<SessionSettings> = {},
): Promise<string> {
  const { sessionId, commandId } = await hub.core.sessions.create(
    ana,
    { agentId: agent.agentId, settings: { ...settings, ...more }, ...(prompt === undefined ? {} : { prompt }) },
    hub.key(),
  )
  await agent.waiter.until(() => agent.commands.some((command) => command.sessionId === sessionId))
  const event = created(agent.log(sessionId).logId)
  await agent.emit(sessionId, { ...event, settings: { ...event.settings, ...more }, commandId })
  return sessionId
}

export function created(logId: string): SessionEventOf<'session_created'> {
  return { kind: 'session_created', logId, settings, realWorkDir: '/code/demo' }
}

export const text = (words: string): SessionEventOf<'assistant_text'> => ({ kind: 'assistant_text', text: words })
export const texts = (count: number): SessionEvent[] => Array.from({ length: count }, (_, i) => text(`line ${i + 1}`))

export function ask(requestId: string, change: Partial<PermissionAsk> = {}): PermissionAsk {
  return {
    requestId,
    procId: 'p1',
    callId: `call-${requestId}`,
    toolName: 'Bash',
    input: { command: 'ls' },
    digest: `digest-${requestId}`,
    cwd: '/code/demo',
    askedAt: 1_700_000_000_000,
    canEdit: false,
    canExplainDeny: true,
    filesPinned: true,
    redactedSpans: 0,
    ...change,
  }
}

export const requested = (requestId: string, change: Partial<PermissionAsk> = {}): SessionEvent => ({
  kind: 'permission_requested',
  ask: ask(requestId, change),
})

export function resolved(
  requestId: string,
  outcome: SessionEventOf<'permission_resolved'>['outcome'],
  change: Partial<SessionEventOf<'permission_resolved'>> = {},
): SessionEvent {
  const callId = `call-${requestId}`
  return { kind: 'permission_resolved', requestId, callId, outcome, digest: `digest-${requestId}`, ...change }
}

export function hostState(sessionId: string, change: Partial<HostState> = {}): HostState {
  return {
    sessionId,
    leaseToken: 1,
    rev: 1,
    atSeq: 1,
    status: { status: 'running' },
    queue: [],
    queueHeld: false,
    requests: [],
    openBlocks: [],
    ...change,
  }
}
